"""Reads a checkpoint as Arrow tables: only the row groups and columns requested.

Checkpoints are classic files, multi-part ones, or V2 ones with their sidecars. Source: Delta protocol, Checkpoints and
Checkpoint Schema.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol, TypeAlias, TypeVar

from deltasql.base import errors, np, pa, pc, pq
from deltasql.log.actions.action_fields import ACTIONS, check_action, parse_line
from deltasql.log.actions.actions import Json
from deltasql.log.replay.log_segment import CheckpointFiles
from deltasql.log.row_groups import Footer, read_footer
from deltasql.log.storage.listing import LOG, decode_path
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import LogStore


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An open file and its footer. What the footer says is not asked of `parquet`: see `checked_footer`."""

    parquet: pq.ParquetFile
    footer: Footer

    @property
    def has_old_days(self) -> bool:
        """Whether typed dates before 1582 are those of the Julian calendar, which a setting of Spark writes."""
        return bool(OLD_DAYS & set(self.parquet.schema_arrow.metadata or {}))


def checked_footer(parquet: pq.ParquetFile, source: pa.NativeFile) -> Footer:
    """The footer of `source`, which `parquet` reads. Raises ValueError where its columns are not those of the schema:
    what a file says of a column must be said of that column."""
    footer = read_footer(source)
    schema = parquet.schema
    if footer.groups and list(footer.leaves) != [schema.column(number).path for number in range(len(schema))]:
        raise ValueError("its footer describes other columns than its schema")
    return footer


# A leaf that every action of the kind has: where a row group has none of it, it has no such action.
_MARK = {
    "protocol": "protocol.minReaderVersion",
    "metaData": "metaData.id",
    "txn": "txn.appId",
    "domainMetadata": "domainMetadata.domain",
    "sidecar": "sidecar.path",
    "checkpointMetadata": "checkpointMetadata.version",
    "add": "add.path",
    "remove": "remove.path",
}
OLD_DAYS = frozenset({b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96"})
"""Properties of a Parquet footer that say that its days are of the Julian calendar before 1582. Source: Spark."""
# The leaf that typed statistics always have.
_TYPED = "stats_parsed.numRecords"
_BATCH = 1 << 16
SMALL_BATCH = 1 << 12
"""Rows that are read at a time of what is not kept: they stay in the processor's cache."""


def row_groups(file: OpenFile, kind: str) -> list[int]:
    """The row groups that may hold an action of the kind."""
    leaf = file.footer.leaves.get(_MARK[kind])
    if leaf is None:
        return []
    return [number for number, group in enumerate(file.footer.groups) if group.chunks[leaf].may_have_values]


def rare_actions(file: OpenFile, kind: str) -> list[Json]:
    """The actions of a kind that is rare, as JSON objects. Raises InvalidFieldError."""
    rare: list[Json] = []
    groups = row_groups(file, kind)
    for batch in file.parquet.iter_batches(SMALL_BATCH, row_groups=groups, columns=[kind]) if groups else ():
        actions = batch.column(0)
        if actions.null_count < len(actions):
            rare.extend(_pruned(value) for value in actions.drop_null().to_pylist(maps_as_pydicts="lossy"))
    for action in rare:
        check_action(kind, action)
    return rare


def _pruned(value: Any) -> Any:
    """A Parquet struct as the JSON object it came from: null fields are absent."""
    return {key: item for key, item in value.items() if item is not None}


def action_rows(file: OpenFile, kind: str, schema: pa.Schema) -> pa.Table:
    """The actions of one kind in the file, in order, with the columns of `schema`."""
    from deltasql.schema import no_rows

    # A row group may be empty.
    return pa.concat_tables([no_rows(schema), *action_batches(file, kind, schema, _BATCH)])


def action_batches(file: OpenFile, kind: str, schema: pa.Schema, size: int = SMALL_BATCH) -> Iterator[pa.Table]:
    """The actions of one kind in the file, in order, with the columns of `schema`, about `size` at a time.

    Small batches stay in the processor's cache: of 1,000,000 files, paths that are not kept are read in 0.1 s instead
    of 0.4 s.
    """
    for group in row_groups(file, kind):
        names = _present(file, kind, group, schema)
        for batch in file.parquet.iter_batches(size, row_groups=[group], columns=names):
            yield _action_rows(kind, _in_our_days(file, batch.column(0)), schema)


def _present(file: OpenFile, kind: str, group: int, schema: pa.Schema) -> list[str]:
    """The columns of a row group to read for those that are wanted."""
    present = {field.name for field in file.parquet.schema_arrow.field(kind).type}
    columns = [name for name in schema.names if name in present]
    if "stats" in schema.names and "stats_parsed" in present and _only_typed(file, group):
        columns = [*columns, "stats_parsed"]
    columns = [name for name in columns if _may_hold(file, group, f"{kind}.{name}")]
    # Where no column is there to be read, one still tells the rows of other kinds from actions.
    return [f"{kind}.{name}" for name in columns or ["path"]]


def _only_typed(file: OpenFile, group: int) -> bool:
    """True if some add action of the row group may have its statistics as a struct only."""
    texts, paths, structs = (_nulls(file, group, f"add.{name}") for name in ("stats", "path", _TYPED))
    if texts is None or paths is None or structs is None:
        return has_leaf(file, group, f"add.{_TYPED}") or not has_leaf(file, group, "add.stats")
    return texts > paths and structs < texts


def _nulls(file: OpenFile, group: int, leaf: str) -> int | None:
    """The number of rows in a row group that lack a value; None if the file does not say."""
    index = file.footer.leaves.get(leaf)
    return None if index is None else file.footer.groups[group].chunks[index].nulls


def rows_at(file: OpenFile, schema: pa.Schema, indexes: np.ndarray, start: int) -> tuple[pa.Table, int]:
    """The add actions of the file with the numbers `indexes`, and the number after its last; `start` is its first."""
    from deltasql.schema import no_rows

    pieces = [no_rows(schema)]
    for group in row_groups(file, "add"):
        size = group_size(file, group)
        rows_of_group = indexes[(indexes >= start) & (indexes < start + size)] - start
        start += size
        if len(rows_of_group):
            pieces.extend(_picked(file, group, _present(file, "add", group, schema), schema, rows_of_group))
    return pa.concat_tables(pieces), start


def statistics(file: OpenFile, group: int, leaves: Collection[tuple[str, ...]]) -> Iterator[pa.Array]:
    """The statistics of a row group's add actions, batch by batch.

    Structs with `leaves`, which are paths of fields, if the file has them typed; else JSON texts.
    """
    field, names = _statistics_columns(file, group, leaves)
    for batch in file.parquet.iter_batches(SMALL_BATCH, row_groups=[group], columns=names):
        actions = batch.column(0)
        actions = actions.drop_null() if actions.null_count else actions
        index = actions.type.get_field_index(field)
        # Statistics that are not there are null texts.
        found = actions.field(index) if index >= 0 else pa.nulls(len(actions), pa.string())
        yield _without_days(found) if file.has_old_days else found


def _in_our_days(file: OpenFile, actions: pa.StructArray) -> pa.StructArray:
    """Actions whose typed statistics have no dates and times of another calendar."""
    return _without_days(actions) if file.has_old_days else actions


def _without_days(values: pa.Array) -> pa.Array:
    """`values` with null for dates and times in structs."""
    if pa.types.is_struct(values.type):
        children = [_without_days(values.field(index)) for index in range(values.type.num_fields)]
        return pa.StructArray.from_arrays(children, fields=list(values.type), mask=values.is_null())
    if pa.types.is_date(values.type) or pa.types.is_timestamp(values.type):
        return pa.nulls(len(values), values.type)
    return values


def _statistics_columns(file: OpenFile, group: int, leaves: Collection[tuple[str, ...]]) -> tuple[str, list[str]]:
    """The field of the add actions that has the statistics, and the columns of the file to read for it.

    Typed ones are read where they have all `leaves` in today's calendar, or where there are no others.
    """
    texts = has_leaf(file, group, "add.stats")
    present = _leaves_of(file, "stats_parsed") if has_leaf(file, group, f"add.{_TYPED}") else set()
    typed = [leaf for leaf in leaves if leaf in present]
    if typed and ((len(typed) == len(leaves) and not file.has_old_days) or not texts):
        return "stats_parsed", [".".join(("add", "stats_parsed", *leaf)) for leaf in typed]
    return "stats", ["add.stats"] if ("stats",) in _leaves_of(file) else ["add.path"]


def _leaves_of(file: OpenFile, *path: str) -> set[tuple[str, ...]]:
    """The paths of the fields of add actions, or of one of their structs, that are no struct themselves."""
    kind = file.parquet.schema_arrow.field("add").type
    for name in path:
        index = kind.get_field_index(name)
        if index < 0:
            return set()
        kind = kind.field(index).type
    return set(_leaves(kind))


def _leaves(kind: pa.DataType) -> Iterator[tuple[str, ...]]:
    for field in kind:
        if pa.types.is_struct(field.type):
            yield from ((field.name, *below) for below in _leaves(field.type))
        else:
            yield (field.name,)


def _picked(file: OpenFile, group: int, names: list[str], schema: pa.Schema, rows: np.ndarray) -> Iterator[pa.Table]:
    """The actions of a row group with these numbers; what follows the last one is not decoded."""
    from deltasql.schema import integers

    start = 0
    for batch in file.parquet.iter_batches(SMALL_BATCH, row_groups=[group], columns=names):
        chunk = batch.column(0)
        chunk = chunk.filter(chunk.is_valid()) if chunk.null_count else chunk
        rows_of_chunk = rows[(rows >= start) & (rows < start + len(chunk))] - start
        start += len(chunk)
        if len(rows_of_chunk):
            yield _action_rows("add", _in_our_days(file, chunk.take(integers(rows_of_chunk))), schema)
        if start > rows[-1]:
            return


def take_values(column: pa.ChunkedArray, rows: np.ndarray) -> pa.ChunkedArray:
    """The values of `column` in the sorted `rows`. Arrow would put all chunks of strings together first."""
    from deltasql.schema import integers

    ends = np.cumsum([len(chunk) for chunk in column.chunks], dtype=np.int64)
    edges = [0, *np.searchsorted(rows, ends).tolist()]
    parts = [
        chunk.take(integers(rows[start:stop] - (end - len(chunk))))
        for chunk, end, start, stop in zip(column.chunks, ends.tolist(), edges, edges[1:], strict=False)
        if stop > start
    ]
    return pa.chunked_array(parts, type=column.type)


def take_rows(table: pa.Table, rows: np.ndarray) -> pa.Table:
    """The sorted `rows` of a table."""
    return pa.table({name: take_values(table[name], rows) for name in table.column_names}, schema=table.schema)


def group_size(file: OpenFile, group: int) -> int:
    """The number of add actions in a row group."""
    nulls = _nulls(file, group, _MARK["add"])
    if nulls is not None:
        return max(file.footer.groups[group].rows - nulls, 0)
    column = file.parquet.read_row_group(group, columns=["add.path"]).column(0)
    return len(column) - int(column.null_count)


# Many tables have none of these; an empty map of tags is as good as none.
_SPARSE = {
    "add.tags": ("add.tags.key_value.key",),
    "add.deletionVector": ("add.deletionVector.storageType", "add.deletionVector.pathOrInlineDv"),
    "add.baseRowId": ("add.baseRowId",),
    "add.defaultRowCommitVersion": ("add.defaultRowCommitVersion",),
    "add.clusteringProvider": ("add.clusteringProvider",),
}


def _may_hold(file: OpenFile, group: int, name: str) -> bool:
    leaves = [file.footer.leaves.get(leaf) for leaf in _SPARSE.get(name, ())]
    chunks = file.footer.groups[group].chunks
    return not leaves or any(leaf is None or chunks[leaf].may_have_values for leaf in leaves)


def has_leaf(file: OpenFile, group: int, path: str) -> bool:
    """Whether a row group may have a value of a leaf column."""
    leaf = file.footer.leaves.get(path)
    return leaf is not None and file.footer.groups[group].chunks[leaf].may_have_values


def _action_rows(kind: str, chunk: pa.StructArray, schema: pa.Schema) -> pa.Table:
    """The present fields of the structs, as columns of the requested types. Raises ValueError for gaps."""
    from deltasql.schema import indexes_of

    fields = {field.name: chunk.field(index) for index, field in enumerate(chunk.type)}
    table = pa.table([_column(fields, column, len(chunk)) for column in schema], schema=schema)
    # The struct itself tells: where it is null, some writers leave empty strings and zeros below.
    absent = indexes_of(chunk.is_null()) if chunk.null_count else np.empty(0, int)
    rows = _dense(table, absent)
    for name in ACTIONS[kind].required:
        if name in schema.names and rows[name].null_count:
            raise ValueError(f"the action lacks '{name}'")
    if "deletionVector" in schema.names and rows["deletionVector"].null_count < len(rows):
        _check_vectors(rows["deletionVector"])
    return rows


def _check_vectors(vectors: pa.ChunkedArray) -> None:
    """Raises ValueError for an incomplete vector; some writers have one of nulls in place of none."""
    fields = [pc.struct_field(vectors, name).is_valid() for name in _VECTOR_FIELDS]
    if any(field != fields[0] for field in fields[1:]):
        raise ValueError("a deletion vector lacks one of " + ", ".join(_VECTOR_FIELDS))


_VECTOR_FIELDS = ("storageType", "pathOrInlineDv", "sizeInBytes", "cardinality")


def _dense(table: pa.Table, absent: np.ndarray) -> pa.Table:
    """The rows of `table` but the sorted `absent` ones, as a view where that can be."""
    from deltasql.log.actions.file_tables import without_rows

    # Rows of other kinds mostly lie at one end, in one run: a slice.
    if len(absent) and absent[-1] - absent[0] + 1 == len(absent) and (absent[0] == 0 or absent[-1] == len(table) - 1):
        start = len(absent) if absent[0] == 0 else 0
        return table.slice(start, len(table) - len(absent))
    return without_rows(table, absent)


def _column(fields: dict[str, pa.Array], column: pa.Field, rows: int) -> pa.Array:
    array = fields.get(column.name)
    if column.name == "stats" and "stats_parsed" in fields:
        from deltasql.log.replay.stats_struct import stats_to_json

        texts = stats_to_json(fields["stats_parsed"])
        return texts if array is None else pc.coalesce(array, texts)
    if array is None:
        return pa.nulls(rows, column.type)
    return _conformed(array, column.type)


def _conformed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """The array as `kind`: structs by field name, what is missing null, what is unknown dropped."""
    if array.type == kind:
        return array
    if pa.types.is_struct(kind):
        have = {field.name: array.field(index) for index, field in enumerate(array.type)}
        children = [
            _conformed(have[field.name], field.type) if field.name in have else pa.nulls(len(array), field.type)
            for field in kind
        ]
        return pa.StructArray.from_arrays(children, fields=list(kind), mask=array.is_null())
    return array.cast(kind)


# Columns above this size are not cached.
_CACHED_BYTES = 512 << 20

# Remote files up to this size are fetched as a whole: a request takes as long as the transfer of so many bytes.
_FETCHED_WHOLE = 1 << 20
_CACHED_STATISTICS_BYTES = 256 << 20
_MOST_PICKED = 1 << 16
# From this number of files on, they are read by several threads.
_SOME = 2
_BUFFER = 1 << 20


StatisticsKey = TypeVar("StatisticsKey", bound=Hashable)
_T = TypeVar("_T")
Key_contra = TypeVar("Key_contra", bound=Hashable, contravariant=True)
FieldPath: TypeAlias = "tuple[str, ...]"


class StatisticsReader(Protocol[Key_contra]):
    """Computes from the statistics of files one array per key, with a value per file: see `Checkpoint.statistics`."""

    def __call__(self, stats: pa.Array, keys: Sequence[Key_contra], /) -> list[pa.Array]: ...


class Checkpoint:
    """One complete checkpoint, opened at the first use. Safe to share between snapshots.

    Every method raises InvalidCheckpointError if a file of it is missing or damaged.
    """

    def __init__(self, store: LogStore, table: str, files: CheckpointFiles) -> None:
        self.files = files
        self._store = store
        self._table = table
        # Remote ranges are fetched side by side; of a local file that would only be a copy.
        self._local = isinstance(store, LocalLogStore)
        self._columns: dict[tuple[str, str], pa.ChunkedArray] = {}
        self._statistics: dict[Hashable, pa.ChunkedArray] = {}
        self._partitions: dict[tuple[str, ...], pa.StructArray] = {}
        self._footers: dict[str, Footer] = {}
        self._whole: dict[str, pa.Buffer] = {}
        self._picked: tuple[np.ndarray, pa.Table] | None = None

    def actions(self, kind: str) -> list[Json]:
        """All actions of a kind that is no file action, as JSON objects."""
        if self._json is not None:
            return [line[kind] for line in self._json if line.get(kind) is not None]
        actions: list[Json] = []
        for path in self.files.paths:
            actions.extend(self._guarded(path, lambda file: rare_actions(file, kind)))
        return actions

    def adds(self, columns: Sequence[str]) -> pa.Table:
        """The add actions in file order, with these columns of `file_tables.ADD`; missing ones are null."""
        from deltasql.log.actions.file_tables import ADD

        return self._file_actions("add", columns, ADD)

    def batches(self, columns: Sequence[str], rows: int = SMALL_BATCH) -> Iterator[pa.Table]:
        """The add actions in file order, with these columns of `file_tables.ADD`, as tables that are not cached.

        A table that is read from a file has `rows` rows at most.
        """
        from deltasql.log.actions.file_tables import ADD, from_actions

        if all(("add", name) in self._columns for name in columns):
            yield self.adds(columns)
            return
        schema = pa.schema([ADD.field(name) for name in columns])
        for path in self._sources:
            with self._opened(path) as file:
                yield from action_batches(file, "add", schema, rows)
        if self._json is not None:
            yield from_actions(self.actions("add"), schema)

    def adds_at(self, rows: np.ndarray, columns: Sequence[str]) -> pa.Table:
        """The add actions at the sorted row indices `rows`; only row groups with one of them are read.

        The last result is cached: a statement that is repeated, or needs fewer rows, reads nothing.
        """
        from deltasql.log.actions.file_tables import ADD

        schema = pa.schema([ADD.field(name) for name in columns])
        picked = self._picked_before(rows, columns)
        if picked is not None:
            return picked
        cached = self._cached_at(rows, columns)
        missing = [field for field in schema if field.name not in cached]
        read = self._read_at(rows, pa.schema(missing)) if missing else {}
        picked = pa.table([cached[name] if name in cached else read[name] for name in columns], schema=schema)
        if missing and len(rows) <= _MOST_PICKED:
            self._picked = (rows, picked)
        return picked

    def _cached_at(self, rows: np.ndarray, columns: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        """Values at `rows` of those columns that are cached as a whole."""
        cached = [name for name in columns if ("add", name) in self._columns]
        return {name: take_values(self._columns["add", name], rows) for name in cached}

    def _picked_before(self, rows: np.ndarray, columns: Sequence[str]) -> pa.Table | None:
        """The result of `adds_at` from the cached last one; None if that lacks a row or a column."""
        from deltasql.schema import integers

        if self._picked is None or not set(columns) <= set(self._picked[1].column_names):
            return None
        picked_rows, table = self._picked
        indexes = np.searchsorted(picked_rows, rows)
        if len(rows) and (indexes[-1] >= len(picked_rows) or not np.array_equal(picked_rows[indexes], rows)):
            return None
        return table.select(columns).take(integers(indexes))

    def partitions(self, keys: Sequence[str]) -> pa.StructArray:
        """The adds' partition values: a dictionary-encoded string per key, null where it is empty or missing."""
        from deltasql.log.actions.file_tables import no_columns

        cached = self._partitions.get(tuple(keys))
        if cached is None:
            cached = self._partitions[tuple(keys)] = self._encoded(keys) if keys else no_columns(self.size())
        return cached

    def _encoded(self, keys: Sequence[str]) -> pa.StructArray:
        """The partition values, read from the files of the checkpoint in parallel."""
        from deltasql.log.actions.file_tables import ADD, encoded_partitions, joined_partitions

        name = "partitionValues"
        if ("add", name) in self._columns or (self._json is not None and not self._sources):
            return encoded_partitions((batch[name] for batch in self.batches((name,))), keys)
        schema = pa.schema([ADD.field(name)])

        def encoded(path: str) -> pa.StructArray:
            with self._opened(path) as file:
                return encoded_partitions((batch[name] for batch in action_batches(file, "add", schema)), keys)

        parts = self._of_each_source(encoded)
        if self._json is not None:
            from deltasql.log.actions.file_tables import from_actions

            parts.append(encoded_partitions([from_actions(self.actions("add"), schema)[name]], keys))
        return joined_partitions(parts, keys)

    def _of_each_source(self, read: Callable[[str], _T]) -> list[_T]:
        """The results of `read` for the Parquet files, in file order; several are read in parallel."""
        sources = self._sources
        if len(sources) < _SOME:
            return [read(path) for path in sources]
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            return list(threads.map(read, sources))

    def statistics(
        self,
        keys: Sequence[StatisticsKey],
        leaves: Callable[[StatisticsKey], Collection[FieldPath]],
        read: StatisticsReader[StatisticsKey],
    ) -> list[pa.ChunkedArray]:
        """For each of `keys` the values that `read` computes from the adds' statistics, in file order; cached.

        `read` gets the statistics in batches, some in other threads, with the fields that `leaves` names: as structs
        where the checkpoint has them typed, else as JSON texts. It must return an array per key, and must not raise.
        """
        missing = [key for key in keys if key not in self._statistics]
        if missing:
            fields = {leaf for key in missing for leaf in leaves(key)}
            with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
                parts = list(
                    threads.map(lambda group: self._group_statistics(group, fields, missing, read), self._groups)
                )
            if self._json is not None:
                from deltasql.log.actions.file_tables import ADD, from_actions

                texts = from_actions(self.actions("add"), pa.schema([ADD.field("stats")]))["stats"]
                parts.append(read(texts.combine_chunks(), missing))
            parts = parts or [read(pa.nulls(0, pa.string()), missing)]
            for key, pieces in zip(missing, zip(*parts, strict=True), strict=True):
                self._statistics[key] = pa.chunked_array(pieces)
        statistics = [self._statistics[key] for key in keys]
        self._forget_statistics(keys)
        return statistics

    def _group_statistics(
        self,
        file_group: tuple[str, int],
        fields: Collection[FieldPath],
        keys: Sequence[StatisticsKey],
        read: StatisticsReader[StatisticsKey],
    ) -> list[pa.Array]:
        path, group = file_group
        with self._opened(path) as file:
            parts = [read(batch, keys) for batch in statistics(file, group, fields)]
        parts = parts or [read(pa.nulls(0, pa.string()), keys)]
        return [pa.concat_arrays(pieces) for pieces in zip(*parts, strict=True)]

    def _forget_statistics(self, used: Sequence[Hashable]) -> None:
        """Evicts the least recently used statistics above `_CACHED_STATISTICS_BYTES` bytes, except those of `used`."""
        for key in used:
            self._statistics[key] = self._statistics.pop(key)
        sizes = {key: column.nbytes for key, column in self._statistics.items()}
        for key in list(self._statistics)[: -len(used)]:
            if sum(sizes.values()) > _CACHED_STATISTICS_BYTES:
                del self._statistics[key], sizes[key]

    @cached_property
    def _groups(self) -> list[tuple[str, int]]:
        """The row groups that hold adds, with their files."""
        groups: list[tuple[str, int]] = []
        for path in self._sources:
            with self._opened(path) as file:
                groups.extend((path, group) for group in row_groups(file, "add"))
        return groups

    def size(self) -> int:
        """The number of adds, from the footers."""
        size = len(self.actions("add")) if self._json is not None else 0
        for path in self._sources:
            with self._opened(path) as file:
                size += sum(group_size(file, group) for group in row_groups(file, "add"))
        return size

    def removes(self, columns: Sequence[str]) -> pa.Table:
        """The tombstones, with these columns of `file_tables.REMOVE`."""
        from deltasql.log.actions.file_tables import REMOVE

        return self._file_actions("remove", columns, REMOVE)

    @cached_property
    def _json(self) -> list[Json] | None:
        """The lines of a V2 checkpoint in JSON, None for Parquet."""
        path = self.files.paths[0]
        if not path.endswith(".json"):
            return None
        try:
            lines = self._store.read(path).splitlines()
            return [parse_line(line, number, path, self._table) for number, line in enumerate(lines, 1)]
        except errors.InvalidLogJsonError as error:
            raise errors.InvalidCheckpointError(self._table, path, f"line {error.line}: {error.reason}") from error
        except FileNotFoundError as error:
            raise errors.InvalidCheckpointError(self._table, path, "the file is missing") from error
        except errors.StorageError as error:
            raise errors.InvalidCheckpointError(self._table, path, str(error)) from error

    @cached_property
    def _sources(self) -> tuple[str, ...]:
        """The Parquet files that hold file actions."""
        paths = () if self._json is not None else self.files.paths
        sidecars = self.actions("sidecar")
        if not all(sidecar.get("path") for sidecar in sidecars):
            raise errors.InvalidCheckpointError(self._table, self.files.paths[0], "a sidecar has no path")
        return (*paths, *(sidecar_path(sidecar["path"]) for sidecar in sidecars))

    def _file_actions(self, kind: str, columns: Sequence[str], schema: pa.Schema) -> pa.Table:
        missing = [name for name in columns if (kind, name) not in self._columns]
        read = self._read(kind, missing, schema) if missing else None
        arrays = []
        for name in columns:
            array = self._columns.get((kind, name))
            if array is None:
                assert read is not None
                array = read[name]
                if array.nbytes <= _CACHED_BYTES:
                    self._columns[kind, name] = array
            arrays.append(array)
        return pa.table(arrays, schema=pa.schema([schema.field(name) for name in columns]))

    def _read(self, kind: str, columns: Sequence[str], schema: pa.Schema) -> pa.Table:
        from deltasql.schema import no_rows

        fields = pa.schema([schema.field(name) for name in columns])
        tables = self._of_each_source(lambda path: self._guarded(path, lambda file: action_rows(file, kind, fields)))
        if self._json is not None:
            from deltasql.log.actions.file_tables import from_actions

            tables.append(from_actions(self.actions(kind), fields))
        return pa.concat_tables(tables) if tables else no_rows(fields)

    def _read_at(self, rows: np.ndarray, schema: pa.Schema) -> pa.Table:
        tables, start = [], 0
        for path in self._sources:
            table, start = self._guarded(path, partial(rows_at, schema=schema, indexes=rows, start=start))
            tables.append(table)
        if self._json is not None:
            from deltasql.log.actions.file_tables import from_actions

            actions = self.actions("add")
            rows_of_file = rows[rows >= start] - start
            tables.append(from_actions([actions[int(row)] for row in rows_of_file], schema))
        return pa.concat_tables(tables)

    def _guarded(self, path: str, read: Callable[[OpenFile], Any]) -> Any:
        with self._opened(path) as file:
            return read(file)

    @contextmanager
    def _opened(self, path: str) -> Iterator[OpenFile]:
        # A whole column chunk of a local file, compressed, would otherwise be in memory at once.
        buffer = _BUFFER if self._local else 0
        try:
            source = self._source(path)
            with pq.ParquetFile(
                source,
                pre_buffer=not self._local,
                buffer_size=buffer,
                # As nanoseconds the years before 1677 would come out as others.
                coerce_int96_timestamp_unit="us",
            ) as file:
                if path not in self._footers:
                    self._footers[path] = checked_footer(file, source)
                yield OpenFile(file, self._footers[path])
        except FileNotFoundError as error:
            raise errors.InvalidCheckpointError(self._table, path, "the file is missing") from error
        except errors.StorageUnavailableError:
            raise
        except (pa.ArrowException, *_DAMAGE, errors.StorageError) as error:
            raise errors.InvalidCheckpointError(self._table, path, str(error).rstrip(".")) from error

    def _source(self, path: str) -> pa.NativeFile:
        """The open file at `path`; a small one in remote storage is fetched once as a whole, and cached."""
        if path in self._whole:
            return pa.BufferReader(self._whole[path])
        source = self._store.open_input(path)
        if self._local or source.size() > _FETCHED_WHOLE:
            return source
        self._whole[path] = source.read_buffer()
        source.close()
        return pa.BufferReader(self._whole[path])


# What pyarrow, and the code that relies on what a schema says, makes of damaged files.
_DAMAGE = (
    OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError,
)  # fmt: skip


def sidecar_path(path: str) -> str:
    """The path below the table's location of the sidecar that a checkpoint lists as `path`."""
    return f"{LOG}/_sidecars/{decode_path(path).rpartition('/')[2]}"
