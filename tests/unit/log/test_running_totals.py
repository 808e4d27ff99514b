"""The totals that checksums hold: kept up to date commit by commit, and right whatever a commit names."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deltasql.log import operations
from deltasql.log.actions import commit_file
from deltasql.log.actions.actions import (
    Action,
    AddFile,
    DeletionVector,
    Metadata,
    RemoveFile,
    SetTransaction,
)
from deltasql.log.actions.commit_file import encode_actions
from deltasql.log.actions.file_tables import ADD, REMOVE, from_actions, from_files
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.schema.types import StructType

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
Add = Callable[..., AddFile]
File = Callable[[str], Path]


def checksum(log_file: File, version: int) -> tuple[int, int]:
    values = json.loads(log_file(f"{version:020d}.crc").read_text())
    assert sum(values["fileSizeHistogram"]["fileCounts"]) == values["numFiles"]
    return values["numFiles"], values["tableSizeBytes"]


def check(log: DeltaLog, log_file: File) -> tuple[int, int]:
    """What the checksum of the last version says; that the files themselves say the same is checked."""
    counted = checksum(log_file, log.snapshot().version)
    sizes = DeltaLog(log.location).snapshot().files(["size"])["size"].to_pylist()
    assert counted == (len(sizes), sum(sizes))
    return counted


def put(log: DeltaLog, *actions: Action) -> None:
    transaction = Transaction(log, log.snapshot())
    transaction.record_read(whole_table=True)
    transaction.commit(operations.WRITE, {}, actions)


@pytest.mark.parametrize("data_change", [True, False])
@pytest.mark.parametrize("checkpoint", [True, False])
@pytest.mark.parametrize("big", [True, False])
def test_a_live_file_is_not_counted_twice(
    create: Create,
    add: Add,
    log_file: File,
    monkeypatch: pytest.MonkeyPatch,
    data_change: bool,
    checkpoint: bool,
    big: bool,
) -> None:
    if big:
        monkeypatch.setattr(commit_file, "BIG", 1)
    log = create(add("a"), add("b", 20))
    if checkpoint:
        write_checkpoint(log.store, log.snapshot())
        log = DeltaLog(log.location)
    put(log, replace(add("a", 15), data_change=data_change), add("c", 30))
    assert check(log, log_file) == (3, 65)
    put(log, add("a").remove(1), replace(add("c", 31), data_change=data_change))
    assert check(log, log_file) == (2, 51)


def test_a_file_that_is_gone_is_not_taken_off_again(create: Create, add: Add, log_file: File) -> None:
    log = create(add("a"), add("b", 20))
    put(log, add("a").remove(1))
    put(log, add("a").remove(2), add("never").remove(2))
    assert check(log, log_file) == (1, 20)
    put(log, add("a"))
    assert check(log, log_file) == (2, 30)


def test_a_remove_without_size_is_looked_up(create: Create, add: Add, log_file: File) -> None:
    log = create(add("a"), add("b", 20))
    put(log, RemoveFile("a", 1))
    assert check(log, log_file) == (1, 20)
    write_checkpoint(log.store, log.snapshot())
    log = DeltaLog(log.location)
    put(log, RemoveFile("b", 1))
    assert check(log, log_file) == (0, 0)


def test_new_files_need_no_look_at_the_checkpoint(
    create: Create, add: Add, log_file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = create(add("a"))
    write_checkpoint(log.store, log.snapshot())
    log = DeltaLog(log.location)
    log.snapshot()
    monkeypatch.setattr("deltasql.log.replay.checkpoint.Checkpoint.adds", None)
    put(log, replace(add("b"), modification_time=int(time.time() * 1000) + 5_000))
    assert checksum(log_file, 1) == (2, 20)


def test_a_wrong_checksum_ends_at_the_next_checkpoint(
    create: Create, append: Append, log_file: File, caplog: pytest.LogCaptureFixture
) -> None:
    log = create()
    for number in range(5):
        append(log, f"f{number}")
    crc = log_file(f"{5:020d}.crc")
    crc.write_text(crc.read_text().replace('"numFiles":5', '"numFiles":7'))
    log = DeltaLog(log.location)
    for number in range(5, 9):
        append(log, f"f{number}")
    assert json.loads(log_file(f"{9:020d}.crc").read_text())["numFiles"] == 11
    append(DeltaLog(log.location), "f9")
    assert check(DeltaLog(log.location), log_file) == (10, 100)
    assert "was wrong" in caplog.text
    assert log_file(f"{10:020d}.checkpoint.parquet").exists()


VECTOR = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 40, 3)
FILES = [
    AddFile("plain", {}, 1, 2),
    AddFile('q"ü\\', {"p": None, 'k"': "\n"}, 1, 2, False, '{"numRecords":1}', {"t": None}, VECTOR, 3, 4, "liquid"),
    AddFile("ids", {"p": ""}, 1, 2, True, None, None, None, 0, 5, "liquid"),
]


def test_lines_are_those_of_the_actions_themselves() -> None:
    removes = [file.remove(9, False) for file in FILES]
    bare = [RemoveFile("a", None), RemoveFile("b", 1, True, None, {}, 3), RemoveFile("c", None, size=1)]
    others: list[Action] = [SetTransaction("a", 1), Metadata("1", StructType()), Protocol(1, 2)]
    actions: list[Action] = [*FILES, *removes, *bare, *others]
    lines = [json.loads(line) for line in encode_actions(actions).splitlines()]
    assert lines[:-1] == [action.to_json() for action in actions[:-1]]
    assert lines[-1] == {"protocol": others[2].to_json()}


def test_actions_as_arrow() -> None:
    removes = [file.remove(9) for file in FILES]
    for files, kind, schema in ((FILES, "add", ADD), (removes, "remove", REMOVE), (FILES[:1] * 2, "add", ADD)):
        expected = from_actions([file.to_json()[kind] for file in files], schema)
        assert from_files(files, schema).to_pylist() == expected.to_pylist()
    assert from_files([], ADD).equals(ADD.empty_table())
    same = [AddFile(str(number), {"p": str(number), "q": None}, 1, 1) for number in range(3)]
    values = from_files(same, ADD)["partitionValues"].to_pylist()
    assert values == [[("p", str(number)), ("q", None)] for number in range(3)]
