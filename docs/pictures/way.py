"""The way of a statement: parser, planner, the log alone or this process or an engine, and the commit."""

from __future__ import annotations

from benchmarks.svg import INK, PALE, arrow, box, line, picture, text

NAME = "way.svg"
BLUE, SAND, GREEN = "#e6f2f8", "#fdf3dc", "#e8f4ea"


def draw() -> str:
    """Boxes from left to right; three of them, one above the other, are the places where rows are computed."""
    parts = [
        *_box(20, 120, 110, "SQL text", "MERGE INTO t …", "white"),
        *_box(170, 120, 110, "Parser", "grammar/*.lark", BLUE),
        *_box(320, 120, 110, "Planner", "pure rules", BLUE),
        *_box(490, 30, 190, "The log alone", "ALTER TABLE, COUNT(*), history", GREEN),
        *_box(490, 120, 190, "This process (Arrow)", "small changes, literal rows", GREEN),
        *_box(490, 210, 190, "An engine: Spark or Sail", "all other rows", SAND),
        *_box(750, 120, 130, "Log", "commits changes", BLUE),
        *_box(750, 240, 130, "Result", "rows, version, metrics", "white"),
        *_box(320, 240, 110, "Snapshot", "table at version n", "white"),
    ]
    parts += [arrow(130, 147, 170, 147), arrow(280, 147, 320, 147), arrow(375, 240, 375, 174)]
    parts += [line(430, 147, 460, 147, PALE, 1.5), line(460, 57, 460, 237, PALE, 1.5)]
    parts += [arrow(460, y, 490, y) for y in (57, 147, 237)]
    parts += [line(680, y, 710, y, PALE, 1.5) for y in (57, 147, 237)]
    parts += [line(710, 57, 710, 237, PALE, 1.5), arrow(710, 147, 750, 147), arrow(815, 174, 815, 240)]
    parts.append(text(225, 108, "statement", anchor="middle", size=11, colour=PALE))
    parts.append(text(375, 108, "plan", anchor="middle", size=11, colour=PALE))
    parts.append(text(585, 20, "computes rows, stages files", anchor="middle", size=11, colour=PALE))
    return picture(900, 310, parts, title="The way of a statement from its text to its result")


def _box(x: float, y: float, width: float, title: str, below: str, fill: str) -> list[str]:
    middle = x + width / 2
    return [
        box(x, y, width, 54, fill=fill, border=INK, round_by=6),
        text(middle, y + 23, title, anchor="middle", size=13, weight="bold"),
        text(middle, y + 41, below, anchor="middle", size=11, colour=PALE),
    ]
