"""The commit of OPTIMIZE and REORG: files with the rows of other files in another arrangement."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

from deltasql.base.errors.log import StorageError
from deltasql.base.settings.session_settings import SessionSettings
from deltasql.files.staged import StagedFile
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.moved_rows import SOURCE_TAG
from deltasql.log.commit.row_rebase import Bin, BinRebase
from deltasql.log.reading.clustering import CUBE_COLUMNS, CUBE_CURVE, CUBE_ID, PROVIDER
from deltasql.log.storage.locations import canonical, table_uri
from deltasql.plan.operators import Curve, Rearrange
from deltasql.planner.changes import OPTIMIZED, LayoutChange, LayoutOutcome, layout_metrics, layout_row
from deltasql.planner.door import Runtime
from deltasql.session.execution.commit import Committed, commit_staged, discarded_on_error
from deltasql.session.execution.races import RaceRules
from deltasql.statements.clustering_columns import json_list

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
    with suppress(StorageError):
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
    from deltasql.files.reading.pieces import row_count

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
