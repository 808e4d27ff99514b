"""Data files that lose some of their rows, copied by Arrow: what stays is not computed anew, and no engine sees it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deltasql.engine.reading.driver_rows import awaited, working
from deltasql.engine.writing.driver_files import HeldFile, TableFiles
from deltasql.engine.writing.row_writers import place
from deltasql.engine.writing.spliced_files import NotSplicedError
from deltasql.engine.writing.staged_files import CHANGE_DATA, ORIGIN, WrittenFile
from deltasql.log.storage.log_store import LogStore
from deltasql.plan.hidden import IS_CHANGE, ROW_INDEX
from deltasql.schema.checks import CHANGE_TYPE
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

_THREADS = max(2, min(8, os.cpu_count() or 2))
"""So many files are in memory at once."""


@dataclass(frozen=True, slots=True)
class KeptRows:
    """A data file of which some rows stay: `read` gives its live rows as files hold them, and which of them go.

    These are sorted numbers of rows. `origin` is the file's URI, which rows that come in place of others have for
    ORIGIN; `partition_values` are as in the log, by physical name. Or all rows of some files that become one, which is
    called by its `origin`. Of one with `columns` the others need not be decoded, where every row stays in its place.
    """

    origin: str
    partition_values: Mapping[str, str | None]
    read: Callable[[], tuple[pa.Table, np.ndarray[Any, Any]]]
    columns: ReadColumns | None = None


@dataclass(frozen=True, slots=True)
class ReadColumns:
    """A data file without a deletion vector: `read` gives the whole file, and its columns of some physical names as
    files hold them. `gone` are the sorted numbers of the rows that go, or get an image.
    """

    gone: np.ndarray[Any, Any]
    read: Callable[[Collection[str]], tuple[HeldFile, pa.Table]]


@dataclass(frozen=True, slots=True)
class Copied:
    """What was written: successors of files, files that succeed none, and those of the change feed."""

    successors: Sequence[tuple[KeptRows, WrittenFile]]
    others: Sequence[WrittenFile]
    feed: Sequence[WrittenFile]


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows by the values of ORIGIN, of IS_CHANGE where there is a change feed, and of the partition columns.

    Besides the columns of files they have ROW_INDEX, the position of the row that they are the new image of (NULL:
    none). `changed` are the columns in which a row may differ from what it was, by physical name.
    """

    parts: Sequence[tuple[Mapping[str, str | None], pa.Table]]
    changed: Collection[str]


def copy_kept(
    store: LogStore,
    kept: Sequence[KeptRows],
    new: NewRows,
    directory: str,
    schema: StructType,
    *,
    one_each: bool = False,
) -> Copied:
    """Writes the rows that stay, and new ones, below a directory of the table, whose columns are `schema`.

    What was a row of a file and stays in its partition goes into the successor of that file, and to its old place where
    no row of the file is deleted. Each has one successor with `one_each`, or more where its rows are many. Ctrl-C waits
    for no file.
    """
    images, others = _sorted(kept, new, directory)
    files = TableFiles(store, schema, in_partitions=any(item.partition_values for item in kept))

    def succeed(number: int, item: KeptRows) -> list[WrittenFile]:
        folder = f"{directory}/{ORIGIN}={item.origin}" if one_each else place(directory, item.partition_values)
        found = _in_order(images[item.origin])
        if item.columns is not None and found is not None and found.num_rows == len(item.columns.gone):
            with suppress(NotSplicedError):
                file, columns = item.columns.read(new.changed)
                columns = _with_images(columns, item.columns.gone, found, new.changed)
                return [files.write_spliced(number, folder, file, columns)]
        table = _successor(*item.read(), found, new.changed)
        return [files.write(number, folder, table)] if one_each else files.write_all(number, folder, table)

    def write(number: int, folder: str, tables: Sequence[pa.Table]) -> list[WrittenFile]:
        return files.write_all(number, folder, _joined(tables))

    with working(len(kept) + len(others), _THREADS) as threads:
        copies = [threads.submit(succeed, number, item) for number, item in enumerate(kept)]
        more = [threads.submit(write, number, *own) for number, own in enumerate(others.items(), start=len(kept))]
        successors = [(item, file) for item, future in zip(kept, copies, strict=True) for file in awaited(future)]
        written = [file for future in more for file in awaited(future)]
    feed = [file for file in written if file.path.parts[0] == CHANGE_DATA]
    return Copied(successors, [file for file in written if file not in feed], feed)


def _sorted(
    kept: Sequence[KeptRows], new: NewRows, directory: str
) -> tuple[dict[str, list[pa.Table]], dict[str, list[pa.Table]]]:
    """The rows that go into the successor of each file, by its URI, and all others by their directory."""
    images: dict[str, list[pa.Table]] = {item.origin: [] for item in kept}
    partitions = {item.origin: item.partition_values for item in kept}
    others: dict[str, list[pa.Table]] = {}
    for values, table in new.parts:
        origin, is_change = values[ORIGIN], values.get(IS_CHANGE) == "true"
        if not is_change and origin is not None and partitions.get(origin) == _without(values, ORIGIN, IS_CHANGE):
            images[origin].append(table)
        else:
            ours = {ROW_INDEX} if is_change else {ROW_INDEX, CHANGE_TYPE}
            stored = table.drop_columns([name for name in table.column_names if name in ours])
            others.setdefault(place(directory, _without(values, ORIGIN)), []).append(stored)
    return images, others


def _without(values: Mapping[str, str | None], *names: str) -> dict[str, str | None]:
    return {name: value for name, value in values.items() if name not in names}


def _successor(
    rows: pa.Table, gone: np.ndarray[Any, Any], images: pa.Table | None, changed: Collection[str]
) -> pa.Table:
    """`rows` without those that go, and with the images of some: at their places, where each has one."""
    import numpy as np
    import pyarrow as pa

    if images is None and not len(gone):
        return rows
    if images is not None and images.num_rows == len(gone):
        return _with_images(rows, gone, images, changed)
    stays = np.full(rows.num_rows, True)
    stays[gone] = False
    left = rows.filter(pa.array(stays))
    return left if images is None else _joined([left, images.select(rows.column_names)])


def _in_order(images: Sequence[pa.Table]) -> pa.Table | None:
    """All images by the places that they go to; None where there are none."""
    import pyarrow.compute as pc

    if not images:
        return None
    found = _joined(images)
    return found.take(pc.sort_indices(found.column(ROW_INDEX)))


def _with_images(rows: pa.Table, places: np.ndarray[Any, Any], images: pa.Table, changed: Collection[str]) -> pa.Table:
    """`rows` with one image each at some places, which are sorted; other columns than `changed` stay as they are."""
    import pyarrow as pa

    columns = [
        _replaced(column, places, images.column(name)) if name in changed else column
        for name, column in zip(rows.column_names, rows.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=rows.schema)


def _replaced(column: pa.ChunkedArray, places: np.ndarray[Any, Any], values: pa.ChunkedArray) -> pa.ChunkedArray:
    """`column` with `values` at some places, which are sorted."""
    import numpy as np
    import pyarrow as pa

    chunks, start = [], 0
    for chunk in column.chunks:
        first, last = np.searchsorted(places, [start, start + len(chunk)]).tolist()
        own = places[first:last] - start
        chunks.append(_with_values(chunk, own, values.slice(first, last - first)) if len(own) else chunk)
        start += len(chunk)
    return pa.chunked_array(chunks, column.type)


def _with_values(chunk: pa.Array, places: np.ndarray[Any, Any], values: pa.ChunkedArray) -> pa.Array:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    new = pa.concat_arrays(values.chunks)
    if pa.types.is_nested(chunk.type):
        order = np.arange(len(chunk))
        order[places] = np.arange(len(chunk), len(chunk) + len(new))
        return pa.concat_arrays([chunk, new]).take(pa.array(order))
    mask = np.full(len(chunk), False)
    mask[places] = True
    return pc.replace_with_mask(chunk, pa.array(mask), new)


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    import pyarrow as pa

    return tables[0] if len(tables) == 1 else pa.concat_tables(tables)
