"""Measures offload_tool beside the native tools: ``python -m bench``.  Needs the extra ``dev``."""
