"""The report of `deltasql test` in a terminal, after a statement of a golden suite has been changed."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.svg import MONO, box
from deltasql.clients import cli
from docs.pictures.shell import GROUND, INK, LINE, PALE

NAME = "golden-diff.svg"
COMMAND = "deltasql test tests/sql"
BEFORE = """\
-- expect: no jvm
-- log: off

CREATE TABLE orders (id INT, customer STRING, amount INT);
INSERT INTO orders VALUES (1, 'Ada', 30), (2, 'Ben', 5), (3, 'Cy', 12);

-- name: small orders go
DELETE FROM orders WHERE amount < 10;

-- name: orders that stay
SELECT * FROM orders ORDER BY id;
"""
CHANGE = ("amount < 10", "amount < 20")
COLOURS = {"1": INK, "31": "#ff7b72", "32": "#7ee787"}
"""Colours of the codes of the terminal: bold, red, green."""

_PART = re.compile(r"\x1b\[(\d+)m")
_SECONDS = re.compile(r"\d+\.\d\d s")


def draw() -> str:
    """The command, and its report as the terminal shows it."""
    lines = [f"$ {COMMAND}", *_SECONDS.sub("0.04 s", _report()).splitlines()]
    height = 34 + LINE * (len(lines) + 1)
    frame = f'width="860" height="{height}" viewBox="0 0 860 {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {frame} font-family="{MONO}" font-size="13">'
    title = "<title>The report of a golden suite: lines with minus were expected, lines with plus came out</title>"
    dots = "".join(
        f'<circle cx="{20 + 18 * at}" cy="18" r="5" fill="{colour}"/>'
        for at, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f"))
    )
    body = [_line(50 + LINE * number, text) for number, text in enumerate(lines)]
    return "\n".join((head, title, box(0, 0, 860, height, fill=GROUND, round_by=8), dots, *body, "</svg>")) + "\n"


class _Terminal(io.StringIO):
    """A stream that says that it is a terminal, so that the report has its colours."""

    def isatty(self) -> bool:
        return True


def _report() -> str:
    """The report of the changed suite, whose expected output is that of the suite before."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "tests", "sql", "orders.sql")
        script.parent.mkdir(parents=True)
        script.write_text(BEFORE, encoding="utf-8")
        os.chdir(folder)
        try:
            _run("--accept")
            script.write_text(BEFORE.replace(*CHANGE), encoding="utf-8")
            return _run()
        finally:
            os.chdir(here)


def _run(*options: str) -> str:
    out = _Terminal()
    kept = {name: os.environ.pop(name, None) for name in ("NO_COLOR", "GITHUB_ACTIONS")}
    try:
        with contextlib.redirect_stdout(out):
            cli.main([*COMMAND.split()[1:], "-j", "1", *options])
    finally:
        os.environ.update({name: value for name, value in kept.items() if value is not None})
    return out.getvalue()


def _line(y: int, text: str) -> str:
    colour, bold, spans = PALE, False, ""
    for number, part in enumerate(_PART.split(text)):
        if number % 2:
            bold = (bold or part == "1") and part != "0"
            colour = COLOURS.get(part, PALE) if part != "1" or colour == PALE else colour
        elif part:
            weight = ' font-weight="bold"' if bold else ""
            spans += f'<tspan fill="{colour}"{weight}>{escape(part)}</tspan>'
    return f'<text x="14" y="{y}" xml:space="preserve">{spans}</text>'
