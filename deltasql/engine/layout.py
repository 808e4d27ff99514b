"""The commit of OPTIMIZE and REORG: files that only hold the rows of others in another arrangement."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import uuid4

from deltasql.engine.commit import Committed, StagedChange, commit_staged, discarded_on_error
from deltasql.engine.engine import StatementEngine
from deltasql.engine.staged import StagedFile
from deltasql.engine.write import Stage, row_count
from deltasql.log.actions import AddFile
from deltasql.log.clustering import CUBE_COLUMNS, CUBE_CURVE, CUBE_ID, PROVIDER
from deltasql.plan.operators import Curve, Rearrange
from deltasql.planner.changes import LayoutChange
from deltasql.planner.clustering_columns import json_list
from deltasql.planner.inspect import table_uri
from deltasql.planner.layout import OPTIMIZED, Arranged, layout_metrics, layout_row
from deltasql.planner.settings import Settings

SOURCE_TAG = "deltasql.src"
"""Tag of a file whose rows are those of others in order: `[[path, deletion vector's id or null, live rows], …]`."""
MOST_SOURCES = 1000
"""A longer list is left out: a tag stays in every checkpoint for as long as its file."""


def stage_layout(change: LayoutChange, engine: StatementEngine, settings: Settings) -> StagedChange:
    """Writes the new files. They are removed again if no commit comes to refer to them."""
    stage = Stage(engine.spark, change.log.location, (), change.snapshot.configuration)
    files = change.operator.target.files
    old = {file.path: file for file in change.snapshot.add_files(files.column("path").to_pylist())}
    with discarded_on_error(stage):
        staged, bins = engine.rearrange(change.operator, stage)
        adds = _successors(change, staged.files, bins, old)
    return StagedChange(lambda: _commit_layout(change, adds, list(old.values()), settings, stage), stage.discard)


def _commit_layout(
    change: LayoutChange, adds: Sequence[AddFile], old: Sequence[AddFile], settings: Settings, stage: Stage
) -> Committed:
    done = _done(change.operator, adds, old)
    removes = [file.remove(done.ended_ms, data_change=False) for file in old]
    metrics = layout_metrics(done)
    commit = commit_staged(change, [*removes, *adds], metrics, settings, stage)
    row = layout_row(table_uri(change.snapshot.location), change.considered, done)
    return Committed(OPTIMIZED, (row,), commit.version, metrics, commit.attempts)


def _successors(
    change: LayoutChange, staged: Sequence[StagedFile], bins: Sequence[int], old: Mapping[str, AddFile]
) -> list[AddFile]:
    """The actions of the new files: partition values as their predecessors have them, and tags that tell of these.

    `bins` has the bin of each staged file's origin.
    """
    operator, members, cubes = change.operator, dict[int, list[AddFile]](), dict[int, str]()
    paths = operator.target.files.column("path").to_pylist()
    for path, number in zip(paths, operator.bins.to_pylist(), strict=True):
        members.setdefault(number, []).append(old[path])
    whole = Counter(file.origin for file in staged)
    adds = []
    for file in staged:
        number = bins[int(file.origin or 0)]
        sources = members[number]
        cube = cubes.setdefault(number, str(uuid4()))
        tags = _cube_tags(operator, cube) if operator.curve is not None else _common_cube(sources)
        provider = PROVIDER if tags else None
        if operator.curve is None and whole[file.origin] == 1 and len(sources) <= MOST_SOURCES:
            tags = {**tags, SOURCE_TAG: _order_map(sources, change.log.location)}
        values = sources[0].partition_values
        tags = {**(file.add.tags or {}), **tags}
        add = replace(file.add, partition_values=values, data_change=False, tags=tags or None)
        adds.append(replace(add, clustering_provider=provider))
    return adds


def _cube_tags(operator: Rearrange, cube: str) -> dict[str, str | None]:
    """Tags of files that were ordered together; ZORDER BY makes no cubes."""
    if operator.curve is not Curve.HILBERT:
        return {}
    return {CUBE_ID: cube, CUBE_COLUMNS: json_list(operator.columns), CUBE_CURVE: Curve.HILBERT.value}


def _common_cube(sources: Sequence[AddFile]) -> dict[str, str | None]:
    """The tags of the cube that all files are in, if there is one: rows in their order stay in it."""
    found = [{key: (file.tags or {}).get(key) for key in (CUBE_ID, CUBE_COLUMNS, CUBE_CURVE)} for file in sources]
    same = found[0][CUBE_ID] is not None and all(tags == found[0] for tags in found)
    return {key: value for key, value in found[0].items() if value is not None} if same else {}


def _order_map(sources: Sequence[AddFile], root: str) -> str:
    """Where each row came from: the n-th live row of all sources, one after another, is row n of the file."""
    places: list[tuple[str, str | None, int]] = []
    for file in sources:
        vector, rows = file.deletion_vector, row_count(file, root)
        places.append((file.path, vector.unique_id if vector else None, rows - (vector.cardinality if vector else 0)))
    return json.dumps(places, separators=(",", ":"))


def _done(operator: Rearrange, adds: Sequence[AddFile], removed: Collection[AddFile]) -> Arranged:
    vectors = [file.deletion_vector.cardinality for file in removed if file.deletion_vector]
    return Arranged(
        added=[file.size for file in adds],
        removed=[file.size for file in removed],
        bins=operator.bins[-1].as_py() + 1,
        partitions=len({tuple(file.partition_values.items()) for file in removed}),
        vectors=(len(vectors), sum(vectors)),
        ended_ms=int(time.time() * 1000),
    )
