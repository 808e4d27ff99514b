"""The changes of a transaction to one table: its statements' contributions, their net effect, and its commit.

The commit must have the change data feed from the version before, row by row. A commit with change files is described
by these alone. So as soon as one statement has written some, the changes of the others, which would be derived from
data files, are written as well. Source: Delta protocol, Reading Change Data Files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from deltasql.base import SessionSettings, errors, session_settings
from deltasql.log import (
    ENABLEMENT_TAG,
    AddCDCFile,
    AddFile,
    Commit,
    FollowingRebase,
    JoinedRows,
    Metadata,
    NetActions,
    PinnedLog,
    PreparedCommit,
    Provenance,
    Rebase,
    RemoveFile,
    RowRebase,
    TouchedRows,
    Transaction,
    canonical,
    changes_of,
    now_ms,
    operations,
    pending_commit,
    shown_parameters,
    table_properties,
    vector_file,
)
from deltasql.plan import Reads
from deltasql.planner import WHOLE_TABLE, RowChange, RowReader, Stage, derived_changes
from deltasql.session.execution.commit import Contribution, RaceRules, commit_tags, discarded_on_error
from deltasql.session.execution.row_change import SCHEMA_UPDATE_TAG

_TWICE = "it changes rows, or copies some, which the transaction has changed before."
_SWITCHED = "rows have changed before the feed was switched on or off."


def with_feed(contribution: Contribution, before: NetActions, log: PinnedLog) -> tuple[Contribution, NetActions]:
    """A statement and those before it, with the change files that their commit needs.

    Raises FeedInTransactionError where the changes of both are not those of one commit: of a row that both have
    changed, the feed would tell what nobody has ever seen.
    """
    has_feed = log.snapshot().properties[table_properties.CHANGE_DATA_FEED]
    if not before.changes_files:
        return contribution, before
    if _feed_after(contribution, has_feed) != has_feed:
        raise _error(contribution, log, _SWITCHED)
    if not has_feed or not (contribution.marked or _has(contribution, (AddFile, RemoveFile))):
        return contribution, before
    writes = _has(contribution, (AddCDCFile,))
    if not writes and not before.changes:
        return contribution, before
    if before.touches_added(contribution.actions, contribution.marked):
        raise _error(contribution, log, _TWICE)
    if writes and not before.changes:
        return contribution, before.recording(_recorded(contribution, _stage_of(contribution, log), before, log))
    if not writes:
        stage = _stage_of(contribution, log)
        net = NetActions(log.location).after(contribution.actions, now_ms(), contribution.marked, contribution.marking)
        with discarded_on_error(stage):
            changes = _recorded(contribution, stage, net, log)
        contribution = replace(contribution, stage=stage, actions=(*contribution.actions, *changes))
    return contribution, before


def _has(contribution: Contribution, kinds: tuple[type, ...]) -> bool:
    return any(isinstance(action, kinds) for action in contribution.actions)


def _feed_after(contribution: Contribution, before: bool) -> bool:
    """Whether the table has a feed once the statement is done."""
    stated = [
        action.properties[table_properties.CHANGE_DATA_FEED]
        for action in contribution.actions
        if isinstance(action, Metadata)
    ]
    return stated[-1] if stated else before


def _stage_of(contribution: Contribution, log: PinnedLog) -> Stage:
    """Where the statement's files are; a place for some where it has written none so far."""
    if contribution.stage is not None:
        return contribution.stage
    metadata = log.snapshot().metadata
    return contribution.runtime.stage(log.location, metadata.partition_columns, metadata.configuration)


def _recorded(contribution: Contribution, stage: Stage, net: NetActions, log: PinnedLog) -> tuple[AddCDCFile, ...]:
    """Change files for what follows from the data files of `net`, written by the engine of a statement."""
    snapshot = log.snapshot()
    commit = pending_commit(net, snapshot.version, now_ms())
    return contribution.runtime.record(derived_changes(changes_of(log, commit), snapshot), snapshot.schema, stage)


def _error(contribution: Contribution, log: PinnedLog, reason: str) -> errors.FeedInTransactionError:
    return errors.FeedInTransactionError(
        operation=str(contribution.change.commit.operation), table=log.table, reason=reason
    )


def is_managed(log: PinnedLog) -> bool:
    """Whether the session's catalog ratifies the commits of a table."""
    return log.read.by_catalog and log.read.is_managed


class WrittenTable:
    """Uncommitted statements that write the table of `log`, and their net effect."""

    def __init__(self, log: PinnedLog, settings: SessionSettings) -> None:
        self.log = log
        self.parts: list[Contribution] = []
        self.net = NetActions(log.location)
        self._settings = settings

    def join(self, given: Contribution) -> None:
        """Adds a statement. Raises what `with_feed` raises, and changes nothing then."""
        given, before = with_feed(given, self.net, self.log)
        net = before.after(given.actions, now_ms(), given.marked, given.marking)
        self.log.put_on_top(net)
        self.net = net
        self.parts.append(given)

    def prepare(self, queries: Sequence[Reads], transaction_id: str, *, blind: bool | None = None) -> PreparedCommit:
        """The commit of the net effect. `queries` are read sets of queries in the table.

        `blind` is False if the transaction has read other tables. Raises what `Transaction.prepare` raises.
        """
        stages = [part.stage for part in self.parts if part.stage is not None]

        def need(needed: bool) -> None:
            for stage in stages:
                stage.need(needed)

        transaction = Transaction(self.log.real, self.log.read)
        transaction.transaction_id = transaction_id
        transaction.need = need
        for reads in (*queries, *self._reads()):
            transaction.record_read(reads.predicate, reads.files, reads.whole_table, reads.matches)
        rows = [part.change.rows for part in self.parts if isinstance(part.change, RowChange)]
        transaction.advise(next((item.advice for item in rows if item.advice), ""))
        # A version that outlives a crash must find its files.
        self.log.store.settle([folder for stage in stages for folder in stage.directories])
        rebase = self._rebase(by_rows=not queries)
        return transaction.prepare(self._provenance(), self.net.fixed_actions(), rebase, blind_append=blind)

    def discard(self) -> None:
        """Removes the files that the statements have staged, unless a commit may need them."""
        for part in self.parts:
            if part.stage is not None:
                part.stage.discard()

    def release(self) -> None:
        """Releases the engine's resources of the statements."""
        for part in self.parts:
            part.runtime.release()

    def remove_unused(self, commit: Commit) -> None:
        """Removes staged files that a later statement of the transaction has replaced."""
        log, root = self.log, self.log.location
        made = log.real.reader.commit(commit.version).materialized(log.table)
        used = {canonical(add["path"], root) for add in made.adds}
        used |= {vector_file(add["deletionVector"], root) or "" for add in made.adds if add.get("deletionVector")}
        used |= {canonical(change.path, root) for change in self.net.changes}
        with suppress(errors.StorageError):
            # Files that remain are unreferenced, and VACUUM removes them.
            log.store.delete(sorted(_written_files(self.parts, root) - used))

    @property
    def depends_on_rows(self) -> bool:
        """Whether a statement has a read set."""
        return any(True for _ in self._reads())

    @property
    def metrics(self) -> Mapping[str, int]:
        """The sum of each metric over the statements."""
        sums: dict[str, int] = {}
        for part in self.parts:
            for name, value in part.answer.metrics.items():
                sums[name] = sums.get(name, 0) + value
        return sums

    def _reads(self) -> Iterator[Reads]:
        """The read sets of the statements; the whole table for one without a read set."""
        for part in self.parts:
            reads = part.change.commit.reads
            if reads is not None:
                yield reads
            elif _takes_rows(part):
                yield WHOLE_TABLE

    def _provenance(self) -> Provenance:
        """The entry for the table's history: of the single statement, or TRANSACTION with a list of the statements."""
        first, *others = (part.change.commit for part in self.parts)
        notes = [spec.user_metadata for spec in (first, *others) if spec.user_metadata]
        note = notes[-1] if notes else self._settings[session_settings.USER_METADATA]
        if not others:
            return Provenance(first.operation, first.parameters, self.metrics, note, tags=self._tags)
        told = [
            {"operation": spec.operation.name, "operationParameters": shown_parameters(spec.parameters)}
            for spec in (first, *others)
        ]
        return Provenance(operations.TRANSACTION, {"statements": told}, self.metrics, note, tags=self._tags)

    @property
    def _tags(self) -> Mapping[str, str] | None:
        """Tags of the commit: the union of the statements' tags, without those that do not hold for all of them."""
        tags = [commit_tags(part.change) or {} for part in self.parts]
        if len(tags) == 1:
            return tags[0]
        both = {key: value for item in tags for key, value in item.items() if key != ENABLEMENT_TAG}
        stated = [item for item, part in zip(tags, self.parts, strict=True) if _states_metadata(part)]
        if any(SCHEMA_UPDATE_TAG not in item for item in stated):
            # Otherwise readers would take the commit for one that only advances identity columns.
            both.pop(SCHEMA_UPDATE_TAG, None)
        return both or None

    def _rebase(self, *, by_rows: bool) -> Rebase:
        """The rebase onto concurrent commits: row-level if every statement supports it, else file-level."""
        net, log = self.net, self.log
        rules, marking = RaceRules.of(self._settings), net.marking(now_ms())
        if not rules.follow_rows_of(log.read):
            return Rebase(rules.strict, () if marking is None else marking.actions)
        read = self.parts[0].runtime.row_reader(log.read, None, None, None, rules.time_zone)
        describe = self.parts[0].describe if len(self.parts) == 1 else None
        readers = self._row_readers(rules.time_zone, by_rows=by_rows)
        if not readers:
            touched = TouchedRows(log.store, log.location, read, dict(net.marked), marking)
            return FollowingRebase(touched, rules.strict, describe)
        rows = JoinedRows(read, readers)
        touched = TouchedRows(log.store, log.location, rows, dict(net.marked), marking)
        return RowRebase(touched, rows, rules.budget, rules.strict, describe)

    def _row_readers(self, time_zone: str | None, *, by_rows: bool) -> list[RowReader]:
        """A row reader for each statement that depends on rows; empty if one of these has no row-level read set."""
        readers: list[RowReader] = []
        for part in self.parts:
            spec, probe = part.change.commit, part.change.rows.probe if isinstance(part.change, RowChange) else None
            if spec.reads is None and not _takes_rows(part):
                continue
            if probe is None or spec.snapshot is None or not by_rows:
                return []
            readers.append(part.runtime.row_reader(spec.snapshot, spec.reads, probe, part.stage, time_zone))
        return readers


def _written_files(parts: Sequence[Contribution], root: str) -> set[str]:
    """The files that statements have staged for their table, by canonical path."""
    actions = [action for part in parts for action in part.actions if isinstance(action, (AddFile, AddCDCFile))]
    vectors = {part.marking.vector_file for part in parts if part.marking is not None and part.marking.vector_file}
    return {canonical(action.path, root) for action in actions} | vectors


def _takes_rows(part: Contribution) -> bool:
    return bool(part.marked) or any(isinstance(action, RemoveFile) for action in part.actions)


def _states_metadata(part: Contribution) -> bool:
    return any(isinstance(action, Metadata) for action in part.actions)
