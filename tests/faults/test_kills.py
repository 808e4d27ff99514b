"""A writer dies at every point of a commit: readers see the old version or the new one, and the next writer goes on."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

from .conftest import append, whole
from .writers import ended

Table = Callable[..., DeltaLog]
File = Callable[[str], Path]

_WRITER = """
import os, signal, sys
from deltasql.log import operations
from deltasql.log.commit.transaction import Transaction
from deltasql.log.actions.actions import AddFile
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.replay.snapshot import DeltaLog

location, method, suffix, moment = sys.argv[1:]
original = getattr(LocalLogStore, method)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def fatal(self, path, data):
    if not path.endswith(suffix):
        return original(self, path, data)
    if moment == "staging":
        # All is written, under a name that is not yet the file's.
        os.link = lambda *_: die()
        original(self, path, data)
    if moment == "torn":
        open(f"{self.root}/{path}", "wb").write(data[: len(data) // 2])
    if moment == "after":
        original(self, path, data)
    die()

setattr(LocalLogStore, method, fatal)
open(f"{location}/f10", "wb").close()
log = DeltaLog(location)
Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile("f10", {}, 10, 1, True, '{"numRecords":1}')])
"""

_COMMIT, _CHECKSUM = f"{10:020d}.json", f"{10:020d}.crc"
_CHECKPOINT, _HINT = f"{10:020d}.checkpoint.parquet", "_last_checkpoint"


def kill(location: str, method: str, suffix: str, moment: str) -> None:
    code, errors = ended(_WRITER, location, method, suffix, moment)
    assert code == -signal.SIGKILL, errors


@pytest.mark.parametrize(
    ("method", "suffix", "moment", "version"),
    [
        ("put_if_absent", _COMMIT, "before", 9),
        ("put_if_absent", _COMMIT, "staging", 9),
        ("put_if_absent", _COMMIT, "after", 10),
        ("put_if_absent", _CHECKSUM, "before", 10),
        ("put_if_absent", _CHECKSUM, "staging", 10),
        ("put_if_absent", _CHECKSUM, "after", 10),
        ("put_if_absent", _CHECKPOINT, "before", 10),
        ("put_if_absent", _CHECKPOINT, "staging", 10),
        ("put_if_absent", _CHECKPOINT, "after", 10),
        ("overwrite", _HINT, "before", 10),
        ("overwrite", _HINT, "torn", 10),
        ("overwrite", _HINT, "after", 10),
    ],
)
def test_a_writer_that_is_killed(
    table: Table, location: str, log_file: File, method: str, suffix: str, moment: str, version: int
) -> None:
    living = table(9)
    kill(location, method, suffix, moment)
    for log in (DeltaLog(location), living):
        assert whole(log) == version
    for number in range(version + 1, 22):
        assert append(DeltaLog(location) if number % 2 else living, f"f{number}").version == number
    for log in (DeltaLog(location), living):
        assert whole(log) == 21
    assert whole(living, version) == version
    assert log_file(f"{20:020d}.checkpoint.parquet").exists()


_V2_WRITER = """
import os, signal, sys
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.log.upkeep import checkpoint_writer as checkpoint_v2
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.replay.snapshot import DeltaLog

location, method, part, moment, top_level = sys.argv[1:]
original = getattr(LocalLogStore, method)
# Three files to a sidecar, one sidecar after another.
checkpoint_v2._SIDECAR_ROWS = 3
checkpoint_v2.os.cpu_count = lambda: 1

def fatal(self, path, data):
    if part not in path:
        return original(self, path, data)
    if moment == "after":
        original(self, path, data)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(LocalLogStore, method, fatal)
log = DeltaLog(location)
write_checkpoint(log.store, log.snapshot(), top_level)
"""


@pytest.mark.parametrize("top_level", ["json", "parquet"])
@pytest.mark.parametrize(
    ("method", "part", "moment", "whole_checkpoint"),
    [
        ("put_if_absent", "_sidecars/", "before", False),
        ("put_if_absent", ".0000000002.0000000003.", "before", False),
        ("put_if_absent", ".0000000003.0000000003.", "after", False),
        ("put_if_absent", f"_delta_log/{9:020d}.checkpoint.", "before", False),
        ("put_if_absent", f"_delta_log/{9:020d}.checkpoint.", "after", True),
        ("overwrite", _HINT, "before", True),
        ("overwrite", _HINT, "after", True),
    ],
)
def test_a_writer_of_a_v2_checkpoint_that_is_killed(
    v2_table: Table,
    location: str,
    log_file: File,
    method: str,
    part: str,
    moment: str,
    whole_checkpoint: bool,
    top_level: str,
) -> None:
    """Half of it is no checkpoint. Its sidecars stay until the clean-up finds that nothing refers to them."""
    living = v2_table(9)
    code, errors = ended(_V2_WRITER, location, method, part, moment, top_level)
    assert code == -signal.SIGKILL, errors
    checkpoint = DeltaLog(location).snapshot().segment.checkpoint
    assert (checkpoint is not None) is whole_checkpoint
    for file in log_file("x").parent.glob("*.crc"):
        file.unlink()
    for log in (DeltaLog(location), living):
        assert whole(log) == 9
    assert write_checkpoint(living.store, living.snapshot()) is not whole_checkpoint
    assert DeltaLog(location).snapshot().segment.checkpoint is not None
    assert whole(DeltaLog(location)) == 9
    assert append(living, "f10").version == 10
    assert whole(DeltaLog(location)) == 10
