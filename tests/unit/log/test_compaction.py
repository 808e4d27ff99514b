"""Compacted log files that we write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltasql.log import operations
from deltasql.log.actions import commit_file
from deltasql.log.actions.actions import AddFile, DeletionVector, DomainMetadata, SetTransaction
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.log.upkeep.post_commit import write_compaction

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
File = Callable[[str], Path]


def compacted(first: int, last: int) -> str:
    return f"{first:020d}.{last:020d}.compacted.json"


def commit(log: DeltaLog, *actions: Any) -> None:
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, actions)


def add(path: str, size: int = 1) -> AddFile:
    return AddFile(path, {}, size, 1)


@pytest.fixture
def log(create: Create) -> DeltaLog:
    """Version 0 has a file; 1 to 4 add and remove, one of them with an absolute path, and set this and that."""
    log = create(add("old"), protocol=Protocol(1, 7, None, frozenset({"domainMetadata"})))
    commit(log, add("a"), add("b"), DomainMetadata("d", "{}"), DomainMetadata("e", "{}"), SetTransaction("app", 1))
    commit(log, add("old").remove(1), add(f"{log.location.replace('%', '%25').replace(' ', '%20')}/b").remove(2))
    commit(log, add("a", 7), add("c"), DomainMetadata("d", "", removed=True), SetTransaction("app", 2))
    commit(log, log.snapshot().metadata.with_configuration({"k": "v"}))
    return log


def test_what_it_holds(log: DeltaLog, log_file: File) -> None:
    assert write_compaction(log.store, "t", 1, 4)
    assert not write_compaction(log.store, "t", 1, 4)
    actions = [json.loads(line) for line in log_file(compacted(1, 4)).read_text().splitlines()]
    kinds = [next(iter(action)) for action in actions]
    assert kinds == ["txn", "domainMetadata", "domainMetadata", "metaData", "remove", "remove", "add", "add"]
    assert [action["add"]["path"] for action in actions if "add" in action] == ["a", "c"]
    assert actions[0]["txn"]["version"] == 2
    # Both hide what may be older than these commits.
    assert {item["domainMetadata"]["domain"]: item["domainMetadata"]["removed"] for item in actions[1:3]} == {
        "d": True,
        "e": False,
    }


@pytest.mark.parametrize("singles", [True, False])
def test_it_stands_for_its_commits(log: DeltaLog, log_file: File, singles: bool) -> None:
    before = log.snapshot()
    write_compaction(log.store, "t", 1, 4)
    for file in log_file("x").parent.glob("*.crc"):
        file.unlink()
    for version in range(1, 1 if singles else 4):
        log_file(f"{version:020d}.json").unlink()
    after = DeltaLog(log.location).snapshot()
    assert [item.entry.name for item in after.segment.deltas][1:] == [compacted(1, 4)]
    assert after.files().equals(before.files())
    assert after.tombstones().to_pylist() == before.tombstones().to_pylist()
    assert (after.transactions, after.domains, after.metadata) == (before.transactions, before.domains, before.metadata)
    assert after.totals == before.totals


@pytest.mark.parametrize("case", ["one commit", "big", "deletion vector"])
def test_what_is_left_alone(create: Create, log_file: File, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    features = frozenset({"deletionVectors"})
    log = create(protocol=Protocol(3, 7, features, features))
    vector = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 4, 1)
    marked = AddFile("a", {}, 1, 1, True, '{"numRecords":3}', deletion_vector=vector)
    commit(log, marked if case == "deletion vector" else add("a"))
    commit(log, add("b"))
    if case == "big":
        monkeypatch.setattr(commit_file, "BIG", 1)
    assert not write_compaction(log.store, "t", 2 if case == "one commit" else 1, 2)
    assert not list(log_file("x").parent.glob("*.compacted.json"))


@pytest.fixture
def many(create: Create, monkeypatch: pytest.MonkeyPatch) -> DeltaLog:
    """A table that puts its checkpoints off, as one with very many files does."""
    monkeypatch.setattr("deltasql.log.upkeep.post_commit.checkpoint_is_due", lambda _: False)
    return create()


def test_it_comes_where_a_checkpoint_is_put_off(many: DeltaLog, append: Append, log_file: File) -> None:
    for number in range(1, 31):
        append(many, f"f{number}")
        if number == 13:
            write_checkpoint(many.store, DeltaLog(many.location).snapshot())
    names = sorted(file.name for file in log_file("x").parent.glob("*.compacted.json"))
    assert names == [compacted(1, 10), compacted(11, 20), compacted(21, 30)]
    fresh = DeltaLog(many.location).snapshot()
    assert len(fresh.segment.deltas) == 8
    assert fresh.files(["path"])["path"].to_pylist() == [f"f{number}" for number in range(1, 31)]


def test_none_where_checkpoints_are_asked_for(create: Create, append: Append, log_file: File) -> None:
    log = create(configuration={"delta.checkpointInterval": "2"})
    for number in range(4):
        append(log, f"f{number}")
    assert not list(log_file("x").parent.glob("*.compacted.json"))


def test_a_failure_is_no_matter(
    many: DeltaLog, append: Append, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    original = LocalLogStore.put_if_absent

    def full(store: LocalLogStore, path: str, data: bytes) -> bool:
        if "compacted" in path:
            raise OSError("no space left")
        return original(store, path, data)

    monkeypatch.setattr(LocalLogStore, "put_if_absent", full)
    for number in range(1, 11):
        assert append(many, f"f{number}").version == number
    assert "no space left" in caplog.text
