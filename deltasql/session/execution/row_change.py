"""Changes that write rows: the engine stages files first, then one commit makes them visible.

OPTIMIZE and REORG commit files with the rows of other files in another arrangement. The highest numbers of identity
columns come from the footers of new files.

A table of another format has no commits. Rows are written into a hidden folder below the table, and appear when its
files are moved. If the statement fails before that, the table stays as it was.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from deltasql.base import SessionSettings, errors, pa, shielded
from deltasql.catalog import Catalog
from deltasql.files import Staged, StagedFile
from deltasql.log import (
    CUBE_COLUMNS,
    CUBE_CURVE,
    CUBE_ID,
    PROVIDER,
    SOURCE_TAG,
    Action,
    AddFile,
    Bin,
    BinRebase,
    LogStore,
    MarkedFile,
    Marking,
    Metadata,
    Outcome,
    Protocol,
    RemoveFile,
    Snapshot,
    canonical,
    mark_rows,
    of_kind,
    partition_keys,
    stores_partitions,
    table_uri,
)
from deltasql.plan import Curve, Operator, Reads, Rearrange, Rewrite, RowEffect, Write, tallies
from deltasql.planner import (
    INSERTED,
    OPTIMIZED,
    OUTCOME_SCHEMAS,
    DynamicOverwrite,
    LayoutChange,
    LayoutOutcome,
    RewriteOutcome,
    RowChange,
    Runtime,
    SourceWrite,
    Stage,
    layout_metrics,
    layout_row,
)
from deltasql.schema import (
    Identity,
    StructField,
    StructType,
    identities,
    partition_value,
    physical_name,
    with_identities,
)
from deltasql.session.execution.commit import (
    Committed,
    Contribution,
    CopyNotes,
    RaceRules,
    adds_of,
    commit_staged,
    discarded_on_error,
    rebase_of,
    register,
    removals,
    removed_metrics,
    rewrite_metrics,
)
from deltasql.statements import json_list


class StagedRows:
    """A change whose rows are staged. Files that no commit names in the end are removed again."""

    def __init__(self, change: RowChange, runtime: Runtime, catalog: Catalog, settings: SessionSettings) -> None:
        """Stages the rows. Raises errors of the rows, such as violated constraints, and InvalidSettingError."""
        spec, metadata = change.commit, change.metadata
        self._runtime, self._catalog, self._settings = runtime, catalog, settings
        self._stage = runtime.stage(
            spec.log.location,
            metadata.partition_columns,
            metadata.configuration,
            stores_partitions=stores_partitions(_protocol(change), metadata.configuration),
            shape=change.shape,
        )
        rules = RaceRules.of(settings)
        started = time.perf_counter()
        with discarded_on_error(self._stage):
            self._work = work = _staged(change, runtime, self._stage)
            work.metrics.update(_expectations(change.operator))
            work.metrics["executionTimeMs"] = int((time.perf_counter() - started) * 1000)
            final = with_used_numbers(change, of_kind(work.actions, AddFile), runtime)
        self._change = final.committing(reads=final.commit.reads or work.reads)
        self._rebase = rebase_of(self._change, rules, runtime, self._stage, work.marked, work.marking, work.described)

    def commit(self) -> Committed:
        try:
            return self._committed()
        finally:
            self._runtime.release()

    @property
    def added(self) -> Sequence[AddFile]:
        """The files with new or changed rows."""
        return [add for add in of_kind(self._work.actions, AddFile) if add.data_change]

    def contribution(self) -> Contribution:
        change, work = self._change, self._work
        actions = [*change.commit.actions, *work.actions]
        answer = Committed(OUTCOME_SCHEMAS[change.commit.operation.outcome], (self._row,), None, work.metrics)
        return Contribution(
            change, actions, answer, self._runtime, work.marked, work.marking, self._stage, work.described
        )

    def discard(self) -> None:
        self._stage.discard()
        self._runtime.release()

    def _committed(self) -> Committed:
        change, work = self._change, self._work
        actions = [*change.commit.actions, *work.actions]
        schema = OUTCOME_SCHEMAS[change.commit.operation.outcome]
        if change.skip_if_empty and not actions and not work.marked:
            return Committed(schema, (self._row,), None, work.metrics)
        note = None if work.notes is None else work.notes.on_top
        commit = commit_staged(change, actions, work.metrics, self._settings, self._stage, self._rebase, note)
        assert commit is not None
        register(change.commit.register, self._catalog, change.commit.log.store)
        return Committed(schema, (self._row,), commit.version, work.metrics, commit.attempts)

    @property
    def _row(self) -> tuple[object, ...]:
        """The row of the statement's result: counts, or the kind of a refresh."""
        commit = self._change.commit
        if commit.operation.outcome is Outcome.REFRESH:
            return commit.parameters["mode"], commit.parameters["reason"]
        return self._work.answer


def _expectations(operator: Operator) -> dict[str, int]:
    """The counts of the rows that an expectation accepts, and of those that violate it, as metrics of the commit."""
    found: dict[str, int] = {}
    for tally in tallies(operator):
        for name, (passed, failed) in (tally.counts() if tally.counts is not None else {}).items():
            found[f"expectations.{name}.passedRecords"] = passed
            found[f"expectations.{name}.failedRecords"] = failed
    return found


def _protocol(change: RowChange) -> Protocol:
    """The table's protocol after the change is committed."""
    stated = of_kind(change.commit.actions, Protocol)
    if stated:
        return stated[-1]
    assert change.commit.snapshot is not None
    return change.commit.snapshot.protocol


def _staged(change: RowChange, runtime: Runtime, stage: Stage) -> _Work:
    if isinstance(change.operator, Write):
        return _written(change, runtime, stage, change.operator)
    return _rewritten(change, runtime, stage, change.operator)


@dataclass(slots=True)
class _Work:
    """Result of the engine's work on a change: actions, metrics, and the row that the statement returns.

    `marked` are files that stay, with their deleted row indexes, and `marking` has the actions of their deletion
    vectors without a concurrent commit. `reads` is the read set if the plan has none.
    """

    actions: Sequence[Action]
    metrics: dict[str, int]
    answer: tuple[int, ...]
    marked: Sequence[MarkedFile] = ()
    marking: Marking | None = None
    reads: Reads | None = None
    describe: Callable[[Marking], dict[str, int]] | None = None
    notes: CopyNotes | None = None

    def described(self, marking: Marking) -> dict[str, int]:
        """Updates the metrics for the final deletion vectors, `marking`, and returns them."""
        if self.describe is not None:
            self.metrics.update(self.describe(marking))
        return self.metrics


def _written(change: RowChange, runtime: Runtime, stage: Stage, operator: Write) -> _Work:
    staged = runtime.write(operator, stage, change.commit.log.table)
    removed, reads = change.removed, None
    if change.dynamic_overwrite and change.commit.snapshot is not None:
        keeps_null = change.dynamic_overwrite is DynamicOverwrite.WITHOUT_NULL
        removed, reads = _overwritten(change.commit.snapshot, staged, keeps_null=keeps_null)
    removes = adds_of(change.commit.snapshot, removed)
    metrics = {"numFiles": len(staged.files), "numOutputRows": staged.rows, "numOutputBytes": staged.size}
    if removed is not None:
        metrics |= removed_metrics(removes)
    actions: list[AddFile | RemoveFile] = [*removals(removes), *staged.adds]
    if change.rearranges:
        actions = [replace(action, data_change=False) for action in actions]
    if change.load is None:
        return _Work(actions, metrics, (staged.rows, staged.rows), reads=reads)
    metrics["numSkippedCorruptFiles"] = change.load.skipped
    notes = CopyNotes(change, change.load, stage)
    answer = (staged.rows, staged.rows, change.load.skipped)
    return _Work([notes.action, *actions], metrics, answer, reads=reads, notes=notes)


def _rewritten(change: RowChange, runtime: Runtime, stage: Stage, operator: Rewrite) -> _Work:
    from deltasql.files import row_count

    assert change.commit.snapshot is not None
    outcome = change.commit.operation.outcome
    if outcome is Outcome.REFRESH:
        # Only the MERGE of a refresh rewrites files.
        outcome = Outcome.MERGE
    merge, insert = outcome is Outcome.MERGE, outcome is Outcome.INSERT
    done = runtime.rewrite(operator, stage, change.commit.log.table, merge=merge, insert=insert)
    adds = change.commit.snapshot.add_files(done.marked) if done.marked else []
    marked = [
        MarkedFile(add, done.marked[add.path], row_count(runtime.stores, add, change.commit.log.location))
        for add in adds
    ]
    marking = mark_rows(change.commit.log.store, marked, int(time.time() * 1000))
    if marking.vector_file is not None:
        # It is staged like the files of rows.
        stage.also(marking.vector_file)
    removed = change.commit.snapshot.add_files(done.removed) if done.removed else []
    actions: list[Action] = [*removals(removed), *done.staged.adds, *done.staged.changes]

    def describe(final: Marking) -> dict[str, int]:
        return rewrite_metrics(outcome, done, operator, [*removed, *final.removed_files], final)

    answer = _answer(outcome, done, operator)
    return _Work(actions, describe(marking), answer, marked, marking, describe=describe)


def _answer(outcome: Outcome, done: RewriteOutcome, operator: Rewrite) -> tuple[int, ...]:
    rows = [done.rows(operator.actions, effect) for effect in (RowEffect.UPDATE, RowEffect.DELETE, RowEffect.INSERT)]
    if outcome is Outcome.INSERT:
        return rows[2], rows[2]
    return (sum(rows), *rows) if outcome is Outcome.MERGE else (sum(rows),)


def _overwritten(snapshot: Snapshot, staged: Staged, *, keeps_null: bool) -> tuple[pa.Table, Reads]:
    """The files of all partitions with staged files, which a dynamic overwrite removes, and its read set: these files.

    With `keeps_null` partitions with a NULL among their values are not overwritten. Values are compared by type, since
    writers spell one timestamp in several ways.
    """
    fields = [field for name in snapshot.partition_columns if (field := snapshot.schema.find(name))]
    names = list(zip(snapshot.partition_columns, partition_keys(snapshot.metadata), strict=True))

    def partition(values: Mapping[str, str | None]) -> tuple[object, ...]:
        """Typed partition values of a file, from its values in the log by physical name."""
        return partition_value({name: values.get(physical) for name, physical in names}, fields)

    touched = {partition(add.partition_values) for add in staged.adds}
    if keeps_null:
        touched = {values for values in touched if None not in values}
    files = snapshot.files(("path", "partitionValues", "size", "stats"))
    values = files.column("partitionValues").to_pylist()
    removed = files.filter(pa.array([partition_value(row, fields) in touched for row in values], pa.bool_()))
    paths = tuple(removed.column("path").to_pylist())
    return removed, Reads("TRUE", paths, matches=lambda values: partition(values) in touched)


SCHEMA_UPDATE_TAG = "delta.identity.schemaUpdate"


def with_used_numbers(change: RowChange, adds: Sequence[AddFile], runtime: Runtime) -> RowChange:
    """`change` with metadata that tell up to which number its identity columns are used.

    Rows that are only copied count as well: their numbers were used before, so that the mark is right all the same.
    """
    fields = [field for field in change.metadata.schema if field.name in change.identities]
    # A file that only gets another deletion vector has no new row.
    adds = [add for add in adds if add.deletion_vector is None]
    if not fields or not adds:
        return change
    from deltasql.files import extremes

    bounds = extremes(runtime.stores, change.commit.log.location, StructType(tuple(fields)), adds)
    counters = identities(change.metadata.schema)
    marks = {
        field.name: counters[field.name].covering(_outermost(field, counters[field.name], bounds)) for field in fields
    }
    schema = with_identities(change.metadata.schema, marks)
    return change if schema == change.metadata.schema else _with_schema(change, schema)


def _with_schema(change: RowChange, schema: StructType) -> RowChange:
    """`change` with other marks of its identity columns."""
    metadata = replace(change.metadata, schema=schema)
    others = tuple(action for action in change.commit.actions if not isinstance(action, Metadata))
    # Writers that do not change metadata themselves may go on top of a commit with this tag.
    tags = {SCHEMA_UPDATE_TAG: "true"} if not change.commit.actions else {}
    change = replace(change, metadata=metadata)
    return change.committing(actions=(*others, metadata), tags={**(change.commit.tags or {}), **tags})


def _outermost(
    field: StructField, identity: Identity, bounds: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> int | None:
    """The number that an identity column has come to in some files; `bounds` has lowest and highest values of each."""
    rises = identity.step > 0
    of_files = ((high if rises else low).get(physical_name(field)) for low, high in bounds)
    return (max if rises else min)((value for value in of_files if value is not None), default=None)


_STAGING = "_deltasql_staging_"


def write_source(change: SourceWrite, runtime: Runtime, catalog: Catalog) -> Committed:
    """Writes the files of a change, removes those that they replace, and registers a new table."""
    store = runtime.stores.open(change.location)
    folder = f"{_STAGING}{uuid4().hex}"
    try:
        count = runtime.write_files(change.operator, store.url(folder), change.source, change.table)
        with shielded():
            _publish(change, store, folder, catalog)
    finally:
        store.delete_below(folder)
    return Committed(INSERTED, ((count, count),))


def _publish(change: SourceWrite, store: LogStore, folder: str, catalog: Catalog) -> None:
    """Moves the files of a folder into the table, registers it if it is new, and removes replaced files."""
    names = [entry.path.removeprefix(f"{folder}/") for entry in store.list_below(folder)]
    replaced = _replaced(change, store, folder, names)
    for name in names:
        store.move(f"{folder}/{name}", name)
    if change.register is not None:
        new = change.register
        try:
            catalog.register(new.parts, new.location, new.managed, new.source)
        except BaseException:
            # Another process has taken the name: its files are not these.
            store.delete_all(names)
            raise
    store.delete_all(replaced)


def _replaced(change: SourceWrite, store: LogStore, folder: str, names: list[str]) -> list[str]:
    """The files that the new ones replace: those of the statement, or of the partitions that the new ones are in."""
    if not change.dynamic:
        return list(change.removed)
    partitions = {_folder(name) for name in names}
    return [entry.path for entry in store.list_below("") if _folder(entry.path) in partitions]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


MOST_SOURCES = 1000
"""A longer list of a file's sources is left out: a tag stays in every checkpoint for as long as its file."""


class StagedLayout:
    """A rearrangement whose new files are written. They are removed again if it is not committed."""

    def __init__(self, change: LayoutChange, runtime: Runtime, settings: SessionSettings) -> None:
        """Writes the new files. Raises InvalidSettingError."""
        self._change, self._runtime, self._settings = change, runtime, settings
        self._stage = runtime.stage(change.commit.log.location, (), change.snapshot.configuration)
        self._rules = RaceRules.of(settings)
        with discarded_on_error(self._stage):
            staged, numbers = runtime.rearrange(change.operator, self._stage)
            self._bins = _bins(change, runtime, staged.files, numbers)

    def commit(self) -> Committed:
        """Commits the bins that others have left as they were."""
        change = self._change
        rearranged = BinRebase(
            self._bins,
            change.commit.log.store,
            change.commit.log.location,
            self._runtime.row_reader(change.snapshot),
            by_rows=self._rules.follow_rows_of(change.snapshot),
            needs_all=change.operator.curve is Curve.ZORDER,
            describe=lambda left, adds: layout_metrics(_done(left, adds)),
        )
        commit = commit_staged(change, [], {}, self._settings, self._stage, rearranged)
        done = _done(rearranged.bins, rearranged.adds)
        row = layout_row(table_uri(change.snapshot.location), change.considered, done)
        if commit is None:
            self._stage.discard()
            return Committed(OPTIMIZED, (row,), None, layout_metrics(done))
        _remove_unused(change, self._bins, rearranged.adds)
        return Committed(OPTIMIZED, (row,), commit.version, layout_metrics(done), commit.attempts)

    def contribution(self) -> None:
        """Rows that were moved are none that other statements could go on with."""

    def discard(self) -> None:
        self._stage.discard()


def _remove_unused(change: LayoutChange, bins: Sequence[Bin], adds: Sequence[AddFile]) -> None:
    """Removes the files of bins that were given up, and those whose rows others have all deleted."""
    committed = {canonical(add.path, change.commit.log.location) for add in adds}
    # The commit is there; what cannot be removed now is left to VACUUM.
    with suppress(errors.StorageError):
        change.commit.log.store.delete_all([path for item in bins for path in item.outputs if path not in committed])


def _bins(change: LayoutChange, runtime: Runtime, staged: Sequence[StagedFile], numbers: Sequence[int]) -> list[Bin]:
    """The old files of each bin and their successors. `numbers` has the bin of each staged file's origin."""
    operator, root = change.operator, change.commit.log.location
    paths = operator.target.files.column("path").to_pylist()
    old = {file.path: file for file in change.snapshot.add_files(paths)}
    members: dict[int, list[AddFile]] = {}
    for path, number in zip(paths, operator.bins.to_pylist(), strict=True):
        members.setdefault(number, []).append(old[path])
    outputs: dict[int, list[StagedFile]] = {number: [] for number in members}
    for file in staged:
        outputs[numbers[int(file.origin or 0)]].append(file)
    return [
        Bin(
            {canonical(file.path, root): file for file in sources},
            {canonical(add.path, root): add for add in _successors(operator, runtime, sources, outputs[number], root)},
        )
        for number, sources in members.items()
    ]


def _successors(
    operator: Rearrange, runtime: Runtime, sources: Sequence[AddFile], staged: Sequence[StagedFile], root: str
) -> list[AddFile]:
    """The actions of a bin's new files: partition values as the old ones have them, and tags that tell of these."""
    tags = _cube_tags(operator) if operator.curve is not None else _common_cube(sources)
    provider = PROVIDER if tags else None
    whole = Counter(file.origin for file in staged)
    adds = []
    for file in staged:
        file_tags = tags
        if operator.curve is None and whole[file.origin] == 1 and len(sources) <= MOST_SOURCES:
            file_tags = {**tags, SOURCE_TAG: _order_map(runtime, sources, root)}
        file_tags = {**(file.add.tags or {}), **file_tags}
        add = replace(file.add, partition_values=sources[0].partition_values, data_change=False, tags=file_tags or None)
        adds.append(replace(add, clustering_provider=provider))
    return adds


def _cube_tags(operator: Rearrange) -> dict[str, str | None]:
    """Tags of files that were ordered together; ZORDER BY makes no cubes."""
    if operator.curve is not Curve.HILBERT:
        return {}
    return {CUBE_ID: str(uuid4()), CUBE_COLUMNS: json_list(operator.columns), CUBE_CURVE: Curve.HILBERT.value}


def _common_cube(sources: Sequence[AddFile]) -> dict[str, str | None]:
    """The tags of the cube that all files are in, if there is one: rows in their order stay in it."""
    cubes = [{key: (file.tags or {}).get(key) for key in (CUBE_ID, CUBE_COLUMNS, CUBE_CURVE)} for file in sources]
    same = cubes[0][CUBE_ID] is not None and all(tags == cubes[0] for tags in cubes)
    return {key: value for key, value in cubes[0].items() if value is not None} if same else {}


def _order_map(runtime: Runtime, sources: Sequence[AddFile], root: str) -> str:
    """Where each row came from: the n-th live row of all sources, one after another, is row n of the file."""
    from deltasql.files import row_count

    pairs: list[tuple[str, str | None, int]] = []
    for file in sources:
        vector, rows = file.deletion_vector, row_count(runtime.stores, file, root)
        pairs.append((file.path, vector.unique_id if vector else None, rows - (vector.cardinality if vector else 0)))
    return json.dumps(pairs, separators=(",", ":"))


def _done(bins: Sequence[Bin], adds: Sequence[AddFile]) -> LayoutOutcome:
    removed = [file for item in bins for file in item.inputs.values()]
    vectors = [file.deletion_vector.cardinality for file in removed if file.deletion_vector]
    return LayoutOutcome(
        added=[file.size for file in adds],
        removed=[file.size for file in removed],
        bins=len(bins),
        partitions=len({tuple(file.partition_values.items()) for file in removed}),
        vectors=(len(vectors), sum(vectors)),
        ended_ms=int(time.time() * 1000),
    )
