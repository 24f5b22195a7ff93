"""The strings of a page, each once, and no more of them than a page can bear."""

from __future__ import annotations

import json

from ...limits import REPORT_STRING_BYTES

__all__ = ["Strings"]

_LONGEST = 4096
"""Characters that are kept of one string; mangled names of templates have reached 2,000."""
_LEFT_OUT = "(name left out)"


class Strings:
    """Strings by number; number 0 stands for those that there was no room for."""

    def __init__(self) -> None:
        self.texts: list[str] = [_LEFT_OUT]
        self._numbers: dict[str, int] = {}
        self._left = REPORT_STRING_BYTES

    def number(self, text: str | None) -> int | None:
        """The number of a string, as a page's data has it.

        >>> strings = Strings()
        >>> strings.number("sm_80"), strings.number("sm_90"), strings.number("sm_80"), strings.number(None)
        (1, 2, 1, None)
        """
        if text is None:
            return None
        kept = text if len(text) <= _LONGEST else text[:_LONGEST] + "\N{HORIZONTAL ELLIPSIS}"
        found = self._numbers.get(kept)
        if found is not None:
            return found
        self._left -= len(json.dumps(kept))
        if self._left < 0:
            return 0
        self.texts.append(kept)
        return self._numbers.setdefault(kept, len(self.texts) - 1)
