"""The order of the string records, frozen for keys of every length class; LLVM itself is asked in tests/drop_in."""

from __future__ import annotations

import pytest

from offload_tool.codec.record_order import record_order

KEYS = tuple(text.encode() for text in ("", "a", "ab", "arch", "triple", "feature", "nine-char", "sixteen-char-key",
                                        "seventeen-char-k", "exactly-thirty-two-characters-k!"))  # fmt: skip


def test_order_does_not_depend_on_the_arguments_unless_slots_collide() -> None:
    assert record_order((b"file", b"triple", b"arch", b"kind")) == record_order((b"kind", b"arch", b"triple", b"file"))


def test_every_key_is_kept() -> None:
    assert sorted(record_order(KEYS)) == sorted(KEYS)


def test_long_keys_keep_their_argument_order() -> None:
    long = (b"k" * 40, b"j" * 33)
    assert record_order((long[0], b"arch", long[1])) == (b"arch", *long)


@pytest.mark.parametrize("count", [47, 60])
def test_many_keys_keep_their_argument_order(count: int) -> None:
    keys = tuple(b"%d" % number for number in range(count))
    assert record_order(keys) == keys


def test_sixteen_keys_with_collisions_in_the_order_of_llvm_22() -> None:
    """Measured; one key takes three steps, which tells the search from a linear one, and one is not ASCII."""
    given = "profile wave größe file kind xnack feature opt lto debug minimum-driver ptx build date stepping triple"
    stored = "feature xnack profile opt wave ptx triple größe debug lto stepping date minimum-driver build"
    order = record_order(tuple(given.encode().split()))
    assert [key for key in order if key not in (b"file", b"kind")] == stored.encode().split()
