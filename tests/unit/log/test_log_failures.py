"""What a log says that is damaged, or that others write to all the time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltasql.errors.log import CommitRetriesExceededError, MissingCommitTimestampError, NoCommitsFoundError
from deltasql.log import transaction
from deltasql.log.protocol import Protocol
from deltasql.log.table import DeltaLog
from deltasql.log.transaction import Commit

IN_COMMIT = {"delta.enableInCommitTimestamps": "true"}
WITH_TIMES = Protocol(3, 7, frozenset(), frozenset({"inCommitTimestamp"}))


def test_a_log_of_checkpoints_alone_has_no_version_at_a_time(
    create: Callable[..., DeltaLog], log_file: Callable[[str], Path], location: str
) -> None:
    log = create()
    log.checkpoint()
    log_file(f"{0:020d}.json").unlink()
    with pytest.raises(NoCommitsFoundError) as caught:
        DeltaLog(location, "main.t").version_at(0)
    assert caught.value.condition == "DELTA_NO_COMMITS_FOUND"


def test_a_commit_without_its_time_is_told(
    create: Callable[..., DeltaLog], log_file: Callable[[str], Path], location: str
) -> None:
    create(configuration=IN_COMMIT, protocol=WITH_TIMES)
    commit = log_file(f"{0:020d}.json")
    commit.write_text("\n".join(line for line in commit.read_text().splitlines() if "inCommitTimestamp\":" not in line))
    log_file(f"{0:020d}.crc").unlink(missing_ok=True)
    with pytest.raises(MissingCommitTimestampError) as caught:
        DeltaLog(location, "main.t").snapshot().timestamp  # noqa: B018
    assert caught.value.condition == "DELTA_MISSING_COMMIT_TIMESTAMP"


def test_a_race_that_is_always_lost_ends(
    create: Callable[..., DeltaLog], append: Callable[..., Commit], add: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = create()
    late = log.begin(log.snapshot())
    append(log, "other.parquet")
    # The deadline has passed when the first try is over.
    monkeypatch.setattr(transaction, "_back_off", lambda attempts: None)
    clock = iter([0.0, *([1e9] * 100)])
    monkeypatch.setattr(transaction.time, "monotonic", lambda: next(clock))
    with pytest.raises(CommitRetriesExceededError) as caught:
        late.commit("WRITE", {}, [add("mine.parquet")])
    assert caught.value.condition == "DELTA_MAX_COMMIT_RETRIES_EXCEEDED"
