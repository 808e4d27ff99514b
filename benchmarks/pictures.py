"""`python -m benchmarks.pictures FIGURES.json… ` draws the figures that `--json` wrote, as SVG beside this file.

`scale.svg` has the curves of time by the files of a log, `growth.svg` those by the rows of a table. `ratios.svg`, or
the file that `--ratios` names, has our time by the peer's and the targets.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.svg import BAD, GOOD, GRID, INK, PALE, line, picture, text

PLACE = Path(__file__).parent
COLOURS = ("#0b6e99", "#b4451f", "#2f7d32", "#7b3fa0", "#8a6d00", "#c2185b", "#455a64")
OURS = "deltasql"
_CURVES = {
    "files": ("scale.svg", "A whole new process, by the files of the log"),
    "rows": ("growth.svg", "A statement, by the rows of its table"),
}
"""The file and the title of the curves by a size."""
_CURVE = re.compile(r"([\d,]+) ({}): (.*)".format("|".join(_CURVES)))


def main(arguments: Sequence[str]) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pictures")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--ratios", default="ratios.svg", metavar="NAME", help="the file of the ratios (%(default)s)")
    options = parser.parse_args(arguments)
    files = [json.loads(path.read_text(encoding="utf-8")) for path in options.files]
    curves: dict[str, Curves] = {unit: {} for unit in _CURVES}
    of_curves: dict[str, list[str]] = {unit: [] for unit in _CURVES}
    ratios, of_ratios = [], []
    for file in files:
        for unit in _CURVES:
            if found := curves_of(file["figures"], unit):
                curves[unit] |= found
                of_curves[unit].append(file.get("about", ""))
        if compared := [figure for figure in file["figures"] if _is_beside_a_peer(figure)]:
            ratios += compared
            of_ratios.append(file.get("about", ""))
    for unit, (name, title) in _CURVES.items():
        if curves[unit]:
            (PLACE / name).write_text(curves_picture(title, curves[unit], of_curves[unit]), encoding="utf-8")
    if ratios:
        (PLACE / options.ratios).write_text(ratio_picture(ratios, of_ratios), encoding="utf-8")


def _is_beside_a_peer(figure: Mapping[str, Any]) -> bool:
    return figure["ratio"] is not None and figure["ratio_at_most"] is not None and figure["peer"] != OURS


Curves = dict[str, dict[int, float]]
"""Seconds by a size, of each work."""


def curves_of(figures: Iterable[Mapping[str, Any]], unit: str) -> Curves:
    """Seconds by files or rows, for each work that was timed at three sizes or more."""
    curves: Curves = {}
    for figure in figures:
        match = _CURVE.fullmatch(figure["case"])
        if match is not None and match[2] == unit and figure["unit"] == "s" and figure["theirs"] is None:
            curves.setdefault(match[3], {})[int(match[1].replace(",", ""))] = figure["ours"]
    return {name: points for name, points in curves.items() if len(points) > 2}


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis from `low` to `high`, drawn from `start` to `end`, in pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value; what lies beyond the ends is drawn there."""
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + min(max(part, 0.0), 1.0) * (self.end - self.start)

    def decades(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [10.0**power for power in range(first, last + 1)]


def curves_picture(title: str, curves: Mapping[str, Mapping[int, float]], about: Sequence[str]) -> str:
    """Lines in a plane of two logarithmic axes; each has its exponent behind its name, largest time first."""
    sizes = [size for points in curves.values() for size in points]
    times = [time for points in curves.values() for time in points.values()]
    across = Axis(min(sizes), max(sizes), 70, 520)
    up = Axis(10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times))), 360, 50)
    parts = [text(20, 26, title, size=15, weight="bold")]
    parts += [line(across.at(x), 50, across.at(x), 360, GRID) for x in across.decades()]
    parts += [text(across.at(x), 378, f"{x:,.0f}", anchor="middle") for x in across.decades()]
    parts += [line(70, up.at(y), 520, up.at(y), GRID) for y in up.decades()]
    parts += [text(62, up.at(y) + 4, f"{y:g} s", anchor="end") for y in up.decades()]
    ordered = sorted(curves.items(), key=lambda item: -max(item[1].values()))
    for number, (name, points) in enumerate(ordered):
        colour = COLOURS[number % len(COLOURS)]
        places = [(across.at(size), up.at(points[size])) for size in sorted(points)]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        top = 62 + 36 * number
        parts += [line(540, top, 560, top, colour, 3), text(568, top + 4, name)]
        parts.append(text(568, top + 19, f"exponent {exponent(points):.2f}", colour=PALE))
    bottom = max(405, 72 + 36 * len(curves))
    parts += [text(20, bottom + 15 * at, words, colour=PALE, size=11) for at, words in enumerate(about)]
    return picture(800, bottom + 15 * len(about), parts)


def ratio_picture(figures: Sequence[Mapping[str, Any]], about: Sequence[str]) -> str:
    """A bar for each figure: ours by theirs, where 1 is the peer; a mark tells the target."""
    axis = Axis(0.01, 4.0, 490, 820)
    bottom = 60 + 20 * len(figures)
    parts = [text(20, 26, "Our time by the peer's, with the target", size=15, weight="bold")]
    for value in (0.01, 0.1, 1.0, 4.0):
        parts += [line(axis.at(value), 44, axis.at(value), bottom, INK if value == 1 else GRID)]
        parts.append(text(axis.at(value), bottom + 16, f"{value:g}", anchor="middle"))
    for number, figure in enumerate(figures):
        y = 50 + 20 * number
        ratio, target = figure["ratio"], figure["ratio_at_most"]
        colour = GOOD if ratio <= target else BAD
        width = axis.at(ratio) - axis.start
        parts.append(text(482, y + 11, f"{figure['case']} / {figure['peer']}", anchor="end", size=11))
        parts.append(f'<rect x="490" y="{y}" width="{width:.1f}" height="14" fill="{colour}" fill-opacity="0.75"/>')
        parts.append(line(axis.at(target), y - 2, axis.at(target), y + 16, INK, 2))
        parts.append(text(828, y + 11, f"{ratio:.2f}", size=11))
    told = [part for words in about for part in textwrap.wrap(words, 130, subsequent_indent="    ")]
    parts += [text(20, bottom + 38 + 15 * at, words, colour=PALE, size=11) for at, words in enumerate(told)]
    return picture(870, bottom + 38 + 15 * len(told), parts)


def exponent(points: Mapping[int, float]) -> float:
    """The slope between the ends of a curve, where both axes are logarithms."""
    first, last = min(points), max(points)
    return math.log(points[last] / points[first]) / math.log(last / first)


if __name__ == "__main__":
    main(sys.argv[1:])
