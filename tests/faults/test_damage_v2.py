"""V2 checkpoints, sidecars and compacted files that were cut off or changed: others step in, or they are named."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from deltasql.base.errors import InvalidCheckpointError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.upkeep.checkpoint_writer import TopLevel, write_checkpoint
from deltasql.log.upkeep.post_commit import write_compaction

from .conftest import append, whole
from .test_damage import damage, empty, flipped, garbage, half

Table = Callable[..., DeltaLog]
File = Callable[[str], Path]

KINDS = ("json", "parquet", "sidecar", "compacted")
COMMIT = "?" * 20 + ".json"


def made(v2_table: Table, log_file: File, kind: str) -> Path:
    """The file to damage, of a table of version 9; without checksums, so that it is really read."""
    log = v2_table(9)
    if kind == "compacted":
        assert write_compaction(log.store, "main.t", 1, 9)
        pattern = "*.compacted.json"
    else:
        top_level: TopLevel = "parquet" if kind == "parquet" else "json"
        write_checkpoint(log.store, log.snapshot(), top_level)
        pattern = "_sidecars/*" if kind == "sidecar" else f"*.checkpoint.*.{top_level}"
    for file in log_file("x").parent.glob("*.crc"):
        file.unlink()
    (found,) = log_file("x").parent.glob(pattern)
    return found


@pytest.mark.parametrize("how", [half, empty, garbage, None])
@pytest.mark.parametrize("kind", KINDS)
def test_the_commits_step_in(
    v2_table: Table, location: str, log_file: File, kind: str, how: Callable[[bytes], bytes] | None
) -> None:
    file = made(v2_table, log_file, kind)
    if how is None:
        file.unlink()
    else:
        damage(file, how)
    assert whole(DeltaLog(location)) == 9
    assert whole(DeltaLog(location), 4) == 4
    # Its own successor is not misled either: the next checkpoint has it all.
    assert append(DeltaLog(location), "f10").version == 10
    for commit in log_file("x").parent.glob(COMMIT):
        if commit.name < f"{10:020d}":
            commit.unlink()
    file.unlink(missing_ok=True)
    assert whole(DeltaLog(location)) == 10


@pytest.mark.parametrize("how", [half, garbage, None])
@pytest.mark.parametrize("kind", ["json", "parquet", "sidecar"])
def test_one_that_is_needed_is_named(
    v2_table: Table, location: str, log_file: File, kind: str, how: Callable[[bytes], bytes] | None
) -> None:
    if how is None and kind != "sidecar":
        return
    file = made(v2_table, log_file, kind)
    file.unlink() if how is None else damage(file, how)
    for commit in log_file("x").parent.glob(COMMIT):
        commit.unlink()
    with pytest.raises(InvalidCheckpointError) as caught:
        DeltaLog(location).snapshot().files()
    assert caught.value.condition == "DELTA_INVALID_CHECKPOINT"
    assert file.name in caught.value.message


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("needed", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_one_bit(v2_table: Table, location: str, log_file: File, kind: str, needed: bool, seed: int) -> None:
    """Some flips cannot be noticed. Whatever comes out, it comes from our code, and it names a file."""
    file = made(v2_table, log_file, kind)
    damage(file, flipped(seed))
    for commit in log_file("x").parent.glob(COMMIT):
        if needed and commit.name not in (f"{0:020d}.json", f"{9:020d}.json"):
            commit.unlink()
    try:
        snapshot = DeltaLog(location).snapshot()
        _ = snapshot.protocol, snapshot.schema, snapshot.files(), snapshot.transactions, snapshot.tombstones()
        _ = snapshot.num_files, snapshot.add_files(["f3", "f9"])
    except DeltaSqlError as error:
        named = (file.name, f"{9:020d}.checkpoint", f"{1:020d}.json")
        assert any(name in error.message for name in named)  # noqa: PT017 - both outcomes are right
        assert needed
    else:
        assert snapshot.version == 9


LINES = {
    "no object": "[]",
    "no JSON": '{"protocol":',
    "a sidecar without a path": '{"sidecar":{"sizeInBytes":1}}',
    "a protocol that is none": '{"protocol":{"minReaderVersion":"x","minWriterVersion":7}}',
    "a schema that is none": '{"metaData":{"id":"1","schemaString":"{"}}',
    "an action that is none": '{"txn":7}',
}


@pytest.mark.parametrize("name", LINES)
def test_lines_that_are_no_actions(v2_table: Table, location: str, log_file: File, name: str) -> None:
    file = made(v2_table, log_file, "json")
    lines = file.read_text().splitlines()
    random.Random(1).shuffle(lines)
    kinds = {next(iter(json.loads(line))) for line in lines}
    assert kinds == {"checkpointMetadata", "protocol", "metaData", "sidecar"}
    file.write_text("\n".join([*lines, LINES[name]]))
    assert whole(DeltaLog(location)) == 9
    for commit in log_file("x").parent.glob(COMMIT):
        commit.unlink()
    with pytest.raises(InvalidCheckpointError) as caught:
        whole(DeltaLog(location))
    assert file.name in caught.value.message
