"""Any history reads the same, whichever log files stand for it, and as delta-rs reads it."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import Phase, given
from hypothesis import strategies as st

from deltasql.log import operations
from deltasql.log.actions import commit_file
from deltasql.log.actions.actions import (
    Action,
    AddFile,
    DomainMetadata,
    Metadata,
    RemoveFile,
    SetTransaction,
)
from deltasql.log.actions.file_tables import ADD
from deltasql.log.commit.transaction import Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.upkeep import checkpoint_writer
from deltasql.log.upkeep.checkpoint_writer import (
    CheckpointRows,
    TopLevel,
    unexpired_tombstones,
    write_checkpoint,
    write_v2,
)
from deltasql.log.upkeep.checkpoint_writer import state_actions as kept_actions
from deltasql.log.upkeep.post_commit import write_compaction
from deltasql.schema.types import LONG, STRING, StructField, StructType
from tests.samples import examples

SCHEMA = StructType((StructField("x", LONG), StructField("p", STRING)))
FEATURES = ["domainMetadata", "appendOnly"]
PATHS = [f"p=a%2520b/f%20{number}" for number in range(5)]


@dataclass(frozen=True)
class State:
    """What a history comes to, worked out the plain way."""

    files: Mapping[str, tuple[int, str | None]]
    tombstones: frozenset[str]
    transactions: Mapping[str, int]
    domains: Mapping[str, str]
    configuration: Mapping[str, str]
    features: frozenset[str]


def file_actions() -> st.SearchStrategy[list[Action]]:
    add = st.builds(
        lambda size, data_change, stats: ("add", size, data_change, stats),
        st.integers(1, 9999),
        st.booleans(),
        st.sampled_from([None, '{"numRecords":1}', '{"numRecords":2,"minValues":{"x":"é"}}']),
    )
    per_path = st.lists(st.one_of(st.none(), st.just(("remove",)), add), min_size=len(PATHS), max_size=len(PATHS))
    return per_path.map(lambda choices: [made for made in map(_file_action, PATHS, choices) if made is not None])


def _file_action(path: str, choice: tuple[Any, ...] | None) -> Action | None:
    if choice is None:
        return None
    if choice[0] == "remove":
        return RemoveFile(path, int(time.time() * 1000), True, True, {"p": "a b"}, 7)
    return AddFile(path, {"p": "a b"}, choice[1], 1, choice[2], choice[3])


def state_actions() -> st.SearchStrategy[list[Action]]:
    transaction = st.builds(SetTransaction, st.sampled_from("ab"), st.integers(0, 9), st.just(1))
    domain = st.builds(DomainMetadata, st.sampled_from(["d", "e"]), st.sampled_from(["{}", "[]"]), st.booleans())
    metadata = st.sampled_from("123").map(lambda value: Metadata("the-id", SCHEMA, ("p",), {"my.key": value}))
    protocol = st.just(Protocol(1, 7, None, frozenset([*FEATURES, "invariants"])))
    return st.tuples(*(st.one_of(st.none(), item) for item in (transaction, domain, metadata, protocol))).map(
        lambda found: [item for item in found if item is not None]
    )


def history() -> st.SearchStrategy[list[list[Action]]]:
    commit = st.tuples(file_actions(), state_actions()).map(lambda parts: [*parts[0], *parts[1]])
    return st.lists(commit, min_size=2, max_size=6)


def expected(commits: Sequence[Sequence[Action]]) -> State:
    files: dict[str, tuple[int, str | None]] = {}
    gone: set[str] = set()
    transactions: dict[str, int] = {}
    domains: dict[str, str] = {}
    configuration: Mapping[str, str] = {}
    features: frozenset[str] = frozenset(FEATURES)
    for action in (action for commit in commits for action in commit):
        match action:
            case AddFile(path=path, size=size, stats=stats):
                files[path] = (size, stats)
                gone.discard(path)
            case RemoveFile(path=path):
                files.pop(path, None)
                gone.add(path)
            case SetTransaction(app_id=app, version=version):
                transactions[app] = version
            case DomainMetadata(domain=domain, configuration=text, removed=removed):
                domains.pop(domain, None)
                domains |= {} if removed else {domain: text}
            case Metadata():
                configuration = action.configuration
            case Protocol():
                features = action.features
    return State(files, frozenset(gone), transactions, domains, configuration, features)


def written(location: str, commits: Sequence[Sequence[Action]]) -> None:
    log = DeltaLog(location)
    start: list[Action] = [Protocol(1, 7, None, frozenset(FEATURES)), Metadata("the-id", SCHEMA, ("p",))]
    Transaction(log, None).commit(operations.CREATE_TABLE, {}, start)
    for actions in commits:
        transaction = Transaction(log, log.snapshot())
        transaction.record_read(whole_table=True)
        transaction.commit(operations.WRITE, {}, actions)


def seen(location: str) -> State:
    snapshot = DeltaLog(location).snapshot()
    rows = snapshot.files(["path", "size", "stats"]).to_pylist()
    files = {row["path"]: (row["size"], row["stats"]) for row in rows}
    assert len(files) == len(rows) == snapshot.num_files
    assert snapshot.size_in_bytes == sum(row["size"] for row in rows)
    assert {file.path: (file.size, file.stats) for file in snapshot.add_files(PATHS)} == files
    return State(
        files,
        frozenset(snapshot.tombstones()["path"].to_pylist()),
        snapshot.transactions,
        snapshot.domains,
        dict(snapshot.configuration),
        snapshot.protocol.features,
    )


def forget(location: str, pattern: str) -> None:
    for file in Path(location, "_delta_log").glob(pattern):
        file.unlink()


def plain(location: str, _: int) -> None:
    forget(location, "*.crc")


def checksums(location: str, version: int) -> None:
    for file in Path(location, "_delta_log").glob("*.crc"):
        if int(file.stem) > version:
            file.unlink()


def classic(location: str, version: int) -> None:
    forget(location, "*.crc")
    log = DeltaLog(location)
    assert write_checkpoint(log.store, log.snapshot(version))
    for old in range(version):
        Path(location, "_delta_log", f"{old:020d}.json").unlink()


def multi_part(location: str, version: int) -> None:
    classic(location, version)
    whole = Path(location, "_delta_log", f"{version:020d}.checkpoint.parquet")
    rows = pq.read_table(whole)
    for part in range(3):
        third = rows.filter(pa.array([row % 3 == part for row in range(len(rows))]))
        name = f"{version:020d}.checkpoint.{part + 1:010d}.{3:010d}.parquet"
        pq.write_table(third, whole.with_name(name))
    whole.unlink()
    forget(location, "_last_checkpoint")


def sidecars(location: str, version: int) -> None:
    classic(location, version)
    whole = Path(location, "_delta_log", f"{version:020d}.checkpoint.parquet")
    rows = pq.read_table(whole)
    (whole.parent / "_sidecars").mkdir()
    has_file = pa.array([row["add"] is not None or row["remove"] is not None for row in rows.to_pylist()], pa.bool_())
    pq.write_table(rows.filter(has_file).select(["add", "remove"]), whole.parent / "_sidecars" / "s%1.parquet")
    lines: list[Any] = [{"checkpointMetadata": {"version": version}}]
    lines += [_json(row) for row in rows.to_pylist(maps_as_pydicts="lossy") if not (row["add"] or row["remove"])]
    lines.append({"sidecar": {"path": "s%251.parquet", "sizeInBytes": 1, "modificationTime": 1}})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    whole.with_name(f"{version:020d}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json").write_text(text)
    whole.unlink()
    forget(location, "_last_checkpoint")


def v2_json(location: str, version: int) -> None:
    _v2(location, version, "json")


def v2_parquet(location: str, version: int) -> None:
    _v2(location, version, "parquet")


def _v2(location: str, version: int, top_level: TopLevel) -> None:
    """By the writer of these, in many sidecars; no commit up to the checkpoint is left."""
    forget(location, "*.crc")
    log = DeltaLog(location)
    snapshot = log.snapshot(version)
    now = int(time.time() * 1000)
    adds = snapshot.live_adds([name for name in ADD.names if name != "dataChange"])
    with mock.patch.object(checkpoint_writer, "_SIDECAR_ROWS", 2):
        rows = CheckpointRows([adds], adds.num_rows, unexpired_tombstones(snapshot, now))
        write_v2(log.store, snapshot, kept_actions(snapshot, now), rows, top_level)
    for old in range(version + 1):
        Path(location, "_delta_log", f"{old:020d}.json").unlink()


def _json(row: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: _present(value) for kind, value in row.items() if value is not None}


def _present(value: Any) -> Any:
    return {key: item for key, item in value.items() if item is not None}


def compacted(location: str, version: int) -> None:
    """Commits 1 to `version` in one file; all but the last of them are gone."""
    forget(location, "*.crc")
    if version < 2:
        return
    newest: dict[tuple[str, str], str] = {}
    for number in range(1, version + 1):
        file = Path(location, "_delta_log", f"{number:020d}.json")
        for line in file.read_text().splitlines():
            newest.update(dict.fromkeys(_identity(json.loads(line)), line))
        if number < version:
            file.unlink()
    target = Path(location, "_delta_log", f"{1:020d}.{version:020d}.compacted.json")
    target.write_text("".join(line + "\n" for line in newest.values()))


def our_compaction(location: str, version: int) -> None:
    forget(location, "*.crc")
    if write_compaction(DeltaLog(location).store, "t", 1, version):
        for old in range(1, version):
            Path(location, "_delta_log", f"{old:020d}.json").unlink()


def _identity(action: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    ((kind, body),) = action.items()
    if kind in ("add", "remove"):
        yield "file", body["path"]
    elif kind != "commitInfo":
        yield kind, body.get("appId") or body.get("domain") or ""


def big(location: str, version: int) -> None:
    checksums(location, version)


VARIANTS: tuple[Callable[[str, int], None], ...] = (
    plain, checksums, classic, multi_part, sidecars, v2_json, v2_parquet, compacted, our_compaction, big,
)  # fmt: skip


# An example takes long: shrinking one would take minutes.
@examples(phases=[Phase.reuse, Phase.generate], max_examples=12)
@given(history(), st.data())
def test_whichever_files_stand_for_it(commits: list[list[Action]], data: st.DataObject) -> None:
    wanted = expected(commits)
    version = data.draw(st.integers(0, len(commits)))
    with tempfile.TemporaryDirectory() as folder:
        written(f"{folder}/t", commits)
        for variant in VARIANTS:
            location = f"{folder}/{variant.__name__}"
            shutil.copytree(f"{folder}/t", location)
            variant(location, version)
            with mock.patch.object(commit_file, "BIG", 1 if variant is big else 1 << 22):
                assert seen(location) == wanted, variant.__name__
                log = DeltaLog(location)
                Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile("last", {"p": "a b"}, 1, 1)])
            assert DeltaLog(location).snapshot().num_files == len(wanted.files) + 1, variant.__name__
            if variant not in (sidecars, compacted, our_compaction):
                theirs = deltalake.DeltaTable(location)
                theirs_sizes = pa.table(theirs.get_add_actions()).column("size_bytes").to_pylist()
                assert sorted(theirs_sizes) == sorted([1, *(size for size, _ in wanted.files.values())])
                assert theirs.metadata().configuration == wanted.configuration
