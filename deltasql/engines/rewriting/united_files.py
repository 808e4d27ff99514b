"""Compaction: the files of a bin become one, with rows unchanged and in order, by Arrow in this process."""

from __future__ import annotations

from functools import partial

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import pa, pc
from deltasql.engines.choice import evaluated_in_process
from deltasql.engines.rewriting.stored_rows import StoredRows, are_copyable, partition_values
from deltasql.files.facts import SessionFacts
from deltasql.files.memory import memory_limit
from deltasql.files.stage import FileStage
from deltasql.files.staged import Staged
from deltasql.files.thresholds import UNPACKED
from deltasql.files.writing.successors import CompactionGroup
from deltasql.plan.operators import Rearrange
from deltasql.schema.types import StructType


def unite_in_process(session: SessionFacts, operator: Rearrange, stage: FileStage) -> Staged:
    """Stages the united files without an engine. Raises LeftToEngineError, with nothing staged, where one is needed.

    Raises what `united` raises.
    """
    session.require_computing()
    if operator.curve is not None or operator.stores_partitions:
        raise LeftToEngineError("rows are sorted by several columns, or partition values are stored with them")
    sizes, location = bin_sizes(operator), operator.target.table.location
    if not are_copyable(operator.target, stage, sizes, most_bytes(session)):
        raise LeftToEngineError("only the engine copies such columns, or files of this size")
    if not evaluated_in_process(session, location, pc.sum(sizes).as_py() or 0):
        raise LeftToEngineError("the engine's executors move the files")
    try:
        return united(session, operator, stage)
    except LeftToEngineError:
        stage.discard()
        raise


def united(session: SessionFacts, operator: Rearrange, stage: FileStage) -> Staged:
    """Stages one file for each bin; its `origin` is the bin's number.

    Raises LeftToEngineError for dates of another calendar, DataFileNotFoundError, UnreadableDataFileError, and
    StorageError.
    """
    target, schema = operator.target, data_schema(operator)
    paths = target.files.column("location").to_pylist()
    stored = StoredRows(session, target, schema, paths)
    members: dict[int, list[int]] = {}
    for row, number in enumerate(operator.bins.to_pylist()):
        members.setdefault(number, []).append(row)
    values = partition_values(target.schema, target.partition_columns, target.files)
    bins = [
        CompactionGroup(str(number), values[rows[0]], size, partial(stored.pieces, [paths[row] for row in rows]))
        for (number, rows), size in zip(members.items(), bin_sizes(operator).to_pylist(), strict=True)
    ]
    return stage.unite(bins, schema)


def data_schema(operator: Rearrange) -> StructType:
    """The data columns; partition columns are left out, since partition values stay in the log, spelled as there."""
    partitions = {name.lower() for name in operator.target.partition_columns}
    return StructType(tuple(field for field in operator.target.schema if field.name.lower() not in partitions))


def bin_sizes(operator: Rearrange) -> pa.ChunkedArray:
    """Total bytes of the files of each bin."""
    sizes = pa.table({"bin": operator.bins, "size": operator.target.files.column("size")})
    return sizes.group_by("bin").aggregate([("size", "sum")]).column("size_sum")


def bin_numbers(operator: Rearrange) -> tuple[int, ...]:
    """The numbers of the bins, each of which becomes one file."""
    return tuple(range(operator.bins[-1].as_py() + 1))


def most_bytes(session: SessionFacts) -> int:
    """How big a united file may be: it is in memory as its row groups, and once more as a whole."""
    return memory_limit(session) // UNPACKED
