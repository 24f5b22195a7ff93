"""Other vendors' formats, read only."""
