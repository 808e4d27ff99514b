"""The log of a small table, out of the commits of a real session: actions and files of each version."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import deltasql
from benchmarks.svg import GOOD, GRID, INK, PALE, box, line, picture, text

NAME = "log.svg"
STATEMENTS = (
    "CREATE TABLE stock (id INT, pieces INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
    "INSERT INTO stock VALUES (1, 10), (2, 20)",
    "UPDATE stock SET pieces = 9 WHERE id = 1",
    "DELETE FROM stock WHERE id = 2",
)


def draw() -> str:
    """A row for each version: the statement, the file of the log, and its actions."""
    parts = [text(20, 28, "A table is its data files and a log of commits", size=15, weight="bold")]
    names: dict[str, str] = {}
    y = 48
    for version, (statement, actions) in enumerate(zip(STATEMENTS, _commits(), strict=True)):
        told = list(_told(actions, names))
        height = 52 + 18 * len(told)
        parts += [
            box(20, y, 860, height - 12, fill="#f6f8fa", border=GRID, round_by=6),
            text(34, y + 22, f"_delta_log/…{version:02}.json", size=12, weight="bold"),
            text(210, y + 22, statement.partition(" TBLPROPERTIES")[0], size=12, colour=GOOD),
        ]
        parts += [
            part
            for place, (kind, words) in enumerate(told)
            for part in (
                text(34, y + 44 + 18 * place, kind, size=12, colour=INK),
                text(130, y + 44 + 18 * place, words, size=12, colour=PALE),
            )
        ]
        y += height
    parts.append(line(20, y, 880, y, GRID))
    files = f"{', '.join(names.values())}: data files, part-00000-….snappy.parquet"
    parts.append(text(20, y + 20, files, size=11, colour=PALE))
    return picture(900, y + 34, parts, title="The log of a table: the commits of four statements and their actions")


def _commits() -> list[list[dict[str, Any]]]:
    """The actions of the commits of STATEMENTS, in a new warehouse."""
    with tempfile.TemporaryDirectory() as folder:
        with deltasql.connect(folder) as session:
            session.sql("SET deltasql.compute = AUTO")
            for statement in STATEMENTS:
                session.sql(statement).collect()
        logs = sorted(Path(folder, "stock", "_delta_log").glob("*.json"))
        return [[json.loads(entry) for entry in log.read_text(encoding="utf-8").splitlines()] for log in logs]


def _told(actions: list[dict[str, Any]], names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The kind of each action, and a line on it. Files get the names f1, f2 … in the order of their first mention."""
    for action in actions:
        ((kind, fields),) = action.items()
        if kind in {"add", "remove"}:
            yield kind, _file(fields, names)
        elif kind == "metaData":
            columns = json.loads(fields["schemaString"])["fields"]
            yield kind, "columns " + ", ".join(f"{column['name']} {column['type']}" for column in columns)
        elif kind == "protocol":
            yield kind, f"reader {fields['minReaderVersion']}, writer {fields['minWriterVersion']}: deletionVectors"
        elif kind == "commitInfo":
            yield kind, f"operation {fields['operation']}, isolation level {fields['isolationLevel']}"


def _file(fields: Mapping[str, Any], names: dict[str, str]) -> str:
    name = names.setdefault(fields["path"], f"f{len(names) + 1}")
    statistics = json.loads(fields.get("stats") or "{}")
    vector = fields.get("deletionVector")
    rows = statistics.get("numRecords", 0)
    counted = f"{rows} row{'' if rows == 1 else 's'}"
    return f"{name}, {counted}" + (f", a deletion vector marks {vector['cardinality']} of them" if vector else "")
