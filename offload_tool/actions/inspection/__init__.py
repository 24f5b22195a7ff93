"""What GPU code a file carries: places in it, payloads in those, what the payloads say of themselves, and rows."""
