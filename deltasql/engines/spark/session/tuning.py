"""Spark's settings while a statement runs: changed for it, and put back as they were."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltasql.files import FEW_BYTES, TINY_BYTES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHUFFLES = "spark.sql.shuffle.partitions"
FACTORY = "spark.sql.codegen.factoryMode"

FOR_FEW_ROWS = {
    # Planning and code generation cost more than the rows: measured 0.50 s → 0.22 s for a join and a write of two rows.
    SHUFFLES: "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    FACTORY: "NO_CODEGEN",
}

FOR_SMALL_TABLES = {
    # What fits into one file is written as one.
    SHUFFLES: "1",
}

FOR_SCANS = {
    # Explicit file lists need no listing job: 5,000 paths plan in 0.5 s instead of 14 s.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000000",
}

FOR_WRITES = {
    # INT96, the default, has no statistics in the footer.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}

SHREDDING = "spark.sql.variant.writeShredding.enabled"
"""Spark by default takes variants apart into columns of their own, for which a table must have the feature."""


def for_writes(shredding: bool) -> Mapping[str, str]:
    """The settings for new data files; with `shredding` variants may be taken apart."""
    return {**FOR_WRITES, SHREDDING: str(shredding).lower()}


def for_rebalancing(bin_bytes: int | None) -> Mapping[str, str]:
    """The settings under which rows are rebalanced into tasks of about so many bytes; none where they are not."""
    if bin_bytes is None:
        return {}
    return {"spark.sql.adaptive.enabled": "true", "spark.sql.adaptive.advisoryPartitionSizeInBytes": str(bin_bytes)}


def for_size(size_in_bytes: int) -> Mapping[str, str]:
    """The settings that suit a statement over so many bytes of input; none where the usual ones do."""
    if size_in_bytes >= FEW_BYTES:
        return {}
    return FOR_FEW_ROWS if size_in_bytes < TINY_BYTES else FOR_SMALL_TABLES


@dataclass(slots=True, eq=False)
class _AppliedSetting:
    value: str | None
    before: str | None
    threads: list[int]


class Tuning:
    """The settings of one Spark session that are changed while statements run.

    Statements of several threads may run at once, where several sessions of deltasql were given one Spark session. What
    one of them needs stays until the last that needs it ends, and what only makes small statements fast is restored as
    soon as a statement runs that it does not suit.
    """

    def __init__(self, usual: Mapping[str, str]) -> None:
        """`usual` are the settings that the session began with: any other one was set by its user, and stays."""
        self._usual = usual
        self._change = threading.Condition(threading.RLock())
        self._settings: dict[str, list[_AppliedSetting]] = {}
        self._fast: dict[str, str | None] = {}
        self._running: list[Mapping[str, str]] = []

    @contextmanager
    def needs(self, session: SparkSession, settings: Mapping[str, str | None]) -> Iterator[None]:
        """Holds settings that the work depends on (None: not set). Within it others may hold for a part of the work."""
        taken: list[tuple[str, _AppliedSetting]] = []
        try:
            with self._change:
                for key, value in settings.items():
                    taken.append((key, self._take(session, key, value)))
            yield
        finally:
            with self._change:
                for key, setting in reversed(taken):
                    self._give(session, key, setting)
                self._change.notify_all()

    def _take(self, session: SparkSession, key: str, value: str | None) -> _AppliedSetting:
        thread, holders = threading.get_ident(), self._settings.setdefault(key, [])
        while holders and holders[-1].value != value and thread not in holders[-1].threads:
            # Another thread needs it otherwise.
            self._change.wait(0.1)
        if holders and holders[-1].value == value:
            holders[-1].threads.append(thread)
            return holders[-1]
        setting = _AppliedSetting(value, session.conf.get(key, None), [thread])
        if setting.before != value:
            _restore(session, key, value)
        holders.append(setting)
        return setting

    def _give(self, session: SparkSession, key: str, setting: _AppliedSetting) -> None:
        setting.threads.remove(threading.get_ident())
        if setting.threads:
            return
        holders = self._settings[key]
        index = holders.index(setting)
        if index + 1 < len(holders):
            holders[index + 1].before = setting.before
        elif setting.before != setting.value:
            _restore(session, key, setting.before)
        del holders[index]

    @contextmanager
    def suits(self, session: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
        """Holds settings that make a statement over few rows fast, as long as they suit all that run.

        Some statements are wrong under settings that others ask for: generated code is left out for tiny inputs only.
        """
        with self._change:
            self._running.append(settings)
            self._restore_unsuited(session)
            for key, value in settings.items():
                before = session.conf.get(key, None)
                if key not in self._fast and self._suits_all(key) and before in {None, self._usual.get(key)}:
                    self._fast[key] = before
                    session.conf.set(key, value)
        try:
            yield
        finally:
            with self._change:
                # Another statement may run with equal settings: the first of them stands for it.
                self._running.remove(settings)
                if not self._running:
                    self._restore_unsuited(session)

    def _restore_unsuited(self, session: SparkSession) -> None:
        for key in [key for key in self._fast if not self._running or not self._suits_all(key)]:
            _restore(session, key, self._fast.pop(key))

    def _suits_all(self, key: str) -> bool:
        """Whether each running statement asks for this setting; all ask for the same value, see `for_size`."""
        return all(key in settings for settings in self._running)


def _restore(session: SparkSession, key: str, value: str | None) -> None:
    if value is None:
        session.conf.unset(key)
        return
    session.conf.set(key, value)
