"""The only room that joins the others: opens files, packs, lists, extracts, embeds."""
