"""What COPY INTO remembers: its parts, what counts of them, and what becomes of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from deltasql.base.errors import CopyStateError
from deltasql.log import operations
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.source_files import (
    COPY_INTO,
    NEVER_EXPIRES,
    ListedFile,
    LoadedFiles,
    encoded,
    loaded_files,
    needed_parts,
    newest_part,
    part_path,
)
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.log.upkeep.post_commit import clean_up_log
from deltasql.session.execution.commit import put_part

Create = Callable[..., DeltaLog]
File = Callable[[str], Path]


def source(*names: str) -> tuple[ListedFile, ...]:
    return tuple(ListedFile(f"/in/{name}", 10, 1_700_000_000_000) for name in names)


def load(log: DeltaLog, *names: str) -> None:
    """A commit as COPY INTO makes it."""
    snapshot = log.snapshot()
    known = loaded_files(log.store, snapshot)
    action, _ = put_part(log.store, snapshot.metadata.id, newest_part(snapshot), known, source(*names))
    Transaction(log, snapshot).commit(operations.COPY_INTO, {}, [action])


def names_of(state: LoadedFiles) -> list[str]:
    return sorted(path.removeprefix("/in/") for path in state.paths)


def test_nothing_is_loaded_at_first(create: Create) -> None:
    log = create()
    assert loaded_files(log.store, log.snapshot()) == LoadedFiles()
    assert needed_parts(log.store, log.snapshot()) == set()


def test_what_was_loaded_is_read_back(create: Create) -> None:
    log = create()
    load(log, "a", "b'ü\n\u2028\"")
    load(log, "c")
    state = loaded_files(log.store, DeltaLog(log.location).snapshot())
    assert names_of(state) == ["a", "b'ü\n\u2028\"", "c"]
    assert [len(part.paths) for part in state.parts] == [1, 2]
    assert state.parts[1].paths == ("/in/a", "/in/b'ü\n\u2028\"")


def test_a_part_takes_in_those_that_are_no_larger(create: Create) -> None:
    log = create()
    for number in range(64):
        load(log, f"f{number}")
    state = loaded_files(log.store, log.snapshot())
    assert len(state.paths) == 64
    assert [len(part.paths) for part in state.parts] == [64]
    load(log, "g")
    load(log, "h", "i")
    assert [len(part.paths) for part in loaded_files(log.store, log.snapshot()).parts] == [3, 64]


@pytest.mark.parametrize("sizes", [range(1, 40), [5] * 100, [100, *[1] * 90], [1, 50, 2, 49, 3]])
def test_parts_are_few_and_files_are_written_a_few_times(sizes: Iterable[int]) -> None:
    state, written, loaded = LoadedFiles(), 0, 0
    for number, size in enumerate(sizes, start=1):
        state = state.with_files(source(*(f"{number}/{index}" for index in range(size))), number)
        loaded += size
        written += len(state.parts[0].paths)
        assert len(state.paths) == loaded
        assert len(state.parts) <= loaded.bit_length()
    assert written <= loaded * (loaded.bit_length() + 1)


def test_a_part_without_a_commit_counts_for_nothing(create: Create) -> None:
    """A writer died between its note and its commit. Its number is passed over."""
    log = create()
    load(log, "a")
    put_part(log.store, "the-id", 1, loaded_files(log.store, log.snapshot()), source("b"))
    assert names_of(loaded_files(log.store, log.snapshot())) == ["a"]
    load(log, "c")
    assert newest_part(log.snapshot()) == 3
    assert names_of(loaded_files(log.store, log.snapshot())) == ["a", "c"]


def test_another_table_at_the_place_has_loaded_nothing(create: Create) -> None:
    log = create()
    load(log, "a")
    log.store.overwrite(part_path(1), encoded(LoadedFiles().with_files(source("a"), 1), "another-id"))
    assert loaded_files(log.store, log.snapshot()) == LoadedFiles()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]\n",
        b'{"state": {"tableId": 1, "parts": []}}',
        b'{"state": {"tableId": "the-id", "parts": [[1]]}}',
        b'{"state": {"tableId": "the-id", "parts": [[1, 1]]}}\n{"file": {"size": 1}}\n',
        b'{"state": {"tableId": "the-id", "parts": [[1, 1]]}}\n{"file"',
        b'{"state": {"tableId": "the-id", "parts": [[1, 1]]}}\n{"file": {"path": 1, "size": 1}}\n',
        b'{"state": {"tableId": "the-id", "parts": [[1, 1]]}}\n'
        b'{"file": {"path": "/a", "size": 1, "modificationTime": 1}}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_damaged_part_is_told(create: Create, data: bytes) -> None:
    log = create()
    load(log, "a")
    log.store.overwrite(part_path(1), data)
    with pytest.raises(CopyStateError, match="is damaged"):
        loaded_files(log.store, log.snapshot())


def test_a_missing_part_is_told(create: Create) -> None:
    log = create()
    load(log, "a", "b")
    load(log, "c")
    log.store.delete([part_path(1)])
    with pytest.raises(CopyStateError, match=r"copy-0+1\.jsonl is missing"):
        loaded_files(log.store, log.snapshot())


def test_what_is_loaded_outlives_checkpoints_and_the_retention_of_transactions(create: Create) -> None:
    log = create(configuration={"delta.setTransactionRetentionDuration": "interval 1 second"})
    load(log, "a")
    write_checkpoint(log.store, log.snapshot())
    for name in ("00000000000000000000", "00000000000000000001"):
        log.store.delete([f"_delta_log/{name}.json", f"_delta_log/{name}.crc"])
    snapshot = DeltaLog(log.location).snapshot()
    known = snapshot.full_state.transactions
    assert known is not None
    assert known[COPY_INTO].last_updated == NEVER_EXPIRES
    assert names_of(loaded_files(log.store, snapshot)) == ["a"]


def test_clean_up_removes_what_no_state_needs(create: Create, log_file: File) -> None:
    log = create()
    load(log, "a")
    load(log, "b")
    load(log, "c", "d")
    put_part(log.store, "the-id", 3, LoadedFiles(), source("x"))
    put_part(log.store, "the-id", 4, LoadedFiles(), source("young"))
    write_checkpoint(log.store, log.snapshot())
    now = 4_000_000_000_000
    for number in range(1, 5):
        os.utime(log_file(f"_copy_into_log/copy-{number:020d}.jsonl"), (0, 0))
    os.utime(log_file(f"_copy_into_log/copy-{5:020d}.jsonl"), (now / 1000, now / 1000))
    deleted = clean_up_log(log.store, log.snapshot(), now)
    assert [path for path in deleted if "copy" in path] == [part_path(1), part_path(2), part_path(4)]
    assert names_of(loaded_files(log.store, log.snapshot())) == ["a", "b", "c", "d"]


def test_parts_are_lines_that_people_can_read(create: Create, log_file: File) -> None:
    log = create()
    load(log, "a")
    lines = log_file(f"_copy_into_log/copy-{1:020d}.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"state": {"tableId": "the-id", "parts": [[1, 1]]}},
        {"file": {"path": "/in/a", "size": 10, "modificationTime": 1_700_000_000_000}},
    ]
