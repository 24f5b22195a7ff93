"""The order of an image's string records: that of LLVM's hash map over the arguments.

LLVM's packager keeps an image's arguments, ``file`` and ``kind`` among them, in a hash map of 64 slots and writes the
records as it walks the slots.  Any order reads alike; this one makes the bytes equal to those of LLVM 17 to 22.  The
slot is the low 6 bits of LLVM's ``hash_value(StringRef)`` (a relative of CityHash, by length class); on a collision
the search goes on by 1, 2, 3, ... slots.  Measured on LLVM 19 and 22; the map grows near 48 keys and keys above 32
bytes hash by another rule: those keep their argument order.
"""

from __future__ import annotations

from functools import lru_cache

from .writer import encode_string

__all__ = ["record_order", "stored_order"]

_MASK = (1 << 64) - 1
_SEED = 0xFF51AFD7ED558CCD
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F
_K3 = 0xC949D7C7509E6557
_MUL = 0x9DDFEA08EB382D69

_SLOTS = 64
_MOST_KEYS = 46
_LONGEST_KEY = 32
_NOT_STORED = (b"file", b"kind")


@lru_cache(maxsize=1024)
def stored_order(keys: tuple[str, ...]) -> tuple[tuple[str, bytes], ...]:
    """Those of an image's argument keys that are stored, each as given and in bytes, in the order on disk.

    >>> stored_order(("file", "triple", "arch", "kind"))
    (('arch', b'arch'), ('triple', b'triple'))
    """
    given = {encode_string(key): key for key in keys}
    return tuple((given[key], key) for key in record_order(tuple(given)) if key not in _NOT_STORED)


@lru_cache(maxsize=1024)
def record_order(keys: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """``keys`` (distinct, in argument order) in the order in which LLVM's map walks them.

    >>> record_order((b"file", b"triple", b"arch", b"kind"))
    (b'arch', b'file', b'triple', b'kind')
    """
    if len(keys) > _MOST_KEYS:
        return keys
    slots: dict[int, bytes] = {}
    for key in keys:
        if len(key) <= _LONGEST_KEY:
            slots[_free_slot(slots, _hash_value(key) % _SLOTS)] = key
    return (*(slots[slot] for slot in sorted(slots)), *(key for key in keys if len(key) > _LONGEST_KEY))


def _free_slot(slots: dict[int, bytes], slot: int) -> int:
    step = 1
    while slot in slots:
        slot = (slot + step) % _SLOTS
        step += 1
    return slot


def _hash_value(key: bytes) -> int:
    length = len(key)
    if length > 16:
        return _hash_17_to_32(key)
    if length > 8:
        return _hash_9_to_16(key)
    if length >= 4:
        return _hash_16_bytes(length + 8 * _fetch(key, 0, 4), _SEED ^ _fetch(key, length - 4, 4))
    if length:
        low = key[0] + 256 * key[length // 2]
        high = length + 4 * key[-1]
        return _shift_mix((low * _K2 ^ high * _K3 ^ _SEED) & _MASK) * _K2 & _MASK
    return _K2 ^ _SEED


def _hash_9_to_16(key: bytes) -> int:
    first, last = _fetch(key, 0, 8), _fetch(key, len(key) - 8, 8)
    return _hash_16_bytes(_SEED ^ first, _rotate((last + len(key)) & _MASK, len(key))) ^ last


def _hash_17_to_32(key: bytes) -> int:
    length = len(key)
    a = _fetch(key, 0, 8) * _K1 & _MASK
    b = _fetch(key, 8, 8)
    c = _fetch(key, length - 8, 8) * _K2 & _MASK
    d = _fetch(key, length - 16, 8) * _K0 & _MASK
    low = _rotate((a - b) & _MASK, 43) + _rotate(c ^ _SEED, 30) + d
    high = a + _rotate(b ^ _K3, 20) - c + length + _SEED
    return _hash_16_bytes(low & _MASK, high & _MASK)


def _hash_16_bytes(low: int, high: int) -> int:
    a = _shift_mix((low ^ high) * _MUL & _MASK)
    b = _shift_mix((high ^ a) * _MUL & _MASK)
    return b * _MUL & _MASK


def _shift_mix(value: int) -> int:
    return value ^ value >> 47


def _rotate(value: int, shift: int) -> int:
    return (value >> shift | value << 64 - shift) & _MASK if shift else value


def _fetch(key: bytes, offset: int, size: int) -> int:
    return int.from_bytes(key[offset : offset + size], "little")
