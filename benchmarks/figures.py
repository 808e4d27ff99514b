"""What a case gives back: figures, and the table and JSON made of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

EXPONENT = "exponent"
"""The unit of how a time grows with a size: 1 is as the size does."""
GIB = "GiB"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report. `ours` and `theirs` are in `unit`; `theirs` is None where the peer could not run.

    `at_most` bounds `ours`, `ratio_at_most` bounds ours / theirs; a figure without bounds is there for reference.
    """

    case: str
    unit: str
    ours: float
    theirs: float | None = None
    peer: str = ""
    at_most: float | None = None
    ratio_at_most: float | None = None

    @property
    def ratio(self) -> float | None:
        return None if not self.theirs else self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        """Whether the targets are reached; None where there is none or the peer is missing."""
        checks = []
        if self.at_most is not None:
            checks.append(self.ours <= self.at_most)
        if self.ratio_at_most is not None and self.ratio is not None:
            checks.append(self.ratio <= self.ratio_at_most)
        return all(checks) if checks else None

    @property
    def target(self) -> str:
        bounds = []
        if self.at_most is not None:
            bounds.append(f"≤ {_shown(self.at_most, self.unit)}")
        if self.ratio_at_most is not None:
            bounds.append(f"≤ {self.ratio_at_most:.3g} ×")
        return ", ".join(bounds)


def table(figures: Iterable[Figure]) -> str:
    """The figures as text in columns."""
    rows: list[tuple[str, ...]] = [("case", "ours", "peer", "", "ratio", "target", "met?")]
    rows += [_row(figure) for figure in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def write_json(figures: Iterable[Figure], path: Path, **about: object) -> None:
    """The figures with what they are about (sizes, machine) as one JSON object."""
    rows = [asdict(figure) | {"ratio": figure.ratio, "met": figure.met} for figure in figures]
    path.write_text(json.dumps(about | {"figures": rows}, indent=2) + "\n", encoding="utf-8")


def _row(figure: Figure) -> tuple[str, ...]:
    theirs = "–" if figure.theirs is None else _shown(figure.theirs, figure.unit)
    ratio = "–" if figure.ratio is None else f"{figure.ratio:.3f}"
    met = {True: "yes", False: "NO", None: ""}[figure.met]
    return figure.case, _shown(figure.ours, figure.unit), theirs, figure.peer, ratio, figure.target, met


def _shown(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value * 1000:.3g} ms" if value < 1 else f"{value:.2f} s"
    if unit == GIB:
        return f"{value:.2f} {unit}"
    if unit == EXPONENT:
        return f"{value:.2f}"
    return f"{value:.0f} {unit}"
