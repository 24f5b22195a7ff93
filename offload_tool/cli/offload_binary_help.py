"""The help and version texts of the drop-in: our own words for LLVM's options."""

from __future__ import annotations

__all__ = ["help_text", "version_text"]

_HELP = """\
Packs device images into an offload binary, or takes them out of one.

usage: {program} -o OUT --image=KEY=VALUE,... [--image=...]
       {program} FILE --image=KEY=VALUE,... [--archive]

options:
  --archive                  put extracted images into a static archive
  --image=KEY=VALUE,...      an image to pack, or which images to extract: file, triple, arch, kind, any other key
  -o FILE                    write an offload binary to FILE
  -h, --help                 this text
  --help-list                the same
  --version                  the version
  @FILE                      further arguments from FILE"""

_COMPRESSION = """
  --compress                 compress the images
  --compression-format=F     zlib or zstd
  --compression-level=N      the codec's level"""

_HIDDEN = """
  --help-hidden              this text with the options that are seldom wanted
  --help-list-hidden         the same
  --print-options            taken and left alone
  --print-all-options        taken and left alone"""


def help_text(program: str, *, hidden: bool, compresses: bool) -> str:
    """What ``--help`` prints, or ``--help-hidden``; ``compresses`` for a release that can."""
    return _HELP.format(program=program) + (_COMPRESSION if compresses else "") + (_HIDDEN if hidden else "")


def version_text() -> str:
    """What ``--version`` prints."""
    from ..version import __version__

    return f"offload-binary of offload_tool {__version__}"
