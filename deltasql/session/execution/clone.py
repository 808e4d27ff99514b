"""The commit of CREATE TABLE … CLONE: files are copied first where the clone has its own, then one put decides."""

from __future__ import annotations

from deltasql.base.interrupts import shielded
from deltasql.base.settings.session_settings import SessionSettings
from deltasql.catalog import Catalog
from deltasql.log.commit.conflict import Rebase
from deltasql.log.storage.copying import copy_files
from deltasql.planner.changes import CloneChange
from deltasql.session.execution.commit import Committed, RaceRules, adds_of, commit_actions, register, removals


class StagedClone:
    """A clone whose files are copied. They are removed again if it is not committed."""

    def __init__(self, change: CloneChange, catalog: Catalog, settings: SessionSettings) -> None:
        """Copies the files. Raises LostDataFileError, StorageError, and InvalidSettingError."""
        self._change, self._catalog, self._settings = change, catalog, settings
        self._store = change.commit.log.store
        self._rules = RaceRules.of(settings)
        self._needed = False
        self._copies = bool(len(change.files.data) or change.files.vectors)
        if self._copies:
            try:
                copy_files(self._store, change.files.copies())
            except BaseException:
                self.discard()
                raise

    def commit(self) -> Committed:
        change = self._change
        try:
            if self._copies:
                # A version that outlives a crash must find its files.
                self._store.settle([change.folder])
            removes = removals(adds_of(change.commit.snapshot, change.files.removed))
            commit = commit_actions(
                change,
                [*change.commit.actions, *removes],
                change.metrics,
                self._settings,
                Rebase(self._rules.strict),
                self._need,
                added=change.files.added,
            )
        except BaseException:
            self.discard()
            raise
        assert commit is not None
        register(change.commit.register, self._catalog, change.commit.log.store)
        return Committed(change.answer.schema, change.answer.rows, commit.version, change.metrics, commit.attempts)

    def contribution(self) -> None:
        """None: a clone never is one of several statements of a transaction."""
        return

    def discard(self) -> None:
        """Removes the copies, unless a commit may need them; VACUUM finds what cannot be removed now."""
        if self._copies and not self._needed:
            with shielded():
                self._store.delete_below(self._change.folder)

    def _need(self, needed: bool) -> None:
        self._needed = needed
