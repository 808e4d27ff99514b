"""What a log says that is damaged, or that others write to all the time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import CommitRetriesExceededError, MissingCommitTimestampError, NoCommitsFoundError
from deltasql.log import operations
from deltasql.log.commit import transaction
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.replay.log_segment import list_log
from deltasql.log.replay.snapshot import DeltaLog, version_at


def test_a_log_without_commits_has_no_version_at_a_time(create: Callable[..., DeltaLog]) -> None:
    log = create()
    snapshot = log.snapshot()
    listing = replace(list_log(log.store, full=True), commits={})
    with pytest.raises(NoCommitsFoundError) as caught:
        version_at(log.reader, listing, snapshot, 0)
    assert caught.value.condition == "DELTA_NO_COMMITS_FOUND"


def test_a_commit_without_its_time_is_told(location: str, log_file: Callable[[str], Path]) -> None:
    features = {"readerFeatures": [], "writerFeatures": ["inCommitTimestamp"]}
    metadata = {
        "id": "the-id",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": '{"type":"struct","fields":[]}',
        "partitionColumns": [],
        "configuration": {"delta.enableInCommitTimestamps": "true"},
    }
    actions = [{"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}}, {"metaData": metadata}]
    log_file("").mkdir(parents=True)
    log_file(f"{0:020d}.json").write_text("\n".join(map(json.dumps, actions)))
    with pytest.raises(MissingCommitTimestampError) as caught:
        DeltaLog(location, "main.t").snapshot().timestamp_ms  # noqa: B018
    assert caught.value.condition == "DELTA_MISSING_COMMIT_TIMESTAMP"


def test_a_race_that_is_always_lost_ends(
    create: Callable[..., DeltaLog], append: Callable[..., Commit], add: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = create()
    late = Transaction(log, log.snapshot())
    append(log, "other.parquet")
    # The deadline has passed when the first try is over.
    monkeypatch.setattr(transaction, "back_off", lambda attempts: None)
    clock = iter([0.0, *([1e9] * 100)])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with pytest.raises(CommitRetriesExceededError) as caught:
        late.commit(operations.WRITE, {}, [add("mine.parquet")])
    assert caught.value.condition == "DELTA_MAX_COMMIT_RETRIES_EXCEEDED"
