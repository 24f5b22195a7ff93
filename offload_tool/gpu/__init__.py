"""Other vendors' formats: bytes in, bytes out; of these the Clang offload bundle is also written."""
