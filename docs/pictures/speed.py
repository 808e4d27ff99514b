"""Seconds of deltasql, delta-spark and delta-rs for the same work, out of `benchmarks/measured/large-tables.json`."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.svg import GRID, INK, PALE, box, line, picture, text

NAME = "speed.svg"
FIGURES = Path(__file__).parents[2] / "benchmarks" / "measured" / "large-tables.json"
WORK = {
    "5,000,000 rows: MERGE, half of the changes match": "MERGE of 100,000 rows into 5,000,000",
    "5,000,000 rows: UPDATE 1 %": "UPDATE of 1 % of 5,000,000 rows",
    "5,000,000 rows: DELETE 1 %": "DELETE of 1 % of 5,000,000 rows",
    "5,000,000 rows: write": "Write of 5,000,000 rows",
    "1,000,000 files: cold ADD COLUMN": "ADD COLUMN to a table of 1,000,000 files",
}
"""Cases of the benchmark, and their names in the picture."""

COLOURS = {"deltasql": "#0b6e99", "delta-rs": "#b08800", "delta-spark": "#b4451f"}
LEFT, SCALE = 290, 52.0
"""Where bars begin, and pixels a second."""


def draw() -> str:
    """Three bars for each kind of work."""
    measured = json.loads(FIGURES.read_text(encoding="utf-8"))
    seconds: dict[str, dict[str, float]] = {case: {} for case in WORK}
    for figure in measured["figures"]:
        if figure["case"] in WORK and figure["peer"] in COLOURS:
            seconds[figure["case"]] |= {"deltasql": figure["ours"], figure["peer"]: figure["theirs"]}
    bottom = 62 + 64 * len(WORK)
    parts = [text(20, 26, "Seconds for the same work (shorter is better)", size=15, weight="bold")]
    for number, (engine, colour) in enumerate(COLOURS.items()):
        parts.append(box(LEFT + 170 + 110 * number, 16, 12, 12, fill=colour))
        parts.append(text(LEFT + 187 + 110 * number, 26, engine))
    for second in range(0, 9, 2):
        parts.append(line(LEFT + SCALE * second, 44, LEFT + SCALE * second, bottom - 8, INK if second == 0 else GRID))
        parts.append(text(LEFT + SCALE * second, bottom + 8, f"{second} s", anchor="middle"))
    for number, (case, name) in enumerate(WORK.items()):
        top = 52 + 64 * number
        parts.append(text(LEFT - 10, top + 28, name, anchor="end"))
        for place, (engine, colour) in enumerate(COLOURS.items()):
            value = seconds[case][engine]
            y = top + 16 * place
            parts.append(box(LEFT, y, max(1.0, SCALE * value), 13, fill=colour))
            parts.append(text(LEFT + SCALE * value + 6, y + 11, f"{value:.2f}", size=11))
    parts += [text(20, bottom + 32 + 15 * at, words, colour=PALE, size=11) for at, words in enumerate(_about(measured))]
    return picture(800, bottom + 60, parts, title="Seconds of deltasql, delta-rs and delta-spark for the same work")


def _about(measured: dict[str, str]) -> list[str]:
    machine = measured["about"].partition(": ")[2]
    first, _, second = machine.partition("; ")
    return [f"{first}; {second}.", "All in one run. Figures: benchmarks/measured/large-tables.json."]
