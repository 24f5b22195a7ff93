r"""Static archives in the GNU form, written from sizes and symbol names; the members' bytes are copied by the caller.

The header of a member is declared in ``archive_layout``.  Here date, uid and gid are 0 and the mode is 644; the symbol
index has mode 0, the name table leaves all four blank.

Symbol index: big-endian count, that many offsets of member headers, then the names, NUL-terminated; 32-bit numbers, or
64-bit ones under the name ``/SYM64/`` once a header lies beyond 4 GiB.  Measured on LLVM 22, whose bytes these are.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UsageError
from ..frozen import frozen
from .archive_layout import HEADER_SIZE, MAGIC, pack_header

__all__ = ["MAGIC", "ArchivePlan", "Member", "matches", "plan_archive", "unique_names"]

_LONGEST_SHORT_NAME = 15
_LARGEST_MEMBER = 10**10 - 1


@frozen
class Member:
    """One member: name, size in bytes, and the symbols that it defines."""

    name: bytes
    size: int
    symbols: Sequence[bytes] = ()


@frozen
class ArchivePlan:
    r"""``head`` goes first; then, for each member, its header, its bytes, and ``\n`` if their number is odd."""

    head: bytes
    headers: tuple[bytes, ...]


def matches(head: bytes) -> bool:
    """Whether the bytes begin as an archive does."""
    return head[:8] == MAGIC


def plan_archive(members: Sequence[Member]) -> ArchivePlan:
    r"""Everything of an archive but its members' bytes; raises UsageError for a member that is too large.

    >>> plan_archive([Member(name=b"k.o", size=3)]).head
    b'!<arch>\n'
    """
    for member in members:
        if member.size > _LARGEST_MEMBER:
            raise UsageError(
                f"member {member.name!r} has {member.size} bytes; an archive member has at most {_LARGEST_MEMBER}"
            )
    names, name_table = _names([member.name for member in members])
    headers = tuple(_header(name, member.size, b"644") for name, member in zip(names, members, strict=True))
    table = _header(b"//", len(name_table), b"", dated=False) + name_table if name_table else b""
    for width in (4, 8):
        index_size = _index_size(members, width)
        offsets = _offsets(members, len(MAGIC) + index_size + len(table))
        if not offsets or offsets[-1] < 1 << 32:
            break
    return ArchivePlan(head=MAGIC + _index(members, offsets, width) + table, headers=headers)


def unique_names(names: Sequence[str], *, ignore_case: bool = False) -> list[str]:
    """``names`` with a number put before the suffix where one stands twice, so that no member hides another.

    With ``ignore_case`` two that differ in case alone are one name.

    >>> unique_names(["k.o", "k.o", "k-2.o"])
    ['k.o', 'k-3.o', 'k-2.o']
    """
    told = str.casefold if ignore_case else str
    wanted, taken, result = set(map(told, names)), set[str](), []
    for name in names:
        stem, dot, suffix = name.rpartition(".")
        number, candidate = 1, name
        while told(candidate) in taken or (number > 1 and told(candidate) in wanted):
            number += 1
            candidate = f"{stem}-{number}{dot}{suffix}" if stem else f"{name}-{number}"
        taken.add(told(candidate))
        result.append(candidate)
    return result


def _header(name: bytes, size: int, mode: bytes, *, dated: bool = True) -> bytes:
    zero = b"0" if dated else b""
    return pack_header(name=name, date=zero, uid=zero, gid=zero, mode=mode, size=size)


def _names(names: Sequence[bytes]) -> tuple[list[bytes], bytes]:
    """The name fields, and the name table that the longer ones point into."""
    table, offsets, fields = bytearray(), dict[bytes, int](), []
    for name in names:
        if len(name) <= _LONGEST_SHORT_NAME and b"/" not in name:
            fields.append(name + b"/")
            continue
        if name not in offsets:
            offsets[name] = len(table)
            table += name + b"/\n"
        fields.append(b"/%d" % offsets[name])
    return fields, bytes(table) + b"\n" * (len(table) % 2)


def _offsets(members: Sequence[Member], first: int) -> list[int]:
    offsets = []
    for member in members:
        offsets.append(first)
        first += HEADER_SIZE + member.size + member.size % 2
    return offsets


def _index_size(members: Sequence[Member], width: int) -> int:
    count = sum(len(member.symbols) for member in members)
    names = sum(len(symbol) + 1 for member in members for symbol in member.symbols)
    size = width * (count + 1) + names
    return HEADER_SIZE + size + size % 2 if count else 0


def _index(members: Sequence[Member], offsets: Sequence[int], width: int) -> bytes:
    size = _index_size(members, width) - HEADER_SIZE
    if size < 0:
        return b""
    places = [offset for member, offset in zip(members, offsets, strict=True) for _ in member.symbols]
    numbers = b"".join(number.to_bytes(width, "big") for number in (len(places), *places))
    names = b"".join(symbol + b"\0" for member in members for symbol in member.symbols)
    return _header(b"/" if width == 4 else b"/SYM64/", size, b"0") + (numbers + names).ljust(size, b"\0")
