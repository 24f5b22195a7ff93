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

INFLATED_BYTES = 8 << 30
"""Largest size that a compressed body may be inflated to."""

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

ARCHIVE_MEMBERS = 1 << 20
"""Most member headers of one archive, indexes and name tables counted."""

ARCHIVE_NAME_BYTES = 1 << 16
"""Longest name of an archive's member: twice the longest path of any system in use."""

COFF_SECTIONS = 1 << 20
"""Most sections of one COFF object or PE image; plain headers count to 65,535, big objects further."""

COFF_NAME_BYTES = 1 << 10
"""Longest name of a COFF section that holds offload binaries; it begins with ``.llvm.offloading``."""

NESTING = 4
"""Deepest nesting of files in files: archives in archives, fat binaries as images of fat binaries."""

BITCODE_ABBREVIATIONS = 4096
"""Most abbreviations of one block of LLVM bitcode; LLVM's writer defines fewer than 40."""

BITCODE_ABBREVIATION_OPERANDS = 1024
"""Most operands of one abbreviation in LLVM bitcode; LLVM's writer uses fewer than 30."""

BITCODE_RECORDS = 1 << 24
"""Most records and blocks directly in one block of LLVM bitcode."""

BITCODE_OPERANDS = 1 << 20
"""Most operands that are decoded as numbers from one record of LLVM bitcode."""

BITCODE_TYPES = 1 << 20
"""Most types of one module of LLVM bitcode."""

BITCODE_OBJECTS = 1 << 16
"""Most embedded objects in one file of LLVM bitcode."""

BITCODE_OBJECT_BYTES = 8 << 30
"""Most bytes of all embedded objects in one file of LLVM bitcode; what several share counts for each."""

BITCODE_NAME_BYTES = 16 << 20
"""Most bytes of the names of all embedded objects in one file of LLVM bitcode."""

BITCODE_ZERO_BYTES = 64 << 20
"""Largest embedded object that LLVM bitcode only declares to be zero."""

BITCODE_MODULES = 1 << 16
"""Most modules in one file of LLVM bitcode."""

BITCODE_SYMBOLS = 1 << 20
"""Most symbols that an archive's index holds of one file of LLVM bitcode."""

BITCODE_SYMBOL_BYTES = 64 << 20
"""Most bytes of the names of those symbols; in the file they may overlap."""

RECORD_BYTES = 1 << 28
"""Largest record of the last pack: a million images with paths of 200 bytes."""

INCLUDE_DEPTH = 16
"""Deepest nesting of manifests that include others."""

INCLUDES = 1024
"""Most entries of ``include`` in the manifests of one pack; one that is read with other variables counts again."""

JOINED_IMAGES = 4_000_000
"""Most images that manifests offer to those that include them, before any is left out."""

REQUIRED_TARGETS = 65536
"""Most targets that one manifest may require."""

LZ4_BLOCK_BYTES = 0x7E000000
"""Largest size of an LZ4 block once decoded: LZ4's own."""

ZSTD_WINDOW_BYTES = 1 << 31
"""Largest window of a zstd frame: zstd's own; HIP's compressed bundles have one as large as what they hold."""

ELF_NAME_BYTES = 1 << 20
"""Longest name of an ELF section or symbol; mangled names of templates have reached some thousands."""

SCAN_HITS = 1 << 16
"""Most containers of device code that are looked for by magic, in a file without section headers."""

BUNDLE_ENTRIES = 4096
"""Most entries of one offload bundle of Clang's; those of ROCm's libraries have 26 at most."""

BUNDLE_ID_BYTES = 4096
"""Longest entry id of such a bundle; real ones have fewer than 64."""

BUNDLE_TABLE_BYTES = 1 << 20
"""Most bytes of a compressed bundle that are decoded in search of the end of its table."""

BUNDLE_BYTES = 2 << 30
"""Largest compressed bundle that is decoded into memory as a whole."""

AMDGPU_KERNELS = 1 << 18
"""Most kernels of one AMDGPU code object."""

AMDGPU_KERNEL_FIELDS = 256
"""Most fields of one kernel in a code object's metadata; LLVM writes fewer than 40."""

FATBIN_ENTRIES = 1 << 16
"""Most entries of one CUDA fatbin; nvcc writes one for each architecture and form, some twenty."""

REQUEST_BYTES = 1 << 20
"""Largest request for an inspection."""

JOBS = 1024
"""Most processes that inspect the files of a tree at a time."""

RESPONSE_FILES = 4096
"""Most ``@FILE`` arguments that one command line reads, those in other such files counted."""

SCAN_ENTRIES = 1 << 14
"""Most entries that such a search reads of what turns out to be no container."""

PAYLOAD_BYTES = 2 << 30
"""Largest compressed payload that is decoded into memory as a whole: for its kernels or its digest."""

REPORT_OBJECTS = 1 << 14
"""Most images of one file that a report lists, the largest; all are counted."""

REPORT_KERNELS = 1 << 17
"""Most kernels of one file that a report lists, the largest; all are counted."""

REPORT_STRING_BYTES = 4 << 20
"""Most bytes of the names and other strings of one report."""

REPORT_TRIED_BYTES = 64 << 20
"""Most decoded bytes of one file that a report compresses, to tell what compression would save."""
