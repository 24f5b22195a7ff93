"""The LLVM offload binary: one declared layout, shared by reader and writer."""
