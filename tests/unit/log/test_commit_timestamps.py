"""In-commit timestamps: each later than the one before, whatever clocks and files say."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import MetadataChangedError, TimestampTooEarlyError, TimestampTooLateError
from deltasql.log import operations
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
File = Callable[[str], Path]
Clock = Callable[[float], None]

ENABLED = {"delta.enableInCommitTimestamps": "true"}
SINCE = "delta.inCommitTimestampEnablement"
TIMED = Protocol(1, 7, None, frozenset({"inCommitTimestamp"}))
HOUR = 3_600_000
NOW = 1_700_000_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets what every writer of this process takes for the time, in ms."""
    return lambda now: monkeypatch.setattr("deltasql.log.commit.commit_writer.time.time", lambda: now / 1000)


def enable(log: DeltaLog, value: str = "true", snapshot: Any = None) -> Commit:
    snapshot = snapshot or log.snapshot()
    metadata = snapshot.metadata.with_configuration({"delta.enableInCommitTimestamps": value})
    return Transaction(log, snapshot).commit(operations.SET_PROPERTIES, {}, [metadata])


def info(log_file: File, version: int) -> dict[str, Any]:
    first = json.loads(log_file(f"{version:020d}.json").read_text().splitlines()[0])
    found: dict[str, Any] = first["commitInfo"]
    return found


def test_from_the_start(create: Create, append: Append, log_file: File, clock: Clock) -> None:
    clock(NOW)
    log = create(protocol=TIMED, configuration=ENABLED)
    append(log, "a")
    # Version 0 has no place to say since when: it is always so.
    assert not [key for key in log.snapshot().configuration if key.startswith(SINCE)]
    assert [info(log_file, version)["inCommitTimestamp"] for version in (0, 1)] == [NOW, NOW + 1]
    assert next(iter(info(log_file, 1))) == "inCommitTimestamp"
    assert json.loads(log_file(f"{1:020d}.crc").read_text())["inCommitTimestampOpt"] == NOW + 1
    assert log.version_at(NOW * 1000) == 0
    assert log.version_at((NOW + 1) * 1000) == 1


def test_a_clock_that_goes_back_a_day(create: Create, append: Append, log_file: File, clock: Clock) -> None:
    clock(NOW)
    log = create(protocol=TIMED, configuration=ENABLED)
    clock(NOW - 24 * HOUR)
    assert append(log, "a").snapshot.timestamp_ms == NOW + 1
    assert append(DeltaLog(log.location), "b").snapshot.timestamp_ms == NOW + 2
    clock(NOW + 1000)
    assert append(log, "c").snapshot.timestamp_ms == NOW + 1000


def test_writers_whose_clocks_disagree(create: Create, append: Append, clock: Clock) -> None:
    """The late one waits for nobody: it counts on from the winner's time."""
    clock(NOW)
    log = create(protocol=TIMED, configuration=ENABLED)
    late = Transaction(log, log.snapshot())
    clock(NOW + HOUR)
    append(DeltaLog(log.location), "ahead")
    clock(NOW + 5)
    commit = late.commit(operations.WRITE, {}, [])
    assert (commit.version, commit.snapshot.timestamp_ms) == (2, NOW + HOUR + 1)


def test_both_are_told_anew_after_a_lost_race(create: Create, append: Append, log_file: File, clock: Clock) -> None:
    log = create(protocol=TIMED)
    before = log.snapshot()
    append(DeltaLog(log.location), "other")
    # The winner has only its file's time, which is ahead of our clock.
    os.utime(log_file(f"{1:020d}.json"), ((NOW + HOUR) / 1000,) * 2)
    clock(NOW)
    commit = enable(log, snapshot=before)
    assert commit.snapshot.timestamp_ms == NOW + HOUR + 1
    assert commit.snapshot.configuration[f"{SINCE}Version"] == "2"
    assert commit.snapshot.configuration[f"{SINCE}Timestamp"] == str(NOW + HOUR + 1)


def test_who_did_not_see_the_enablement_is_stopped(create: Create, append: Append) -> None:
    log = create(protocol=TIMED)
    late = Transaction(log, log.snapshot())
    enable(DeltaLog(log.location))
    with pytest.raises(MetadataChangedError):
        late.commit(operations.WRITE, {}, [])


def test_off_and_on_again(create: Create, append: Append, log_file: File) -> None:
    log = create(protocol=TIMED, configuration=ENABLED)
    enable(log, "false")
    append(log, "a")
    assert "inCommitTimestamp" not in info(log_file, 1)
    assert "inCommitTimestamp" not in info(log_file, 2)
    assert "inCommitTimestampOpt" not in json.loads(log_file(f"{2:020d}.crc").read_text())
    commit = enable(log)
    assert commit.snapshot.configuration[f"{SINCE}Version"] == "3"
    assert commit.snapshot.configuration[f"{SINCE}Timestamp"] == str(info(log_file, 3)["inCommitTimestamp"])
    # Set once more, it is no enablement.
    assert enable(log).snapshot.configuration[f"{SINCE}Version"] == "3"


@pytest.mark.parametrize("later", [False, True])
def test_travel_across_the_enablement(
    create: Create, append: Append, log_file: File, clock: Clock, tmp_path: Path, later: bool
) -> None:
    """Versions 0 to 6 by file time, one an hour; 7 and 8 by their own. A copy has files that are later than all."""
    log = create(protocol=TIMED)
    for number in range(1, 7):
        append(log, f"f{number}")
    for version in range(7):
        os.utime(log_file(f"{version:020d}.json"), ((NOW + version * HOUR) / 1000,) * 2)
    log = DeltaLog(log.location)
    clock(NOW + 7 * HOUR)
    enable(log)
    clock(NOW + 8 * HOUR)
    append(log, "f8")
    shutil.copytree(log.location, tmp_path / "copy")
    if later:
        for version in range(9):
            file = tmp_path / "copy" / "_delta_log" / f"{version:020d}.json"
            os.utime(file, ((NOW + (90 + version) * HOUR) / 1000,) * 2)
    copy = DeltaLog(str(tmp_path / "copy"))

    def at(hours: float) -> int:
        return copy.version_at(int((NOW + hours * HOUR) * 1000))

    assert [at(hours) for hours in (7, 7.5, 8)] == [7, 7, 8]
    with pytest.raises(TimestampTooLateError):
        at(8.5)
    if later:
        with pytest.raises(TimestampTooEarlyError):
            at(6.5)
        return
    assert [at(hours) for hours in (0, 2.5, 6, 6.5)] == [0, 2, 6, 6]
    with pytest.raises(TimestampTooEarlyError):
        at(-1)


def test_the_checksum_knows_the_time_of_a_commit_that_is_gone(create: Create, append: Append, log_file: File) -> None:
    log = create(protocol=TIMED, configuration=ENABLED)
    time_of = append(log, "a").snapshot.timestamp_ms
    write_checkpoint(log.store, log.snapshot())
    for version in (0, 1):
        log_file(f"{version:020d}.json").unlink()
    fresh = DeltaLog(log.location)
    assert fresh.snapshot().timestamp_ms == time_of
    assert append(fresh, "b").snapshot.timestamp_ms > time_of
