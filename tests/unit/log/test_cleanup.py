from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from deltasql.base.errors import StorageError, TimestampTooEarlyError, VersionNotFoundError
from deltasql.log import operations
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.log_segment import classify
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import Entry
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.log.upkeep.post_commit import clean_up_log, expired_files, oldest_needed_checkpoint

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
File = Callable[[str], Path]

DAY = 24 * 60 * 60 * 1000
NOW = 20_000 * DAY
CHECKPOINT = "checkpoint.parquet"


def age(log_file: File, name: str, days: float) -> None:
    seconds = (NOW - days * DAY) / 1000
    os.utime(log_file(name), (seconds, seconds))


def commit(version: int) -> str:
    return f"{version:020d}.json"


def versions(log_file: File, suffix: str) -> list[int]:
    return sorted(int(file.name[:20]) for file in log_file("x").parent.glob(f"0*.{suffix}"))


@pytest.fixture
def old(create: Create, append: Append, log_file: File) -> Callable[..., DeltaLog]:
    """Versions 0 to 9, one a day, the last of them today; checkpoints at 2, 5 and 8. The log is kept for 4 days."""

    def made(**properties: str) -> DeltaLog:
        short = {
            "delta.logRetentionDuration": "interval 4 days",
            "delta.deletedFileRetentionDuration": "interval 1 day",
        }
        log = create(configuration=short | {f"delta.{key}": value for key, value in properties.items()})
        for version in range(1, 10):
            append(log, f"f{version}")
            if version in (2, 5, 8):
                write_checkpoint(log.store, log.snapshot())
        for version in range(10):
            age(log_file, commit(version), 9 - version)
        return DeltaLog(log.location, "main.t")

    return made


def test_what_lies_before_an_expired_checkpoint_goes(old: Callable[..., DeltaLog], log_file: File) -> None:
    log = old()
    for name in (f".{commit(1)}.crc", f"{1:020d}.{4:020d}.compacted.json", f"{5:020d}.{6:020d}.compacted.json"):
        log_file(name).write_text("")
    log_file(f"{3:020d}.checkpoint.{1:010d}.{2:010d}.parquet").write_text("half of it")
    # Version 5 is the last one that is four whole days old.
    deleted = clean_up_log(log.store, log.snapshot(), NOW)
    assert [Path(path).name for path in deleted][:4] == [commit(0), f"{0:020d}.crc", commit(1), f".{commit(1)}.crc"]
    assert versions(log_file, "json") == [5, 6, 7, 8, 9]
    assert versions(log_file, "crc") == [5, 6, 7, 8, 9]
    assert versions(log_file, "checkpoint*parquet") == [5, 8]
    assert not list(log_file("x").parent.glob(".0*"))
    fresh = DeltaLog(log.location)
    assert fresh.snapshot().num_files == 9
    assert [fresh.snapshot(version).files().num_rows for version in (5, 7, 9)] == [5, 7, 9]
    with pytest.raises(VersionNotFoundError) as caught:
        fresh.snapshot(4)
    assert (caught.value.earliest, caught.value.latest) == (5, 9)
    assert [entry.version for entry in fresh.history()] == [9, 8, 7, 6, 5]
    with pytest.raises(TimestampTooEarlyError):
        fresh.version_at((NOW - 7 * DAY) * 1000)
    assert clean_up_log(log.store, log.snapshot(), NOW) == []


@pytest.mark.parametrize(
    "properties",
    [
        {"enableExpiredLogCleanup": "false"},
        {"logRetentionDuration": "interval 9 days"},
        # Files that may still be vacuumed are named in the log only.
        {"deletedFileRetentionDuration": "interval 9 days"},
        {"requireCheckpointProtectionBeforeVersion": "6"},
    ],
)
def test_what_keeps_them(old: Callable[..., DeltaLog], log_file: File, properties: dict[str, str]) -> None:
    log = old(**properties)
    assert clean_up_log(log.store, log.snapshot(), NOW) == []
    assert versions(log_file, "json") == list(range(10))


def test_protected_versions_may_go_all_at_once(old: Callable[..., DeltaLog], log_file: File) -> None:
    log = old(requireCheckpointProtectionBeforeVersion="5")
    assert clean_up_log(log.store, log.snapshot(), NOW)
    assert versions(log_file, "json") == [5, 6, 7, 8, 9]


def test_protection_follows_a_commit_too(old: Callable[..., DeltaLog], append: Append, log_file: File) -> None:
    """A table from which a feature was dropped: commits go on, the history before stays until it goes as a whole."""
    log = old(requireCheckpointProtectionBeforeVersion="9")
    snapshot = log.snapshot()
    features = frozenset({"checkpointProtection", "appendOnly", "invariants"})
    Transaction(log, snapshot).commit(operations.DROP_FEATURE, {}, [Protocol(1, 7, None, features)])
    assert versions(log_file, "json") == list(range(11))
    for version in range(1, 11):
        append(log, f"g{version}")
    # Checkpoint 20 came with a clean-up; version 8 is the newest expired checkpoint, and 9 must not lose what it needs.
    assert versions(log_file, CHECKPOINT) == [2, 5, 8, 10, 20]
    assert versions(log_file, "json") == list(range(21))


def listing(times: Iterable[float], *checkpoints: int) -> list[Entry]:
    commits = [Entry(f"_delta_log/{commit(v)}", 1, int(days * DAY)) for v, days in enumerate(times)]
    return [*commits, *(Entry(f"_delta_log/{v:020d}.{CHECKPOINT}", 1, 0) for v in checkpoints)]


@pytest.mark.parametrize(
    ("times", "checkpoints", "cutoff", "first"),
    [
        ([1, 2, 3, 4], (1, 3), 3, 1),
        ([1, 2, 3, 4], (1, 2), 3, 2),
        ([1, 2, 3, 4], (3,), 3, None),
        ([1, 2, 3, 4], (), 9, None),
        ([1, 2, 3, 4], (1,), 0.5, None),
        # A file whose time lies before its predecessor's expires with the predecessor.
        ([1, 9, 2, 3], (2,), 5, None),
        ([], (7,), 5, None),
    ],
)
def test_from_where_on(times: list[float], checkpoints: tuple[int, ...], cutoff: float, first: int | None) -> None:
    assert oldest_needed_checkpoint(classify(listing(times, *checkpoints), complete=True), int(cutoff * DAY)) == first


def test_oldest_first_and_commits_before_their_checkpoint() -> None:
    files = expired_files([*listing([1, 2, 3], 0, 1), Entry("_delta_log/_last_checkpoint", 1, 1)], 2)
    assert [path[-25:] for path in files] == [
        path[-25:] for path in (commit(0), f"{0:020d}.{CHECKPOINT}", commit(1), f"{1:020d}.{CHECKPOINT}")
    ]


def test_sidecars_without_a_checkpoint_go(old: Callable[..., DeltaLog], log_file: File) -> None:
    log = old()
    log_file("_sidecars").mkdir()
    for name in ("used", "orphan", "young"):
        log_file(f"_sidecars/{name}.parquet").write_text("")
        age(log_file, f"_sidecars/{name}.parquet", 0.5 if name == "young" else 3)
    v2 = log_file(f"{9:020d}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json")
    snapshot = log.snapshot()
    v2.write_text('{"sidecar":{"path":"used.parquet","sizeInBytes":1,"modificationTime":1}}')
    assert clean_up_log(log.store, snapshot, NOW)[-1] == "_delta_log/_sidecars/orphan.parquet"
    assert sorted(file.name for file in log_file("_sidecars").iterdir()) == ["used.parquet", "young.parquet"]


def test_sidecars_stay_where_a_checkpoint_cannot_be_read(old: Callable[..., DeltaLog], log_file: File) -> None:
    log = old()
    log_file("_sidecars").mkdir()
    log_file("_sidecars/s.parquet").write_text("")
    age(log_file, "_sidecars/s.parquet", 3)
    snapshot = log.snapshot()
    log_file(f"{8:020d}.{CHECKPOINT}").write_text("damaged")
    clean_up_log(log.store, snapshot, NOW)
    assert log_file("_sidecars/s.parquet").exists()


def test_it_follows_a_checkpoint(old: Callable[..., DeltaLog], append: Append, log_file: File) -> None:
    log = old()
    append(log, "f10")
    # The times are of 2024: all but what follows the newest expired checkpoint goes.
    assert versions(log_file, CHECKPOINT) == [8, 10]
    assert versions(log_file, "json") == [8, 9, 10]


def test_a_failure_is_no_matter(
    old: Callable[..., DeltaLog], append: Append, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: LocalLogStore, path: str) -> None:
        raise StorageError("delete", path, "not allowed")

    log = old()
    monkeypatch.setattr(LocalLogStore, "_delete", refuse)
    assert append(log, "f10").version == 10
    assert "not allowed" in caplog.text
