"""The report as a picture: a bar for each ratio on a log scale, with a mark at its target."""

from __future__ import annotations

import math
from typing import Any
from xml.sax.saxutils import escape

__all__ = ["picture"]

_LEFT, _WIDTH, _RIGHT = 430, 420, 150
_TOP, _STEP, _BAR = 56, 26, 14
_CAPTION = "wall time as a multiple of the peer's; blue meets its target (|), orange misses it"
_STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #57606a }
.rule { stroke: #8c959f; stroke-opacity: .35 } .even { stroke: #8c959f; stroke-width: 1.5 }
.met { fill: #2f81c7 } .missed { fill: #d9822b } .free { fill: #8c959f } .target { stroke: #57606a; stroke-width: 3 }
@media (prefers-color-scheme: dark) { text { fill: #adbac7 } .target { stroke: #adbac7 } }"""


def picture(report: dict[str, Any]) -> str:
    """SVG text; colours that can be read on light and on dark ground, none of which is painted."""
    rows = [
        (benchmark, peer) for benchmark in report["benchmarks"] for peer in benchmark["peers"] if "wall_ratio" in peer
    ]
    scale = _Scale([value for _, peer in rows for value in _values(peer)])
    bottom = _TOP + _STEP * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {bottom + 12}" role="img">',
        "<title>Wall time of offload_tool as a multiple of each peer's</title>",
        f"<style>{_STYLE}</style>",
        f'<text x="{_LEFT}" y="18">{_CAPTION}</text>',
        *_rules(scale, bottom),
    ]
    for number, (benchmark, peer) in enumerate(rows):
        parts += _bar(scale, _TOP + _STEP * number, benchmark["name"], peer)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Scale:
    """Ratios to places: whole powers of ten at both ends, 1 always among them."""

    def __init__(self, values: list[float]) -> None:
        self.low = math.floor(math.log10(min([0.5, *values])))
        self.high = math.ceil(math.log10(max([2.0, *values])))

    def place(self, value: float) -> float:
        return _LEFT + _WIDTH * (math.log10(value) - self.low) / (self.high - self.low)


def _values(peer: dict[str, Any]) -> list[float]:
    return [peer["wall_ratio"]["median"], *([peer["target"]] if peer["target"] else [])]


def _rules(scale: _Scale, bottom: int) -> list[str]:
    parts = []
    for power in range(scale.low, scale.high + 1):
        x = scale.place(10**power)
        kind = "even" if power == 0 else "rule"
        parts.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{_TOP - 14}" text-anchor="middle">{10**power:g}</text>')
    return parts


def _bar(scale: _Scale, top: int, name: str, peer: dict[str, Any]) -> list[str]:
    ratio, target = peer["wall_ratio"]["median"], peer["target"]
    kind = "free" if target is None else "met" if peer["met"] else "missed"
    middle, end = top + _BAR - 3, scale.place(ratio)
    parts = [
        f'<text x="{_LEFT - 10}" y="{middle}" text-anchor="end">{escape(name)}, against {escape(peer["name"])}</text>',
        f'<rect class="{kind}" x="{_LEFT}" y="{top}" width="{max(end - _LEFT, 1):.1f}" height="{_BAR}"/>',
    ]
    edge = end
    if target is not None:
        x = scale.place(target)
        edge = max(end, x)
        parts.append(f'<line class="target" x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{top + _BAR + 4}"/>')
    parts.append(f'<text x="{edge + 8:.1f}" y="{middle}">{ratio:.2g}</text>')
    return parts
