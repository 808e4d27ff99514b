"""The page of all statements of the reference: `python -m docs.site.statement_index` makes it from the data file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
DATA = HERE / "statement_index.json"
PAGE = HERE.parent / "databricks-statements.md"

_HEAD = """# Statements of Databricks

All statements of the index of the SQL reference, and what becomes of them. One that *runs* has the effect that the
reference describes. One that is *recorded* is stored in the catalog, and nothing else follows. One that is *refused*
ends in an error that says what to write in its place.
"""


class Row(NamedTuple):
    """A statement: `state` is runs, recorded or refused, `golden` a file below tests/golden, or an example."""

    group: str
    statement: str
    state: str
    golden: str


def rows() -> list[Row]:
    document = json.loads(DATA.read_text(encoding="utf-8"))
    return [
        Row(group, statement, state, golden)
        for group, entries in document.items()
        for statement, state, golden in entries
    ]


def page() -> str:
    """The text of the page."""
    lines, group = [_HEAD], ""
    for row in rows():
        if row.group != group:
            group = row.group
            lines += [f"\n## {group}\n", "| statement | state |", "|---|---|"]
        state = row.state if row.state == "refused" else f"{row.state}: `tests/golden/{row.golden}.sql`"
        lines.append(f"| `{row.statement}` | {state} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
