"""Examples of docs/reference: run in a new warehouse, with the output of the shell below each block.

`python -m docs.site.examples [TEXT…]` writes the output of the pages whose path contains one of the texts, or of all.
Ids, times and sizes differ in every run: a block whose other output is the same stays as it is.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import deltasql
from deltasql.clients.repl.commands import Preferences
from deltasql.clients.repl.shell import Shell, Terminal
from deltasql.sql.parser import split

FOLDER = Path(__file__).parents[1] / "reference"
SHOWN = "/data/shop_db"
"""Stands for the temporary directory of a run, which has as many letters."""

SETUP = "Setup"
"""The title of a block of SQL whose output is not shown."""

_BLOCK = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<file>[^\"]+)\")?\n(?P<text>.*?)^```\n"
    r"(?:\n```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
_DIFFERENT = (
    (re.compile(r"(?<=/)[0-9a-f]{32}(?=/)"), "<id>"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<id>"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?"), "<time>"),
    (re.compile(r"(Created?) Time: .* \d{4}"), r"\1 Time: <time>"),
    (re.compile(r"(?<=\|) +\d{3,} (?=\|)"), " <n> "),
    (re.compile(r"(?<=[{ ])\d{3,}(\.\d+)?(?=[,}])"), "<n>"),
    (re.compile(r"\b1[789]\d{11}\b"), "<ms>"),
    (re.compile(r"(\w*(?:Bytes|Ms|Size)\w*\s*(?:->|[|:])\s*)\d+"), r"\1<n>"),
    (re.compile(r"\b\d+ (?:bytes|ms)\b|\b\d+(?:\.\d+)? [KM]i?B\b"), "<n>"),
    (re.compile(r"deltasql/\d+\.\d+\.\d+\w*"), "deltasql/<version>"),
    (re.compile(r"[ -]{2,}|-\+|\+-"), " "),
)


def written(text: str) -> str:
    """The text of a page with the output that its examples have now."""
    place = "/tmp" if Path("/tmp").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="", dir=place) as folder, _inside(folder):
        return _run(text, folder)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _run(text: str, folder: str) -> str:
    out = io.StringIO()
    with deltasql.connect(folder) as session:
        session.sql("SET deltasql.compute = AUTO")
        preferences = Preferences().with_value("timing", "off")
        shell = Shell(session, preferences=preferences, terminal=Terminal(out=out))

        def block(match: re.Match[str]) -> str:
            if match["file"] and match["language"] != "sql":
                path = Path(folder, match["file"].removeprefix(f"{SHOWN}/"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(match["text"], encoding="utf-8")
            if match["language"] != "sql":
                return match[0]
            out.seek(0)
            out.truncate()
            for statement in split(match["text"].replace(SHOWN, folder)):
                shell.run(statement.text)
            output = out.getvalue().replace(folder, SHOWN)
            if match["file"] != SETUP:
                return _block(match, output)
            if re.search(r"^\[[A-Z]", output, re.MULTILINE):
                raise ValueError(f"a setup fails: {output}")
            return match[0]

        return _BLOCK.sub(block, text)


def _block(match: re.Match[str], output: str) -> str:
    old = match["output"] or ""
    kept = old if comparable(old) == comparable(output) else output
    code = f"```sql\n{match['text']}```\n"
    return code + (f"\n```text\n{kept.rstrip()}\n```\n" if kept.strip() else "")


def comparable(text: str) -> str:
    """A text without what differs in every run, and without the widths of columns."""
    for pattern, instead in _DIFFERENT:
        text = pattern.sub(instead, text)
    return "\n".join(line.strip() for line in text.splitlines())


def main(names: list[str]) -> None:
    """The command."""
    for path in sorted(FOLDER.glob("*/*.md")):
        if not names or any(name in path.as_posix() for name in names):
            text = path.read_text(encoding="utf-8")
            new = written(text)
            if new != text:
                path.write_text(new, encoding="utf-8")
                print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
