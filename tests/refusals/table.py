r"""Tables of refusals: statements that fail, each with its condition, the place in the statement, and the message.

A section is `-- section NAME`, with its setup as statements that end in `;`, then the refusals:

    SHOW CATALOGS LIKE «main»
    => PARSE_SYNTAX_ERROR 42601 Found 'main', but expected a string.

The marks enclose the text under the carets, and are taken out before the statement runs. A statement without marks has
no place. A line break in a message is written as `\n`. An empty line separates the setup from the refusals.
`${WAREHOUSE}` is the directory of the warehouse.
"""

from __future__ import annotations

import difflib
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.golden import temporary_sessions
from deltasql.session.session import Session
from deltasql.sql.parser import split

FOLDER = Path(__file__).parent
OPEN, CLOSE = "«", "»"
WAREHOUSE = "${WAREHOUSE}"
_OUTCOME = re.compile(r"^=>.*\n?", re.MULTILINE)
_SECTION = re.compile(r"^-- section (.+)\n", re.MULTILINE)
_SUCCESS, _CHANGE = "=> (no error)", "=> (changed files)"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A statement without its marks, and its entry of the table: the marked statement and the line of its outcome."""

    sql: str
    entry: str


@dataclass(frozen=True, slots=True)
class Section:
    """Refusals that share a session, which runs `setup` first."""

    family: str
    name: str
    setup: str
    refusals: tuple[Refusal, ...]

    @property
    def text(self) -> str:
        """The section as the file has it."""
        return self.with_entries(refusal.entry for refusal in self.refusals)

    def with_entries(self, entries: Iterator[str]) -> str:
        """The text of the section with these entries."""
        setup = f"{self.setup}\n\n" if self.setup else ""
        return f"-- section {self.name}\n{setup}" + "".join(f"{entry}\n" for entry in entries)


def read(path: Path) -> tuple[Section, ...]:
    """The sections of a file."""
    return sections(path.read_text(encoding="utf-8"), path.stem)


def refused_statements() -> list[str]:
    """The statements of all tables."""
    return [item.sql for path in sorted(FOLDER.glob("*.txt")) for section in read(path) for item in section.refusals]


def sections(text: str, family: str) -> tuple[Section, ...]:
    """The sections of the text of a file. ValueError for text that belongs to no section or has no outcome."""
    before, *parts = _SECTION.split(text)
    if before.strip():
        raise ValueError(f"{family} does not begin with a section")
    return tuple(_section(family, name, body) for name, body in zip(parts[::2], parts[1::2], strict=True))


def _section(family: str, name: str, body: str) -> Section:
    setup, gap, rest = body.strip("\n").partition("\n\n")
    if not gap or "\n=> " in setup:
        setup, rest = "", body.strip("\n")
    refusals = []
    end = 0
    for outcome in _OUTCOME.finditer(f"{rest}\n"):
        marked = rest[end : outcome.start()].rstrip("\n")
        refusals.append(Refusal(marked.replace(OPEN, "").replace(CLOSE, ""), f"{marked}\n{outcome[0].rstrip()}"))
        end = outcome.end()
    if rest[end:].strip() or not refusals:
        raise ValueError(f"{family}, section {name}: a statement without outcome")
    return Section(family, name, setup, tuple(refusals))


def run(section: Section) -> str:
    """The text of the section as the statements fail now.

    An entry has another outcome where its statement works, or fails but changes files of the warehouse.
    """
    with tempfile.TemporaryDirectory(prefix="deltasql-refusals-") as name:
        warehouse = Path(name).resolve() / "warehouse"
        session = temporary_sessions()(str(warehouse))
        try:
            for statement in split(section.setup):
                session.sql(statement.text.replace(WAREHOUSE, str(warehouse))).collect()
            # The first statement that looks for a table creates the catalog's file.
            session.sql("SHOW TABLES").collect()
            text = section.with_entries(_entry(session, refusal.sql, warehouse) for refusal in section.refusals)
            assert not session.spark_started, f"{section.family}, section {section.name} starts Spark"
        finally:
            session.close()
    return text


def _entry(session: Session, sql: str, warehouse: Path) -> str:
    before, text = _files(warehouse), sql.replace(WAREHOUSE, str(warehouse))
    try:
        session.sql(text).collect()
    except DeltaSqlError as error:
        entry = entry_of(text, error).replace(str(warehouse), WAREHOUSE)
    else:
        return f"{sql}\n{_SUCCESS}"
    return entry if _files(warehouse) == before else f"{sql}\n{_CHANGE}"


def entry_of(sql: str, error: DeltaSqlError) -> str:
    """The entry of a statement that fails with this error."""
    if error.caret is not None:
        start, end = error.caret.start, max(error.caret.start, error.caret.end)
        sql = f"{sql[:start]}{OPEN}{sql[start:end]}{CLOSE}{sql[end:]}"
    message = error.message.replace("\n", "\\n")
    return f"{sql}\n=> {error.condition} {error.sqlstate} {message}".rstrip()


def _files(warehouse: Path) -> dict[Path, tuple[int, int]]:
    # SQLite's shared memory holds the marks of readers, not the catalog.
    paths = (path for path in warehouse.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    found = ((path, path.stat()) for path in paths)
    return {path: (status.st_size, status.st_mtime_ns) for path, status in found}


def difference(section: Section) -> str:
    """A unified diff from the section to what comes out now, empty if they are the same."""
    name = f"{section.family}, section {section.name}"
    lines = difflib.unified_diff(section.text.splitlines(), run(section).splitlines(), name, name, lineterm="")
    return "\n".join(lines)
