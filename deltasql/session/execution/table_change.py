"""The commit of a change without new rows: metadata, and files that leave as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.features import DropCheckpointError
from deltasql.base.lazy import pa
from deltasql.base.settings.session_settings import SessionSettings
from deltasql.catalog import Catalog
from deltasql.log.actions.actions import AddFile
from deltasql.log.actions.operations import Outcome
from deltasql.log.actions.record_count import live_rows
from deltasql.log.commit.transaction import Commit
from deltasql.log.upkeep.cleanup import forget_versions
from deltasql.planner.changes import OUTCOME_SCHEMAS, TableChange
from deltasql.planner.door import Runtime
from deltasql.session.execution.commit import Committed, Contribution, adds_of, commit_actions, register, removals
from deltasql.session.execution.metrics import removed_metrics
from deltasql.session.execution.races import RaceRules, rebase_of


class StagedTable:
    """A change of a table without new rows. It stages nothing, so that there is nothing to discard."""

    def __init__(self, change: TableChange, runtime: Runtime, catalog: Catalog, settings: SessionSettings) -> None:
        """Raises what `change.verify` says of rows that are in the way, and InvalidSettingError."""
        for check in change.verify:
            if runtime.rows(check.broken).head(1):
                raise check.error
        self._change, self._catalog, self._settings = change, catalog, settings
        self._runtime = runtime
        self._rebase = rebase_of(change, RaceRules.of(settings), runtime)

    def commit(self) -> Committed:
        change, contribution = self._change, self.contribution()
        if contribution.is_empty:
            return replace(contribution.answer, metrics={})
        commit = commit_actions(change, contribution.actions, contribution.answer.metrics, self._settings, self._rebase)
        # Only changes with rows find that others have left them nothing.
        assert commit is not None
        register(change.commit.register, self._catalog, change.commit.log.store)
        if change.checkpoint:
            _checkpoint(change, commit)
        return replace(contribution.answer, version=commit.version, attempts=commit.attempts)

    def contribution(self) -> Contribution:
        change, spec = self._change, self._change.commit
        removes = adds_of(spec.snapshot, change.removed)
        metrics = _metrics(change, removes)
        outcome = spec.operation.outcome
        rows = _deleted_rows(change.removed) if outcome is Outcome.DELETE else None
        if rows is not None and rows >= 0:
            metrics["numDeletedRows"] = rows
        schema = OUTCOME_SCHEMAS[outcome]
        answer: tuple[tuple[Any, ...], ...] = ((rows,),) if rows is not None else ()
        if change.answer is not None:
            schema, answer = change.answer.schema, change.answer.rows
        actions = [*spec.actions, *removals(removes)]
        return Contribution(change, actions, Committed(schema, answer, None, metrics), self._runtime)

    def discard(self) -> None:
        """Nothing: no file was written."""


def _metrics(change: TableChange, removes: Sequence[AddFile]) -> dict[str, int]:
    if change.metrics is not None:
        return dict(change.metrics)
    return removed_metrics(removes) if change.removed is not None else {}


def _checkpoint(change: TableChange, commit: Commit) -> None:
    """The checkpoint that must be there before the statement goes on. Raises DropCheckpointError."""
    # Takes Arrow, which most commits of metadata do without.
    from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

    try:
        write_checkpoint(change.commit.log.store, commit.snapshot)
        if change.forget_before_ms is not None:
            forget_versions(change.commit.log.store, commit.snapshot, change.forget_before_ms)
    except (DeltaSqlError, OSError) as error:
        raise DropCheckpointError(change.commit.log.table, commit.version, str(error).rstrip(".")) from error


def _deleted_rows(files: pa.Table | None) -> int:
    """Rows in files that go as a whole, from their statistics; -1 where one of them has none."""
    if files is None:
        return 0
    counts = live_rows(files)
    counted = [count for count in counts if count is not None]
    return sum(counted) if len(counted) == len(counts) else -1
