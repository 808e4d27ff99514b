"""Steps of a file rewrite common to in-process evaluation and engine: its input files, and its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from deltasql.base.lazy import pa, pc
from deltasql.engines.rewriting.positions import Positions
from deltasql.engines.rewriting.stored_rows import StoredRows, partition_folder, partition_values
from deltasql.files.facts import SessionFacts
from deltasql.files.reading.pieces import count_live_rows
from deltasql.files.stage import FileStage
from deltasql.files.staged import Staged
from deltasql.files.thresholds import CHANGED_PART, CHANGED_ROWS, FEW_CHANGED_ROWS
from deltasql.files.writing.successors import RewrittenFile
from deltasql.log.skipping.pruning import prune
from deltasql.log.storage.locations import decode_path
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import EqualKey, Rewrite, RowEffect, Scan
from deltasql.planner.door import RewriteOutcome
from deltasql.schema.text import sql_literal
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructType


def candidates(target: Scan, alias: str, key_ranges: Iterable[tuple[EqualKey, Any, Any]]) -> Scan:
    """`target`, aliased as `alias`, without the files whose statistics exclude all ranges (key, least, greatest)."""
    usable = [(key.target, low, high) for key, low, high in key_ranges if _comparable(key.type, low)]
    if not usable or target.files.num_rows == 0:
        return target
    predicate = " AND ".join(
        f"{key} >= {sql_literal(low)} AND {key} <= {sql_literal(high)}" for key, low, high in usable
    )
    files = prune(target.files, predicate, target.schema, target.partition_columns, alias)
    return replace(target, files=files)


def _comparable(kind: DataType | None, value: Any) -> bool:
    """Whether a column's min/max bounds compare with a key's value directly, without Spark's casts."""
    match kind:
        case PrimitiveType("string"):
            return type(value) is str
        case PrimitiveType("byte" | "short" | "integer" | "long"):
            return type(value) is int
        case PrimitiveType("date"):
            return type(value) is date
        case DecimalType():
            return type(value) is Decimal
        case _:
            return False


def same_columns(output: StructType, columns: StructType) -> bool:
    """Whether output and target have the same column names and types, so that unchanged rows are copied as they are."""
    return [(item.name, item.type) for item in output] == [(item.name, item.type) for item in columns]


def most_changed(stores: Stores, files: pa.Table) -> float:
    """The maximum number of changed rows in `files` for which this process does the file rewrite."""
    return min(CHANGED_ROWS, max(FEW_CHANGED_ROWS, CHANGED_PART * count_live_rows(stores, files)))


def changed_columns(operator: Rewrite) -> Iterator[str]:
    """Names of the columns that an update sets."""
    updates = [action.values for action in operator.actions if action.effect is RowEffect.UPDATE]
    for index, (field, keep) in enumerate(zip(operator.output, operator.unchanged, strict=True)):
        if any(values[index] != keep for values in updates):
            yield field.name


def rewritten_files(
    session: SessionFacts, operator: Rewrite, stage: FileStage, changed: Positions, files: pa.Table
) -> list[RewrittenFile]:
    """The target's files that contain rows of `changed`, for `Stage.succeed`. Raises what `StoredRows` raises."""
    paths = files.column("location").to_pylist()
    stored = StoredRows(session, operator.target, operator.output, paths)
    by_path = {decode_path(uri): (uri, positions) for uri, positions in changed.rows.items()}
    values = partition_values(operator.output, operator.target.partition_columns, files)
    described = zip(files.column("stats").to_pylist(), files.column("size").to_pylist(), strict=True)

    def rewritten(path: str, partition: dict[str, str | None], item: tuple[str | None, int]) -> RewrittenFile:
        statistics, size = item
        uri, positions = by_path[path]
        opened = partial(stored.opened, path, statistics, spliceable=stage.may_splice)
        folder = partition_folder(path, partition)
        return RewrittenFile(uri, partition, folder, size, positions.astype("int64"), opened)

    return [rewritten(*item) for item in zip(paths, values, described, strict=True)]


def marked(operator: Rewrite, done: RewriteOutcome, changed: Positions) -> RewriteOutcome:
    """`done` with the rows of `changed` as deletion vectors: no file of the target is replaced."""
    files = subset(operator, changed.rows)
    paths = dict(zip(files.column("location").to_pylist(), files.column("path").to_pylist(), strict=True))
    rows = {paths[decode_path(uri)]: indexes for uri, indexes in changed.rows.items()}
    return replace(done, copied=0, marked=rows)


def subset(operator: Rewrite, uris: Iterable[str]) -> pa.Table:
    """The entries of the target's file list for some file URIs (spelled as Spark does)."""
    files = operator.target.files
    paths = pa.array([decode_path(uri) for uri in uris], pa.string())
    return files.filter(pc.is_in(files.column("location"), paths))


def outcome(
    operator: Rewrite, staged: Staged, removed: pa.Table | None, per_action: tuple[int, ...], source_rows: int
) -> RewriteOutcome:
    """Outcome of a copy-on-write rewrite: `staged` files replace those of the list `removed`."""
    pairs = zip(operator.actions, per_action, strict=True)
    changed = sum(count for action, count in pairs if action.effect is not RowEffect.DELETE)
    paths = () if removed is None else tuple(removed.column("path").to_pylist())
    return RewriteOutcome(staged, paths, per_action, staged.rows - changed, source_rows)
