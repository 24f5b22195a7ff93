"""Reports on files with device code, as pages for a browser."""
