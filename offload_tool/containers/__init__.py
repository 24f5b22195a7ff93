"""Files that hold other files: bytes in, named spans out; and archives written."""
