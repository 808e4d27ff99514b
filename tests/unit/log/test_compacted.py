"""Compacted log files: several commits in one, read in their place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from deltasql.base.errors import InvalidCompactionError, LogGapError, TruncatedLogError
from deltasql.log import operations
from deltasql.log.actions import commit_file
from deltasql.log.actions.actions import AddFile, SetTransaction
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.replay.log_segment import build_segment, classify
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.log_store import Entry
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
File = Callable[[str], Path]


def compacted(start: int, end: int) -> str:
    return f"{start:020d}.{end:020d}.compacted.json"


def commit(version: int) -> str:
    return f"{version:020d}.json"


def deltas(*names: str, version: int | None = None) -> list[str]:
    listing = classify([Entry(f"_delta_log/{name}", 1, 1) for name in names], complete=True)
    segment = build_segment(listing, "t", "/t", version)
    return [item.entry.name for item in segment.deltas]


SINGLES = [commit(version) for version in range(6)]


@pytest.mark.parametrize(
    ("files", "version", "expected"),
    [
        ([compacted(1, 3)], None, [commit(0), compacted(1, 3), commit(4), commit(5)]),
        ([compacted(0, 2), compacted(3, 5)], None, [compacted(0, 2), compacted(3, 5)]),
        ([compacted(0, 2), compacted(2, 4)], None, [compacted(0, 2), *SINGLES[3:]]),
        ([compacted(1, 2), compacted(1, 4)], None, [commit(0), compacted(1, 4), commit(5)]),
        ([compacted(1, 4)], 3, SINGLES[:4]),
        ([compacted(4, 9)], None, SINGLES),
        ([compacted(3, 3), compacted(4, 2)], None, SINGLES),
    ],
)
def test_which_are_taken(files: list[str], version: int | None, expected: list[str]) -> None:
    assert deltas(*SINGLES, *files, version=version) == expected


def test_after_a_checkpoint() -> None:
    names = [*SINGLES, "00000000000000000002.checkpoint.parquet", compacted(1, 3), compacted(3, 4)]
    assert deltas(*names) == [compacted(3, 4), commit(5)]


def test_gaps() -> None:
    assert deltas(commit(0), compacted(1, 3), commit(4)) == [commit(0), compacted(1, 3), commit(4)]
    with pytest.raises(LogGapError) as caught:
        deltas(commit(0), compacted(1, 3), commit(5))
    assert caught.value.missing == 1
    with pytest.raises(TruncatedLogError):
        deltas(compacted(1, 3), commit(4))


@pytest.fixture
def log(create: Create, append: Append, log_file: File, location: str) -> DeltaLog:
    """Commits 0 to 5, of which 1 to 3 are there in compacted form too."""
    log = create(AddFile("z", {}, 5, 1))
    append(log, "a", "b")
    Transaction(log, log.snapshot()).commit(
        operations.DELETE, {}, [AddFile("a", {}, 10, 1).remove(1), AddFile("z", {}, 5, 1).remove(1)]
    )
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile("c", {}, 10, 1), SetTransaction("app", 7)])
    append(log, "d")
    append(log, "e")
    lines = [line for version in (1, 2, 3) for line in log_file(commit(version)).read_text().splitlines()]
    actions = [json.loads(line) for line in lines if not line.startswith('{"commitInfo"')]
    kept = [action for action in actions if action.get("add", {}).get("path") != "a"]
    log_file(compacted(1, 3)).write_text("".join(json.dumps(action) + "\n" for action in kept))
    return log


def state(log: DeltaLog) -> tuple[list[str], int, dict[str, int], list[str]]:
    snapshot = log.snapshot()
    files = snapshot.files(["path"])["path"].to_pylist()
    return files, snapshot.size_in_bytes, dict(snapshot.transactions), snapshot.tombstones()["path"].to_pylist()


@pytest.mark.parametrize("singles", [True, False])
@pytest.mark.parametrize("checksums", [True, False])
@pytest.mark.parametrize("big", [True, False])
def test_they_stand_for_their_commits(
    log: DeltaLog,
    log_file: File,
    append: Append,
    monkeypatch: pytest.MonkeyPatch,
    singles: bool,
    checksums: bool,
    big: bool,
) -> None:
    if big:
        monkeypatch.setattr(commit_file, "BIG", 10)
    if not checksums:
        for file in log_file("x").parent.glob("*.crc"):
            file.unlink()
    for version in range(1, 0 if singles else 4):
        log_file(commit(version)).unlink()
    fresh = DeltaLog(log.location)
    assert fresh.snapshot().segment.compacted != ()
    assert state(fresh) == (["b", "c", "d", "e"], 40, {"app": 7}, ["a", "z"])
    append(fresh, "f")
    assert state(fresh)[:2] == (["b", "c", "d", "e", "f"], 50)
    assert state(DeltaLog(log.location)) == state(fresh)
    write_checkpoint(log.store, fresh.snapshot())
    assert state(DeltaLog(log.location))[:3] == (["b", "c", "d", "e", "f"], 50, {"app": 7})


def test_a_damaged_one_is_done_without(log: DeltaLog, log_file: File) -> None:
    log_file(compacted(1, 3)).write_text('{"add":{"pa')
    assert state(DeltaLog(log.location))[0] == ["b", "c", "d", "e"]
    log_file(commit(2)).unlink()
    with pytest.raises(InvalidCompactionError) as caught:
        DeltaLog(log.location).snapshot().files()
    assert caught.value.condition == "DELTA_INVALID_LOG_JSON"
    assert compacted(1, 3) in caught.value.message
    assert "line 1" in caught.value.message


def test_a_compacted_file_that_vanishes(log: DeltaLog, log_file: File) -> None:
    snapshot = DeltaLog(log.location).snapshot()
    log_file(compacted(1, 3)).unlink()
    assert snapshot.files(["path"])["path"].to_pylist() == ["b", "c", "d", "e"]
