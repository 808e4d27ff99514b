"""Writing a V2 checkpoint: sidecars with the file actions, then a small file that names them and makes them count.

Sidecars of a writer that died in between are found by the clean-up. Source: Delta protocol, V2 Spec Checkpoints.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal

import pyarrow as pa

from deltasql.log.actions.actions import Json
from deltasql.log.actions.file_tables import regrouped
from deltasql.log.replay.checkpoint import Checkpoint
from deltasql.log.replay.log_segment import CheckpointFiles, LastCheckpoint, V2Hint
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import LOG, checkpoint_path
from deltasql.log.storage.log_store import LogStore
from deltasql.log.upkeep.checkpoint_rows import (
    add_rows,
    encode_parquet,
    remove_rows,
    sidecar_schema,
    top_level_schema,
)

TopLevel = Literal["json", "parquet"]

_SIDECAR_ROWS = 200_000
# The hint repeats what is in the checkpoint only while it stays small.
_MOST_IN_HINT = 30


@dataclass(frozen=True, slots=True)
class CheckpointRows:
    """The file actions of a checkpoint: live files as `file_tables.ADD` without `dataChange`, tombstones as REMOVE.

    `adds` can be gone through once, and has `files` rows in all: those of millions of files are never there at once.
    """

    adds: Iterable[pa.Table]
    files: int
    removes: pa.Table

    @property
    def count(self) -> int:
        return int(self.files + self.removes.num_rows)

    def pieces(self, rows: int) -> Iterator[CheckpointRows]:
        """The actions in pieces of `rows` at most, in order; no piece for no actions."""
        done = 0
        for adds in regrouped(self.adds, rows):
            # The last piece is filled up with tombstones.
            removes = self.removes.slice(0, rows - adds.num_rows)
            done = removes.num_rows
            yield CheckpointRows([adds], adds.num_rows, removes)
        for start in range(done, self.removes.num_rows, rows):
            yield CheckpointRows((), 0, self.removes.slice(start, rows))


def write_v2(
    store: LogStore, snapshot: Snapshot, small: list[Json], rows: CheckpointRows, top_level: TopLevel
) -> LastCheckpoint:
    """Writes a V2 checkpoint and gives the hint to it. Raises the errors of the store."""
    sidecars = _write_sidecars(store, snapshot, rows)
    bytes_of_sidecars = sum(item["sizeInBytes"] for item in sidecars)
    tags = {
        "sidecarNumActions": str(rows.count),
        "sidecarSizeInBytes": str(bytes_of_sidecars),
        "numOfAddFiles": str(rows.files),
    }
    actions = [{"checkpointMetadata": {"version": snapshot.version, "tags": tags}}, *small]
    lines = [*actions, *({"sidecar": item} for item in sidecars)]
    data = _as_json(lines) if top_level == "json" else _as_parquet(lines)
    name = f"{snapshot.version:020d}.checkpoint.{uuid.uuid4()}.{top_level}"
    store.put_if_absent(f"{LOG}/{name}", data)
    return LastCheckpoint(
        snapshot.version,
        len(lines) + rows.count,
        size_in_bytes=len(data) + bytes_of_sidecars,
        files=rows.files,
        v2=V2Hint(
            name,
            len(data),
            store.head(f"{LOG}/{name}").modified,
            tuple(actions) if len(actions) <= _MOST_IN_HINT else None,
            tuple(sidecars) if len(sidecars) <= _MOST_IN_HINT else None,
        ),
    )


def write_classic_copy(store: LogStore, table: str, files: CheckpointFiles) -> bool:
    """Writes the top level of a V2 checkpoint under a classic name; False if there is one.

    A reader that knows no V2 checkpoints finds the protocol in it, and says what it lacks; without it, it would take
    a log whose first commits are gone for none. Raises InvalidCheckpointError and the errors of the store.
    """
    (path,) = files.paths
    if path.endswith(".parquet"):
        return store.put_if_absent(checkpoint_path(files.version), store.read(path))
    kinds = top_level_schema().names
    checkpoint = Checkpoint(store, table, files)
    lines = [{kind: action} for kind in kinds for action in checkpoint.actions(kind)]
    return store.put_if_absent(checkpoint_path(files.version), _as_parquet(lines))


def _write_sidecars(store: LogStore, snapshot: Snapshot, rows: CheckpointRows) -> list[Json]:
    """The sidecar actions, in the order of their files' actions."""
    write = partial(_write_sidecar, store, snapshot, parts=-(-rows.count // _SIDECAR_ROWS))
    # Arrow works without the interpreter's lock, and so does a remote storage.
    threads = min(4, os.cpu_count() or 1)
    written, waiting = list[Json](), deque[Future[Json]]()
    with ThreadPoolExecutor(threads) as pool:
        for part, piece in enumerate(rows.pieces(_SIDECAR_ROWS), start=1):
            # No more is read than is being written, so that memory has bounds.
            if len(waiting) == threads:
                written.append(waiting.popleft().result())
            waiting.append(pool.submit(write, part, piece))
        return [*written, *(item.result() for item in waiting)]


def _write_sidecar(store: LogStore, snapshot: Snapshot, part: int, rows: CheckpointRows, parts: int) -> Json:
    schema = sidecar_schema(snapshot.metadata)

    def tables() -> Iterator[pa.Table]:
        yield from add_rows(rows.adds, snapshot.metadata, schema)
        yield from remove_rows(rows.removes, schema)

    name = f"{snapshot.version:020d}.checkpoint.{part:010d}.{parts:010d}.{uuid.uuid4()}.parquet"
    path = f"{LOG}/_sidecars/{name}"
    data = encode_parquet(schema, tables())
    store.put_if_absent(path, data)
    return {"path": name, "sizeInBytes": len(data), "modificationTime": store.head(path).modified}


def _as_json(lines: list[Json]) -> bytes:
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()


def _as_parquet(lines: list[Json]) -> bytes:
    schema = top_level_schema()
    return encode_parquet(schema, iter([pa.Table.from_pylist(lines, schema=schema)]))
