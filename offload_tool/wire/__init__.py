"""Bytes, blind to what they mean: bounded reads, alignment, and ELF behind one door."""
