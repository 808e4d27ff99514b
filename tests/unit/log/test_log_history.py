from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from deltasql.base.errors import NotADeltaTableError, TimestampTooEarlyError, TimestampTooLateError
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.log_segment import classify
from deltasql.log.replay.snapshot import DeltaLog, file_times, timestamp_text
from deltasql.log.storage.log_store import Entry

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
File = Callable[[str], Path]

START = 1_700_000_000_000


def set_times(log_file: File, *times: int) -> None:
    for version, time in enumerate(times):
        os.utime(log_file(f"{version:020d}.json"), ns=(time * 1_000_000, time * 1_000_000))


@pytest.fixture
def log(create: Create, append: Append, log_file: File) -> DeltaLog:
    log = create()
    for number in range(5):
        append(log, str(number))
    set_times(log_file, *(START + time for time in (0, 5, 10, 7, 8, 14)))
    return DeltaLog(log.location, "main.t")


def test_file_times_never_go_back() -> None:
    times = [0, 5, 10, 7, 8, 14]
    listing = classify([Entry(f"_delta_log/{v:020d}.json", 1, time) for v, time in enumerate(times)], complete=True)
    assert list(file_times(listing).values()) == [0, 5, 10, 11, 12, 14]


def test_history_is_newest_first(log: DeltaLog) -> None:
    entries = log.history()
    assert [entry.version for entry in entries] == [5, 4, 3, 2, 1, 0]
    assert [entry.timestamp_ms - START for entry in entries] == [14, 12, 11, 10, 5, 0]
    assert [entry.info["operation"] for entry in entries[-2:]] == ["WRITE", "CREATE TABLE"]
    assert [entry.version for entry in log.history(2)] == [5, 4]


@pytest.mark.parametrize(
    ("offset_us", "version"), [(0, 0), (4_999, 0), (5_000, 1), (10_500, 2), (11_000, 3), (13_999, 4), (14_000, 5)]
)
def test_version_at(log: DeltaLog, offset_us: int, version: int) -> None:
    assert log.version_at(START * 1000 + offset_us) == version


def test_too_early_and_too_late(log: DeltaLog) -> None:
    with pytest.raises(TimestampTooEarlyError) as early:
        log.version_at(START * 1000 - 1)
    assert early.value.condition == "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"
    assert "2023-11-14 22:13:20.000+00:00" in early.value.message
    with pytest.raises(TimestampTooLateError) as late:
        log.version_at((START + 14) * 1000 + 1)
    assert late.value.condition == "DELTA_TIMESTAMP_GREATER_THAN_COMMIT"


def test_no_table(location: str) -> None:
    for ask in (lambda: DeltaLog(location).history(), lambda: DeltaLog(location).version_at(0)):
        with pytest.raises(NotADeltaTableError):
            ask()


def test_in_commit_timestamps_count_from_their_enablement(create: Create, append: Append, log_file: File) -> None:
    log = create(protocol=Protocol(1, 7, None, frozenset({"inCommitTimestamp"})))
    append(log, "a")
    set_times(log_file, START, START + 5)
    snapshot = log.snapshot()
    enabled = snapshot.metadata.with_configuration({"delta.enableInCommitTimestamps": "true"})
    Transaction(log, snapshot).commit(operations.SET_PROPERTIES, {}, [enabled])
    append(log, "b")
    # A copy of the table has other file times; they matter before the enablement only.
    set_times(log_file, START, START + 5, START + 6, START + 7)
    fresh = DeltaLog(log.location)
    times = [entry.timestamp_ms for entry in fresh.history()]
    assert times[0] > times[1] > START + 1000
    assert times[2:] == [START + 5, START]
    assert fresh.version_at(times[1] * 1000) == 2
    assert fresh.version_at(times[1] * 1000 - 1) == 1
    assert fresh.version_at(times[0] * 1000) == 3
    assert fresh.version_at((START + 5) * 1000) == 1


def test_only_the_head_of_a_big_commit_is_read(create: Create, add: Callable[..., AddFile]) -> None:
    log = create(*(add(f"some-longer-name-{number}") for number in range(1000)))
    assert log.history()[0].info["operation"] == "CREATE TABLE"


def test_shown() -> None:
    assert timestamp_text(1_000_001) == "1970-01-01 00:00:01.000001+00:00"
