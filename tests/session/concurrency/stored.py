"""What a table holds, read from its files without the engine, and what must be true of any table meanwhile."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder

from deltasql.log.actions.deletion_vectors import rows_marked_in, vector_path
from deltasql.log.configuration.row_ids import row_id_columns
from deltasql.log.replay.snapshot import DeltaLog


class StoredRow(NamedTuple):
    """`row_id` is None in a table that does not track rows."""

    id: int
    v: int
    p: int | None
    row_id: int | None


@dataclass(frozen=True, slots=True)
class Stored:
    """The rows, and the commits by operation, oldest first."""

    rows: tuple[StoredRow, ...]
    operations: tuple[str, ...]
    files: tuple[Mapping[str, Any], ...]

    @property
    def marked(self) -> list[int]:
        """How many rows each deletion vector marks, sorted."""
        return sorted(file["deletionVector"]["cardinality"] for file in self.files if file["deletionVector"])


_COLUMNS = ("path", "partitionValues", "stats", "deletionVector", "baseRowId", "defaultRowCommitVersion")


def stored(path: Path) -> Stored:
    """The table as a process reads it that has not seen it before; checks it on the way."""
    log = DeltaLog(str(path))
    snapshot = log.snapshot()
    files = [dict(row) for row in snapshot.live_adds(_COLUMNS).to_pylist()]
    paths = [unquote(file["path"]) for file in files]
    assert len(set(paths)) == len(paths), "a file is there twice"
    ids = row_id_columns(snapshot.protocol, snapshot.metadata)
    rows = [row for file in files for row in _rows(log, path, file, None if ids is None else ids.row_id)]
    if ids is not None:
        numbers = [row.row_id for row in rows]
        assert None not in numbers, "a row has no id"
        assert len(set(numbers)) == len(numbers), "two rows have one id"
        assert all(file["defaultRowCommitVersion"] <= snapshot.version for file in files)
    assert not _unknown_files(path), "files were left behind"
    versions = [entry.version for entry in reversed(log.history())]
    assert versions == list(range(snapshot.version + 1))
    return Stored(tuple(rows), tuple(entry.info["operation"] for entry in reversed(log.history())), tuple(files))


def _unknown_files(path: Path) -> set[str]:
    """The files below a table that no commit has ever named. Hidden ones are checksums of the local file system."""
    known: set[str] = set()
    for commit in (path / "_delta_log").glob("*.json"):
        actions = [next(iter(json.loads(line).values())) for line in commit.read_text().splitlines()]
        known.update(unquote(action["path"]) for action in actions if "path" in action)
        vectors = [vector for action in actions if (vector := action.get("deletionVector"))]
        known.update(vector_path(vector["pathOrInlineDv"]) for vector in vectors)
    found = (file.relative_to(path) for file in path.rglob("*") if file.is_file())
    return {str(file) for file in found if file.parts[0] != "_delta_log" and not file.name.startswith(".")} - known


def _rows(log: DeltaLog, path: Path, file: Mapping[str, Any], row_ids: str | None) -> list[StoredRow]:
    data = pq.ParquetFile(path / unquote(file["path"])).read()
    rows, statistics = data.num_rows, json.loads(file["stats"])
    assert statistics["numRecords"] == rows
    # It holds the vector's checksum, size and cardinality against the log.
    deleted = rows_marked_in(log.store, file)
    assert len(deleted) < rows, "a file without rows is still there"
    assert all(deleted < rows), "a vector marks rows that there are not"
    assert not len(deleted) or statistics.get("tightBounds") is False
    columns = {name: data[name].to_pylist() for name in ("id", "v")}
    partition = dict(file["partitionValues"])
    own = None if partition.get("p") is None else int(partition["p"])
    columns["p"] = [own] * rows if "p" in partition else data["p"].to_pylist()
    columns["row_id"] = _ids(data, file["baseRowId"], row_ids)
    kept = np.setdiff1d(np.arange(rows), deleted.astype(np.int64))
    return [StoredRow(**{name: values[place] for name, values in columns.items()}) for place in kept.tolist()]


def _ids(data: pa.Table, base: int | None, column: str | None) -> list[int | None]:
    """Ids that are stored, and from the file's first one on where there are none. Delta protocol, Row Tracking."""
    if column is None:
        return [None] * data.num_rows
    stored_ids = data[column].to_pylist() if column in data.column_names else [None] * data.num_rows
    assert base is not None
    return [base + place if own is None else own for place, own in enumerate(stored_ids)]


def rows_of_delta_rs(path: Path) -> list[tuple[Any, ...]]:
    """What another engine reads: delta-rs, by its own log and Parquet code."""
    rows = QueryBuilder().register("t", DeltaTable(str(path))).execute("SELECT id, v, p FROM t").read_all()
    return sorted((tuple(row.values()) for row in pa.table(rows).to_pylist()), key=str)
