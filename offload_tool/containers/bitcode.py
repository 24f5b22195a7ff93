"""LLVM bitcode hosts: which of their variables hold offload binaries.

Clang lists what ``-fembed-offload-object`` embeds in the metadata ``llvm.embedded.objects``, a node of variable and
section name each.  Source: clang 16 to 22.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import FormatError
from ..frozen import frozen
from ..limits import BITCODE_NAME_BYTES, BITCODE_OBJECT_BYTES, BITCODE_OBJECTS
from .bitcode_file import MAGIC, WRAPPER_MAGIC, bitcode_parts, matches, unwrapped
from .bitcode_metadata import OFFLOADING_SECTION
from .bitcode_module import ModuleObject, module_objects

__all__ = ["MAGIC", "WRAPPER_MAGIC", "EmbeddedGlobal", "matches", "offloading_globals"]


@frozen
class EmbeddedGlobal:
    """A global variable that holds offload binaries.

    ``content`` is what it is initialized with.  ``offset`` counts bytes from the start of the file to the first byte of
    ``content``; it is None where the file does not hold these bytes as they are: LLVM aligns them to no byte.
    """

    name: str
    section: str
    content: memoryview
    offset: int | None


def offloading_globals(data: memoryview) -> list[EmbeddedGlobal]:
    """The global variables that hold offload binaries, by module and in the order of ``llvm.embedded.objects``.

    Each counts once.  A node that names no variable, or one without an initializer, is passed over as LLVM does.
    Raises FormatError, with the offset in ``data``, where what has to be read for that is damaged.

    >>> offloading_globals(memoryview(b"BC"))
    Traceback (most recent call last):
    ...
    offload_tool.errors.FormatError: magic '42 43' is not that of LLVM bitcode, '42 43 c0 de' (at byte 0)
    """
    base, stream = unwrapped(data)
    try:
        return _located(_stream_objects(stream), base)
    except FormatError as error:
        raise error.shifted(base) from None


def _stream_objects(stream: memoryview) -> Iterator[tuple[ModuleObject, memoryview]]:
    """Each object with the string table that its name is in."""
    for part in bitcode_parts(stream):
        for block in part.modules:
            yield from ((found, part.names) for found in module_objects(block))


def _located(found: Iterator[tuple[ModuleObject, memoryview]], base: int) -> list[EmbeddedGlobal]:
    objects: list[EmbeddedGlobal] = []
    content_bytes = name_bytes = 0
    for module_object, names in found:
        initializer = module_object.initializer
        content_bytes += len(initializer.data)
        name_bytes += module_object.name_size
        _check_totals(module_object.byte, len(objects) + 1, content_bytes, name_bytes)
        offset = None if initializer.offset is None else base + initializer.offset
        objects.append(
            EmbeddedGlobal(
                name=_name(module_object, names), section=str(OFFLOADING_SECTION, "ascii"),
                content=initializer.data, offset=offset,
            )
        )  # fmt: skip
    return objects


def _check_totals(byte: int, count: int, content_bytes: int, name_bytes: int) -> None:
    # Objects may share an initializer, and names may overlap: a small file may ask for any number of both.
    if count > BITCODE_OBJECTS:
        raise FormatError(f"bitcode embeds more than {BITCODE_OBJECTS} objects", offset=byte)
    if content_bytes > BITCODE_OBJECT_BYTES:
        raise FormatError(f"bitcode embeds more than {BITCODE_OBJECT_BYTES} bytes", offset=byte)
    if name_bytes > BITCODE_NAME_BYTES:
        what = f"names of embedded objects take {name_bytes} bytes; at most {BITCODE_NAME_BYTES} are read"
        raise FormatError(what, offset=byte)


def _name(module_object: ModuleObject, names: memoryview) -> str:
    start, end = module_object.name_offset, module_object.name_offset + module_object.name_size
    if end > len(names):
        what = f"the name of an embedded object is bytes {start} to {end} of a string table of {len(names)}"
        raise FormatError(what, offset=module_object.byte)
    return str(names[start:end], "utf-8", "surrogateescape")
