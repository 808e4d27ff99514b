"""The tables that scenarios begin with: built once, then copied."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from deltasql import Session


@dataclass(frozen=True, slots=True)
class Kind:
    """A table of BASE_ROWS: `files` are the bounds of ids in its files, `columns` are some that no statement writes."""

    partitioned: str = ""
    vectors: bool = True
    row_ids: bool = False
    clustered: bool = False
    files: tuple[int, ...] = (0, 10, 20)
    columns: tuple[tuple[str, str], ...] = ()


# Each partition has two files, so that there is something to join; 5 and 6 are in one of them.
HALVES = (0, 7, 10, 17, 20)

KINDS = {
    "R": Kind(),
    "Rr": Kind(row_ids=True),
    "Rc": Kind(clustered=True),
    "Rs": Kind(columns=(("s STRUCT<f: INT>", "named_struct('f', CAST(id AS INT))"),)),
    "U": Kind(vectors=False),
    "P": Kind("p", vectors=False, files=HALVES),
    "PQ": Kind("p, q", vectors=False, columns=(("q INT", "CAST(id % 5 AS INT)"),)),
    "PD": Kind("p", files=HALVES),
    "PDr": Kind("p", row_ids=True, files=HALVES),
}
"""R: told apart by rows; r: row ids, c: clustered, s: a struct. U, P: rewritten files. PD: vectors, but not by rows."""


@dataclass(slots=True)
class Tables:
    """Copies of the tables, which are built below `place` when they are first asked for."""

    session: Session
    place: Path
    _copies: int = 0
    _built: dict[tuple[str, str], Path] = field(default_factory=dict)

    def copy(self, kind: str, level: str) -> Path:
        """A table of its own of this kind, with this isolation level."""
        self._copies += 1
        copy = self.place / f"copy {self._copies}"
        shutil.copytree(self._at_level(kind, level), copy)
        return copy

    def drop(self, copy: Path) -> None:
        shutil.rmtree(copy)

    def other(self) -> Path:
        """A table of one row, k = 6, that scenarios only read."""
        if ("other", "") not in self._built:
            path = self._built["other", ""] = self.place / "other"
            self.session.sql(f"CREATE TABLE delta.`{path}` AS SELECT 6 AS k")
        return self._built["other", ""]

    def _at_level(self, kind: str, level: str) -> Path:
        if (kind, level) not in self._built:
            path = self.place / f"{kind}-{level}"
            shutil.copytree(self._base(kind), path)
            self.session.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.isolationLevel' = '{level}')")
            self._built[kind, level] = path
        return self._built[kind, level]

    def _base(self, name: str) -> Path:
        if (name, "") not in self._built:
            path = self._built[name, ""] = self.place / name
            kind, table = KINDS[name], f"delta.`{path}`"
            columns = ", ".join(["id INT", "v INT", "p INT", *(column for column, _ in kind.columns)])
            properties = {"delta.enableDeletionVectors": kind.vectors, "delta.enableRowTracking": kind.row_ids}
            listed = ", ".join(f"'{key}' = '{str(value).lower()}'" for key, value in properties.items())
            by = f"PARTITIONED BY ({kind.partitioned})" if kind.partitioned else "CLUSTER BY (id)" * kind.clustered
            self.session.sql(f"CREATE TABLE {table} ({columns}) {by} TBLPROPERTIES ({listed})")
            own = [f"CAST({text} AS INT)" for text in ("id", "id", "id DIV 10")]
            values = ", ".join([*own, *(value for _, value in kind.columns)])
            for start, end in zip(kind.files, kind.files[1:], strict=False):
                self.session.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ {values} FROM range({start}, {end})")
        return self._built[name, ""]
