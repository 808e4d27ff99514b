"""Seven steps of a lost race: two statements change different rows of one file, and both commit."""

from __future__ import annotations

from benchmarks.svg import BAD, GOOD, GRID, INK, PALE, arrow, box, line, picture, text

NAME = "lost-race.svg"
A, B, LOG = 150, 450, 750
"""Where the middle of each lane is."""

STEPS = (
    (LOG, "version 4", "file f1, rows 0 to 9", INK),
    (A, "DELETE … WHERE id = 5", "reads version 4, marks row 5 of f1", INK),
    (B, "UPDATE … WHERE id = 6", "reads version 4, marks row 6 of f1, writes n6", INK),
    (A, "creates version 5", "f1 without row 5", GOOD),
    (B, "version 5 exists: the race is lost", "reads the commit of version 5", BAD),
    (B, "compares rows: {5} and {6}", "no row in common, so marks {5, 6} of f1", INK),
    (B, "creates version 6", "f1 without rows 5 and 6, and n6", GOOD),
)
"""Lane, what happens, a line below, and its colour; the order is that of time."""


def draw() -> str:
    """Three lanes from top to bottom; commits are arrows to the lane of the log."""
    bottom = 70 + 64 * len(STEPS)
    parts = [
        text(x, 30, name, anchor="middle", size=14, weight="bold")
        for x, name in ((A, "Statement A"), (B, "Statement B"), (LOG, "Log of the table"))
    ]
    parts += [line(x, 42, x, bottom, GRID, 2) for x in (A, B, LOG)]
    for number, (lane, title, below, colour) in enumerate(STEPS, 1):
        y = 56 + 64 * (number - 1)
        parts += [
            box(lane - 140, y, 280, 46, fill="white", border=colour, round_by=6),
            text(lane - 130, y + 19, f"{number}. {title}", size=12, weight="bold", colour=colour),
            text(lane - 130, y + 36, below, size=11, colour=PALE),
        ]
        if colour == GOOD:
            parts += [arrow(lane + 140, y + 23, LOG - 8, y + 23, GOOD), box(LOG - 6, y + 17, 12, 12, fill=GOOD)]
            parts.append(text(LOG + 14, y + 27, f"version {5 if lane == A else 6}", size=12))
    return picture(900, bottom + 16, parts, title="Seven steps of a lost race in which both statements commit")
