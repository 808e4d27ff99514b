"""A recording of the shell: inputs, and the output of a real session, which appears step by step."""

from __future__ import annotations

import io
import tempfile
import textwrap
from collections.abc import Iterator
from xml.sax.saxutils import escape

from pygments.token import Comment, Keyword, Number, String

import deltasql
from benchmarks.svg import MONO, box
from deltasql.clients.repl.commands import Preferences
from deltasql.clients.repl.prompt import sql_lexer
from deltasql.clients.repl.shell import Shell, Terminal

NAME = "shell.svg"
INPUTS = (
    "CREATE TABLE stock (id INT, place STRUCT<hall: INT>);",
    "INSERT INTO stock VALUES (1, named_struct('hall', 4)), (2, NULL);",
    "ALTER TABLE stock ADD COLUMN plaec.shelf STRING;",
    "ALTER TABLE stock ADD COLUMN place.shelf STRING AFTER hall;",
    "UPDATE stock SET place = named_struct('hall', 5, 'shelf', 'B') WHERE id = 2;",
    "SELECT * FROM stock ORDER BY id;",
    "SELECT count(*) AS rows_of_version_1 FROM stock@v1;",
)
PROMPT = "default> "
COLUMNS, LINE, SECONDS = 100, 17, 2.2
"""Characters of a line, pixels of a line, and seconds between two inputs."""

GROUND, INK, PALE = "#0d1117", "#e6edf3", "#8b949e"
COLOURS = {Keyword: "#79c0ff", String: "#a5d6ff", Number: "#ffa657", Comment: PALE}


def draw() -> str:
    """Lines of the recording. Those that do not animate, such as printers, show all of it."""
    steps = [(text, list(_lines(output))) for text, output in _recorded()]
    total = SECONDS * (len(steps) + 2)
    parts, y = [], 50
    for number, (typed, output) in enumerate(steps):
        begin = number * SECONDS / total
        lines = [_typed(y, typed)] + [_said(y + LINE * (at + 1), text) for at, text in enumerate(output)]
        fade = (
            f'<animate attributeName="opacity" dur="{total:.1f}s" repeatCount="indefinite" values="0;0;1;1" '
            f'keyTimes="0;{begin:.4f};{begin + 0.001:.4f};1"/>'
        )
        parts.append("<g>" + (fade if number else "") + "".join(lines) + "</g>")
        y += LINE * len(lines)
    frame = f'width="860" height="{y + 4}" viewBox="0 0 860 {y + 4}"'
    dots = "".join(
        f'<circle cx="{20 + 18 * at}" cy="18" r="5" fill="{colour}"/>'
        for at, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f"))
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {frame} font-family="{MONO}" font-size="13">'
    title = "<title>A session of the shell of deltasql</title>"
    return "\n".join((head, title, box(0, 0, 860, y + 4, fill=GROUND, round_by=8), dots, *parts, "</svg>")) + "\n"


def _recorded() -> Iterator[tuple[str, str]]:
    """Each input with the output of the shell, from one session in a new warehouse."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, deltasql.connect(folder) as session:
        session.sql("SET deltasql.compute = AUTO")
        preferences = Preferences().with_value("timing", "off")
        shell = Shell(session, preferences=preferences, terminal=Terminal(out=out))
        for text in INPUTS:
            out.seek(0)
            out.truncate()
            shell.run(text)
            yield text, out.getvalue()


def _lines(output: str) -> Iterator[str]:
    for line in output.splitlines():
        yield from textwrap.wrap(line, COLUMNS, subsequent_indent="  ", drop_whitespace=False) or [""]


def _typed(y: int, text: str) -> str:
    spans = [_span(PROMPT, "#7ee787")]
    for kind, value in sql_lexer()().get_tokens(text):
        spans.append(_span(value.rstrip("\n"), _colour(kind)))
    return f'<text x="14" y="{y}" xml:space="preserve">{"".join(spans)}</text>'


def _said(y: int, text: str) -> str:
    colour = "#ff7b72" if text.startswith("[") else PALE
    return f'<text x="14" y="{y}" xml:space="preserve">{_span(text, colour)}</text>'


def _colour(kind: object) -> str:
    return next((colour for of, colour in COLOURS.items() if kind is of or kind in of.subtypes), INK)


def _span(text: str, colour: str) -> str:
    return f'<tspan fill="{colour}">{escape(text)}</tspan>' if text else ""
