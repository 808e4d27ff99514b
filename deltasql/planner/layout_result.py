"""The result of OPTIMIZE and REORG: one row of metrics. Its columns are Delta's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deltasql.schema.types import BOOLEAN, DOUBLE, LONG, STRING, DataType, StructField, StructType


def _struct(**columns: DataType) -> StructType:
    return StructType(tuple(StructField(name, kind, isinstance(kind, StructType)) for name, kind in columns.items()))


def _nullable(*names: str) -> StructType:
    return StructType(tuple(StructField(name, LONG) for name in names))


_SIZES = StructType((*_nullable("min", "max"), *_struct(avg=DOUBLE, totalFiles=LONG, totalSize=LONG)))
_CUBES, _ZORDERED = _struct(numFiles=LONG, size=LONG), _struct(num=LONG, size=LONG)
METRICS = _struct(
    numFilesAdded=LONG,
    numFilesRemoved=LONG,
    filesAdded=_SIZES,
    filesRemoved=_SIZES,
    partitionsOptimized=LONG,
    zOrderStats=StructType(
        (
            StructField("strategyName", STRING),
            *_struct(
                inputCubeFiles=_ZORDERED,
                inputOtherFiles=_ZORDERED,
                inputNumCubes=LONG,
                mergedFiles=_ZORDERED,
                numOutputCubes=LONG,
            ),
            StructField("mergedNumCubes", LONG),
        )
    ),
    clusteringStats=_struct(
        inputZCubeFiles=_CUBES,
        inputOtherFiles=_CUBES,
        inputNumZCubes=LONG,
        mergedFiles=_CUBES,
        numOutputZCubes=LONG,
    ),
    numBins=LONG,
    numBatches=LONG,
    totalConsideredFiles=LONG,
    totalFilesSkipped=LONG,
    preserveInsertionOrder=BOOLEAN,
    numFilesSkippedToReduceWriteAmplification=LONG,
    numBytesSkippedToReduceWriteAmplification=LONG,
    startTimeMs=LONG,
    endTimeMs=LONG,
    totalClusterParallelism=LONG,
    totalScheduledTasks=LONG,
    autoCompactParallelismStats=_nullable(
        "maxClusterActiveParallelism",
        "minClusterActiveParallelism",
        "maxSessionActiveParallelism",
        "minSessionActiveParallelism",
    ),
    deletionVectorStats=_struct(numDeletionVectorsRemoved=LONG, numDeletionVectorRowsRemoved=LONG),
    numTableColumns=LONG,
    numTableColumnsWithStats=LONG,
)
OPTIMIZED = StructType((StructField("path", STRING), StructField("metrics", METRICS)))


@dataclass(frozen=True, slots=True)
class Cubes:
    """(number, bytes) of clustered `files`, and of the `others`. `number` counts the cubes."""

    files: tuple[int, int]
    others: tuple[int, int]
    number: int


@dataclass(frozen=True, slots=True)
class LayoutInput:
    """Files considered by OPTIMIZE: number and bytes. `columns` is (columns of the table, columns with statistics)."""

    files: int
    bytes: int
    columns: tuple[int, int]
    started_ms: int
    zorder: bool = False
    cubes: Cubes | None = None


@dataclass(frozen=True, slots=True)
class LayoutOutcome:
    """The outcome: sizes of files added and removed, numbers of bins and partitions, (deletion vectors, their rows)."""

    added: Sequence[int] = ()
    removed: Sequence[int] = ()
    bins: int = 0
    partitions: int = 0
    vectors: tuple[int, int] = (0, 0)
    tasks: int = 0
    ended_ms: int = 0


def layout_row(uri: str, considered: LayoutInput, done: LayoutOutcome) -> tuple[Any, ...]:
    """The result row, with the columns of OPTIMIZED."""
    merged = (len(done.removed), sum(done.removed))
    metrics = (
        len(done.added),
        len(done.removed),
        _distribution(done.added),
        _distribution(done.removed),
        done.partitions,
        _zordered(considered, merged, done.bins) if considered.zorder else None,
        None if considered.cubes is None else _clustering(considered.cubes, merged, done.bins),
        done.bins,
        1,
        considered.files,
        considered.files - len(done.removed),
        not considered.zorder and considered.cubes is None,
        0,
        0,
        considered.started_ms,
        done.ended_ms or considered.started_ms,
        0,
        done.tasks,
        None,
        done.vectors if done.vectors[0] else None,
        *considered.columns,
    )
    return uri, metrics


def layout_metrics(done: LayoutOutcome) -> dict[str, int]:
    """The metrics of the commit of an OPTIMIZE, under the names that the history has: files, bytes, percentiles."""
    sizes = sorted(done.added)

    def share(part: float) -> int:
        return sizes[min(int(len(sizes) * part), len(sizes) - 1)] if sizes else 0

    return {
        "numAddedFiles": len(sizes),
        "numAddedBytes": sum(sizes),
        "numRemovedFiles": len(done.removed),
        "numRemovedBytes": sum(done.removed),
        "numDeletionVectorsRemoved": done.vectors[0],
        "minFileSize": share(0),
        "p25FileSize": share(0.25),
        "p50FileSize": share(0.5),
        "p75FileSize": share(0.75),
        "maxFileSize": share(1),
    }


def _distribution(sizes: Sequence[int]) -> tuple[Any, ...]:
    if not sizes:
        return None, None, 0.0, 0, 0
    return min(sizes), max(sizes), sum(sizes) / len(sizes), len(sizes), sum(sizes)


def _zordered(considered: LayoutInput, merged: tuple[int, int], bins: int) -> tuple[Any, ...]:
    return "all", (0, 0), (considered.files, considered.bytes), 0, merged, bins, None


def _clustering(cubes: Cubes, merged: tuple[int, int], bins: int) -> tuple[Any, ...]:
    return cubes.files, cubes.others, cubes.number, merged, bins
