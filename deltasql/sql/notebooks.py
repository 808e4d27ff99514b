"""Notebook files of Databricks and Jupyter, read as cells.

A source file begins with the line `-- Databricks notebook source` (`#` in Python and R, `//` in Scala). Its cells are
separated by lines `-- COMMAND ----------`. Lines that begin with `-- MAGIC` are a cell in another language than that of
the file, whose first word names it: `%md`, `%python`, `%run` … A line `-- DBTITLE 1,text` is the title of a cell.
Cells that were copied from the editor begin with that word itself, and so do files without the first line. A file of
SQL with lines between cells needs no first line either.
The cells of an `.ipynb` file are put into that form, so that every reader of scripts takes them.
Source: Databricks, Export and import Databricks notebooks; nbformat, The Notebook file format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SQL, PYTHON, SCALA, R, MARKDOWN = "sql", "python", "scala", "r", "md"
RUN, SHELL, FILES, PIP = "run", "sh", "fs", "pip"

_MARKS = {"--": SQL, "#": PYTHON, "//": SCALA}
_HEADER = re.compile(
    r"\s*(?:(?P<mark>--|#|//) Databricks notebook source[ \t]*(?:\r?\n|\Z)|(?=%(?:sql|md|python|run)\b))"
)
_BETWEEN_CELLS = re.compile(r"^-- COMMAND -{4,}[ \t]*\r?$", re.MULTILINE)
_WORD = re.compile(r"\s*%{1,2}(?P<word>[A-Za-z][\w-]*)[ \t]*(?P<rest>[^\r\n]*)")
_LANGUAGES = {
    "sql": SQL,
    "python": PYTHON,
    "py": PYTHON,
    "md": MARKDOWN,
    "md-sandbox": MARKDOWN,
    "markdown": MARKDOWN,
    "run": RUN,
    "sh": SHELL,
    "bash": SHELL,
    "fs": FILES,
    "pip": PIP,
    "conda": PIP,
    "uv": PIP,
    "scala": SCALA,
    "r": R,
}
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: `text` without the marks of its lines, and without the word that names its `language`.

    `argument` is the rest of the line of that word, such as the path of `%run`, `%sh` and `%fs`. `starts` are the
    offsets in the file at which the lines of `text` begin. `number` begins at 1.
    """

    language: str
    text: str
    starts: tuple[int, ...]
    number: int = 1
    title: str = ""
    argument: str = ""

    @property
    def start(self) -> int:
        """The offset in the file at which the text begins."""
        return self.starts[0] if self.starts else 0

    def in_file(self, offset: int) -> int:
        """The offset in the file of a character of `text`."""
        line = self.text.count("\n", 0, offset)
        return self.starts[line] + offset - (self.text.rfind("\n", 0, offset) + 1)


def is_notebook(script: str) -> bool:
    """Whether a script is the source of a notebook."""
    return _header(script) is not None


def cells_of(script: str) -> tuple[Cell, ...]:
    """The cells of a notebook's source, without the empty ones; none for any other script."""
    header = _header(script)
    return () if header is None else tuple(_cells(script, *header))


def _header(script: str) -> tuple[int, str] | None:
    """The end of a notebook's first line, and the mark of comments in its language; None for any other script.

    A part of a notebook, as people copy it, has lines between its cells and no first line: it is one of SQL.
    """
    header = _HEADER.match(script)
    if header is not None:
        return header.end(), header["mark"] or "--"
    return (0, "--") if "-- COMMAND --" in script and _BETWEEN_CELLS.search(script) else None


@dataclass(slots=True)
class _Part:
    """Lines of a cell in one language: the text of each without its mark, and its offset in the file."""

    language: str
    is_magic: bool
    lines: list[tuple[str, int]]
    start: int
    argument: str = ""
    is_bare: bool = False
    """Its lines have no mark, as a cell has them in the editor."""

    @property
    def is_empty(self) -> bool:
        return not self.argument and self.language != RUN and all(not text.strip() for text, _ in self.lines)


def _cells(script: str, start: int, mark: str) -> Iterator[Cell]:
    number, title, parts = 1, "", list[_Part]()
    command = re.compile(rf"{re.escape(mark)} COMMAND -{{4,}}\s*")
    for match in _LINES.finditer(script, start):
        line = match[0]
        if command.fullmatch(line):
            found = list(_numbered(parts, number, title))
            yield from found
            number, title, parts = number + 1, "", []
        elif line.startswith(f"{mark} DBTITLE"):
            title = line.partition(",")[2].strip()
        else:
            _add(parts, line, match.start(), mark)
    yield from _numbered(parts, number, title)


def _add(parts: list[_Part], line: str, start: int, mark: str) -> None:
    """Adds a line to the last part, or begins another one with it."""
    magic = f"{mark} MAGIC"
    if not line.startswith(magic):
        _add_plain(parts, line, start, mark)
        return
    cut = len(magic) + line.startswith((" ", "\t"), len(magic))
    word = _WORD.match(line, cut)
    if word is not None and word["word"].lower() in _LANGUAGES and not (parts and _is_inside(parts[-1])):
        parts.append(_begun(word, start))
        return
    if not parts or not parts[-1].is_magic:
        parts.append(_Part(_MARKS[mark], True, [], start))
    parts[-1].lines.append((line[cut:], start + cut))


def _add_plain(parts: list[_Part], line: str, start: int, mark: str) -> None:
    """Adds a line without a mark, which may begin with the word of a language where nothing stands before it."""
    word = _WORD.match(line)
    if word is not None and word["word"].lower() in _LANGUAGES and all(part.is_empty for part in parts):
        parts.append(_begun(word, start))
        parts[-1].is_bare = True
        return
    # A blank line belongs to either kind.
    if not parts or (parts[-1].is_magic and not parts[-1].is_bare and line.strip()):
        parts.append(_Part(_MARKS[mark], False, [], start))
    parts[-1].lines.append((line, start))


def _begun(word: re.Match[str], start: int) -> _Part:
    """The part that begins with the line of a word such as %sql, behind which the text may begin."""
    language, rest = _LANGUAGES[word["word"].lower()], word["rest"]
    if language in {RUN, SHELL, FILES, PIP}:
        return _Part(language, True, [], start, rest.strip())
    return _Part(language, True, [(f"{rest}\n", start + word.start("rest"))], start)


def _is_inside(part: _Part) -> bool:
    """Whether a word behind `%` is text of the part before."""
    return part.is_magic and part.language in {SHELL, MARKDOWN}


def _numbered(parts: Iterable[_Part], number: int, title: str) -> Iterator[Cell]:
    for part in parts:
        if not part.is_empty:
            text = "".join(line for line, _ in part.lines)
            starts = (*(start for _, start in part.lines), part.lines[-1][1] if part.lines else part.start)
            yield Cell(part.language, text, starts, number, title, part.argument)


def source_of_ipynb(text: str) -> str:
    """The cells of an `.ipynb` file in the form of a source file. Raises ValueError for any other text."""
    document = json.loads(text)
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        raise ValueError("it has no list of cells")
    mark = "--" if _language(document) == SQL else "#"
    blocks = [_block(cell, mark) for cell in document["cells"] if isinstance(cell, dict)]
    body = f"\n\n{mark} COMMAND ----------\n\n".join(blocks)
    return f"{mark} Databricks notebook source\n{body}\n"


def _language(document: dict[str, Any]) -> str:
    """The language of cells that name none."""
    metadata = document.get("metadata") or {}
    ours = metadata.get("application/vnd.databricks.v1+notebook") or {}
    names = (ours.get("language"), (metadata.get("language_info") or {}).get("name"), PYTHON)
    return _LANGUAGES.get(str(next(name for name in names if name)).lower(), PYTHON)


def _block(cell: dict[str, Any], mark: str) -> str:
    source = cell.get("source") or ""
    text = "".join(map(str, source)) if isinstance(source, Sequence) and not isinstance(source, str) else str(source)
    lines = text.splitlines()
    if cell.get("cell_type") != "code":
        lines = [f"%{MARKDOWN}", *lines]
    elif not any(line.strip() for line in lines):
        return ""
    if not _names_language(lines):
        return "\n".join(lines)
    return "\n".join(f"{mark} MAGIC {line}".rstrip() for line in lines)


def _names_language(lines: Sequence[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    word = _WORD.match(first)
    return word is not None and word["word"].lower() in _LANGUAGES
