"""The rows of some files on which a statement depends, found in this process: for conflicts that are decided by rows.

A transaction that has lost a race asks which rows of a winner's files it would have changed. An engine's job for that
takes longer than the statement, and its start much longer; others of the same table wait meanwhile.
"""

from __future__ import annotations

from dataclasses import replace

from deltasql.base import LeftToEngineError, Numbers, np, pa
from deltasql.engines.local.rewrites import CompiledActions
from deltasql.engines.local.selections import BoundRows, indexes_where, plain_rows, require_plain, rows_of
from deltasql.engines.local.sources import equal_pairs, local_rows, paired
from deltasql.files import ADDRESS, SessionFacts, memory_limit, require_memory
from deltasql.plan import MemoryRows, Rewrite, RowEffect, RowKind
from deltasql.schema import StructField


def met_rows(
    session: SessionFacts, probe: Rewrite, source: MemoryRows | None, files: pa.Table, addresses: Numbers | None = None
) -> Numbers:
    """Ascending ROW_ADDRESS values, with numbers of `files`, of the rows that `probe` changes or depends on.

    `source` are the source's rows as the statement has used them; None for one without a source, or whose source gives
    the same rows again. With `addresses` those rows are considered, live or not. A statement that inserts rows without
    a match depends on all rows that have one.

    Raises LeftToEngineError where the result may differ from the engine's, and what `plain_rows` raises.
    """
    session.require_computing()
    join = probe.join
    given: MemoryRows | None = None
    if join is not None:
        if source is None and join.is_materialized:
            raise LeftToEngineError("the rows of the source are the engine's")
        rows = local_rows(session, join.source if source is None else source)
        given = MemoryRows(rows.schema, rows.read())
    compiled = CompiledActions(probe, None if given is None else given.schema)
    target = _target(session, probe, compiled, files, addresses)
    bound = rows_of(probe.target_alias, target)
    met = np.zeros(bound.count, dtype=bool)
    if join is None or given is None:
        _mark(met, compiled, RowKind.MATCHED, bound, np.arange(bound.count))
    else:
        assert compiled.on is not None
        others = rows_of(join.alias, given.table)
        left, right = equal_pairs(bound, others, compiled.on, memory_limit(session))
        if any(action.effect is RowEffect.INSERT for action in probe.actions):
            met[left] = True
        else:
            _mark(met, compiled, RowKind.MATCHED, paired(bound, left, others, right), left)
        alone = np.setdiff1d(np.arange(bound.count), left)
        _mark(met, compiled, RowKind.NOT_MATCHED_BY_SOURCE, bound.at(alone), alone)
    found: Numbers = target.column(ADDRESS.name).to_numpy()[met]
    return np.sort(found)


def _mark(met: Numbers, compiled: CompiledActions, kind: RowKind, rows: BoundRows, indexes: Numbers) -> None:
    """Marks the target rows, whose indexes are given for each of `rows`, for which an action of a kind runs."""
    for action in compiled.actions:
        if action.action.kind is kind:
            met[indexes[indexes_where(action.condition, rows)]] = True


def _target(
    session: SessionFacts, probe: Rewrite, compiled: CompiledActions, files: pa.Table, addresses: Numbers | None
) -> pa.Table:
    """The columns of the files that the conditions use, with ROW_ADDRESS."""
    scan = replace(probe.target, files=files, identity=False, row_ids=None)
    used = compiled.used(())
    columns: list[StructField] = [item for item in scan.schema if item.name in used]
    require_plain(columns, scan.partition_columns)
    if any(item.name.lower() in map(str.lower, scan.partition_columns) for item in columns):
        raise LeftToEngineError("a condition uses a partition column")
    require_memory(session, sum(files.column("size").to_pylist()))
    return plain_rows(session, scan, (*columns, ADDRESS), addresses=addresses)
