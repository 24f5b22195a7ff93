"""Every cap on what a file may ask for, in one place.

A limit is met before a loop is entered or memory is taken.  Sizes are bytes unless the name says otherwise.
"""

MANIFEST_BYTES = 64 << 20
"""Largest manifest text: some 500,000 images written out in full."""

MANIFEST_DEPTH = 64
"""Deepest nesting of mappings and sequences; a manifest needs five."""

MANIFEST_NODES = 4_000_000
"""Most values in one manifest after its aliases are followed, so that nine levels of nine aliases end early."""

MANIFEST_FAULTS = 100
"""Most faults reported in one run; the rest is counted."""

IMAGES = 1_000_000
"""Most images in one fat binary, one manifest or one archive."""

STRING_RECORDS = 4096
"""Most key-value strings of one image; LLVM's own tools write fewer than ten."""

STRING_BYTES = 1 << 20
"""Longest key or value of one image."""

STRINGS_BYTES = 32 << 20
"""Most bytes of keys and values that are read from one binary: records may overlap, and each could be a long one."""

ELF_SECTIONS = 1 << 20
"""Most sections of one ELF file."""

ELF_SYMBOLS = 1 << 24
"""Most symbols read from one ELF file for an archive's index."""

ALIGN = 1 << 16
"""Largest value of ``align``: the largest page size in use."""

RESPONSE_FILE_DEPTH = 16
"""Deepest nesting of ``@FILE`` arguments."""

RESPONSE_FILE_BYTES = 64 << 20
"""Largest ``@FILE``."""
