"""One module a command; only here is anything printed."""
