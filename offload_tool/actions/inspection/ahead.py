"""Payloads decoded ahead: while one is looked at, a thread of its own decodes those that come next.

zstd and zlib decode without Python's lock, so on a second CPU the decoding takes no time.  Two payloads are under way:
the thread can go on to the second by itself, as the lock may be taken when it is done with the first.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Generator, Iterator
from queue import SimpleQueue
from threading import Thread

from ...frozen import replace
from .located import Located, Numbered

__all__ = ["decoded_ahead"]

_CODECS = ("zstd", "zlib")
_WAITING = 2
_HELD = 32 << 20
"""Decoded bytes of all that wait; a payload that has more by itself is decoded when it is looked at."""


def decoded_ahead(found: Iterator[Numbered], is_wanted: Callable[[Located], bool]) -> Generator[Numbered, None, None]:
    """The payloads in their order; those that are wanted whole have their bytes with them.

    A damaged one comes without, so that whoever decodes it meets the fault.  Close the generator: that ends the thread.
    """
    decoder = _Decoder()
    waiting: deque[tuple[Numbered, int]] = deque()
    held = 0
    try:
        for number, one in found:
            size = _size(one) if is_wanted(one) and decoder.takes(one) else 0
            waiting.append(((number, one), size))
            held += size
            while len(waiting) > _WAITING or held > _HELD:
                first, size = waiting.popleft()
                held -= size
                yield decoder.settled(first) if size else first
        for last, size in waiting:
            yield decoder.settled(last) if size else last
    finally:
        decoder.close()


def _size(one: Located) -> int:
    return one.payload.decoded_size or 0


class _Decoder:
    """A thread that decodes what it is given, in that order; it begins with the first payload."""

    def __init__(self) -> None:
        self._orders: SimpleQueue[Located | None] = SimpleQueue()
        self._answers: SimpleQueue[memoryview | None] = SimpleQueue()
        self._thread: Thread | None = None

    def takes(self, one: Located) -> bool:
        """Whether the payload will be decoded by the thread."""
        payload = one.payload
        if payload.fault is not None or payload.compression not in _CODECS or not 0 < _size(one) <= _HELD:
            return False
        if self._thread is None:
            thread = Thread(target=self._decode, daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the system has no thread left
                return False
            self._thread = thread
        self._orders.put(one)
        return True

    def settled(self, numbered: Numbered) -> Numbered:
        """The payload that was given longest ago, with its bytes."""
        number, one = numbered
        whole = self._answers.get()
        return number, one if whole is None else replace(one, decoded=whole)

    def close(self) -> None:
        """Ends the thread, which finishes what it was given."""
        if self._thread is not None:
            self._orders.put(None)
            self._thread.join()

    def _decode(self) -> None:
        while (one := self._orders.get()) is not None:
            whole = None
            with contextlib.suppress(Exception):  # what is wrong is met again, and told, by whoever looks at it
                whole = one.whole()
            self._answers.put(whole)
