"""The commit of one transaction to several tables: the catalog that manages them ratifies all versions, or none."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.log import AmbiguousWriteError, CommitRetriesExceededError, StorageError
from deltasql.base.interrupts import note_commit, note_doubt, shielded
from deltasql.log.actions.actions import Action, TransactionGroup
from deltasql.log.commit.commit_race import MOST_ATTEMPTS, MOST_SECONDS, CommitRace, WonRace, back_off
from deltasql.log.commit.commit_writer import CommitText
from deltasql.log.commit.transaction import Commit, PreparedCommit
from deltasql.log.committer.committers import CatalogCommitter, StagedCommit, ratified
from deltasql.log.storage.log_store import LogStore


class CommitGroup:
    """Commits `members`, of one catalog, together; `watched` are races of tables that were only read. Used once.

    All versions become visible at one moment. The watched tables must then be at versions that do not conflict with
    what was read of them.
    """

    def __init__(self, members: Sequence[PreparedCommit], watched: Iterable[CommitRace]) -> None:
        self._members = {member.transaction.location: member for member in members}
        self._watched = {race.location: race for race in watched}
        self._catalog = _committer(members[0]).catalog

    def run(self) -> list[Commit]:
        """The commits, in the order of the members.

        Raises a ConcurrentModificationError for the first table with a winner that is in the way, then none is
        committed; CommitRetriesExceededError, AmbiguousWriteError, and the errors of `commit_rules`.
        """
        try:
            won = self._won()
        except BaseException:
            for member in self._members.values():
                member.discard()
            raise
        return [member.finish(won[location]) for location, member in self._members.items()]

    def _won(self) -> Mapping[str, WonRace]:
        deadline, attempts = time.monotonic() + MOST_SECONDS, 0
        while attempts < MOST_ATTEMPTS and time.monotonic() < deadline:
            attempts += 1
            for member in self._members.values():
                member.race.put_preceding()
            texts = self._texts()
            try:
                lost = self._ratified(texts)
            except AmbiguousWriteError:
                known = self._recovered(attempts)
                if known is None:
                    note_doubt()
                    raise
                return known
            if not lost:
                return {place: member.race.won(texts[place], attempts) for place, member in self._members.items()}
            for location in lost:
                self._race(location).after_loss(attempts)
            back_off(attempts)
        race = next(iter(self._members.values())).race
        raise CommitRetriesExceededError(race.table, attempts, race.version)

    def _texts(self) -> Mapping[str, CommitText]:
        """The commit of each table, with the versions of all where there are several."""
        further: Sequence[Action] = ()
        if len(self._members) > 1:
            tables = tuple((member.race.table_id, member.race.version) for member in self._members.values())
            transaction = next(iter(self._members.values())).transaction
            further = (TransactionGroup(transaction.transaction_id, tables),)
        return {location: member.race.text(further) for location, member in self._members.items()}

    def _ratified(self, texts: Mapping[str, CommitText]) -> Collection[str]:
        """The locations of tables that prevent the commits; empty if they are all versions now."""
        unchanged = {location: race.version - 1 for location, race in self._watched.items()}
        with shielded():
            self._say_needed(True)
            try:
                lost = ratified(self._catalog, self._staged(texts), unchanged)
            except AmbiguousWriteError:
                raise
            except DeltaSqlError:
                self._say_needed(False)
                raise
            self._say_needed(not lost)
            for location in () if lost else texts:
                note_commit(self._race(location).table, texts[location].version)
        return lost

    def _staged(self, texts: Mapping[str, CommitText]) -> Mapping[StagedCommit, LogStore]:
        """Stages all commits. Raises StorageError, after those that were staged are deleted."""
        staged: dict[StagedCommit, LogStore] = {}
        try:
            for location, text in texts.items():
                committer = _committer(self._members[location])
                staged[committer.stage(text.version, text.data)] = committer.store
        except DeltaSqlError:
            for commit, store in staged.items():
                with suppress(StorageError):
                    store.delete([commit.path])
            self._say_needed(False)
            raise
        return staged

    def _recovered(self, attempts: int) -> Mapping[str, WonRace] | None:
        """The commits as the logs have them, although the catalog has not answered; None if it is not certain."""
        won: dict[str, WonRace] = {}
        for location, member in self._members.items():
            try:
                found = member.race.recovered(member.race.newer_commits(), attempts)
            except DeltaSqlError:
                return None
            if found is None:
                return None
            won[location] = found
        return won

    def _race(self, location: str) -> CommitRace:
        member = self._members.get(location)
        return self._watched[location] if member is None else member.race

    def _say_needed(self, needed: bool) -> None:
        for member in self._members.values():
            member.race.says_needed(needed)


def _committer(member: PreparedCommit) -> CatalogCommitter:
    assert isinstance(member.committer, CatalogCommitter)
    return member.committer
