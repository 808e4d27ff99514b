"""Lets processes change tables at once, kills some of them, and searches the order that explains it all.

python -m tests.faults.histories --minutes 5 --processes 3
python -m tests.faults.histories --minutes 30 --processes 8 --troubles full-disk read-only clock
python -m tests.faults.histories --minutes 10 --processes 8 --troubles bucket
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import deltasql
from deltasql.base.errors import AmbiguousWriteError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.actions.deletion_vectors import deleted_rows
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.listing import commit_path, decode_path
from deltasql.sql.parser import parse

from .serial_order import Operation, Row, faults
from .troubles import JumpingClock, bucket, disturb, mounted

_KEYS = 4
_READ_BY_SQL = 100
VECTOR_FIELDS = ("storageType", "pathOrInlineDv", "offset", "sizeInBytes", "cardinality")
FileKey = tuple[str, tuple[tuple[str, Any], ...]]
"""A file's path in the log, and the fields of its deletion vector."""
_WEIGHTS = {"read": 6, "append": 5, "increment": 5, "both": 2, "remove": 2, "layout": 1}
TROUBLES = ("full-disk", "read-only", "clock", "bucket")
_COUNTERS = ", ".join(f"('c', {key}, 0, '')" for key in range(_KEYS))


@dataclass(frozen=True)
class Place:
    """Where processes write: `root` has what they tell of it, `tables` is a folder or a bucket with the tables."""

    root: Path
    tables: str
    troubles: Collection[str] = ()

    def name(self, number: int) -> str:
        return f"delta.`{self.tables}/t{number}`"

    def session(self) -> deltasql.Session:
        return deltasql.connect(str(self.root / "warehouse"), engine="sail")


@contextmanager
def place(troubles: Collection[str]) -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        tables = f"{folder}/tables"
        if "bucket" in troubles:
            tables = stack.enter_context(bucket())
        elif {"full-disk", "read-only"} & set(troubles):
            stack.enter_context(mounted(Path(tables)))
        yield Place(Path(folder), tables, troubles)


def prepared(at: Place, tables: int) -> None:
    """The tables, of which every other one is Serializable, every third one marks rows, and one has times in commits.

    It tells which modules statements need, so that processes are forked from one that has them.
    """
    with at.session() as session:
        for number in range(tables):
            level = "Serializable" if number % 2 else "WriteSerializable"
            vectors = "true" if number % 3 == 0 else "false"
            times = "true" if number % 3 == 2 else "false"
            session.sql(
                f"CREATE TABLE {at.name(number)} (kind STRING, key INT, n BIGINT, tag STRING) TBLPROPERTIES"
                f" ('delta.isolationLevel' = '{level}', 'delta.enableDeletionVectors' = '{vectors}',"
                f" 'delta.enableInCommitTimestamps' = '{times}')"
            )
            session.sql(f"INSERT INTO {at.name(number)} VALUES {_COUNTERS}")
            for do in _WEIGHTS:
                _done(session, at.name(number), Operation(do, "", 0.0, (-1,), of="none"))
            session.sql(f"DELETE FROM {at.name(number)} WHERE kind = 'l'")
            # The history begins after this version.
            version = session.log(at.name(number)).snapshot().version
            (at.root / f"first{number}").write_text(str(version))
    needed = [name for name in sys.modules if name.startswith(("deltasql.", "pyarrow.", "sqlglot.", "lark."))]
    (at.root / "modules").write_text("\n".join(needed))


def work(at: Place, name: str, tables: int, until: float) -> None:
    """Runs statements by chance until it is time, and writes each before it begins and after it has ended."""
    chance = random.Random(name)
    if "clock" in at.troubles:
        time.time = JumpingClock(name)
    own: list[tuple[int, str]] = []
    with (
        (at.root / f"{name}.lines").open("w", buffering=1) as lines,
        at.session() as session,
    ):
        count = 0
        while time.monotonic() < until:
            count += 1
            table = chance.randrange(tables)
            do = chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
            keys = tuple(chance.sample(range(_KEYS), chance.randint(1, 2) if do == "increment" else 1))
            operation = Operation(do, f"{name}-{count}", time.monotonic(), keys)
            if do == "remove":
                mine = [item for item in own if item[0] == table]
                if not mine:
                    continue
                own.remove(mine[0])
                operation = replace(operation, of=mine[0][1])
            lines.write(json.dumps([table, asdict(operation)]) + "\n")
            done = _done(session, at.name(table), operation)
            if done is None:
                continue
            lines.write(json.dumps([table, asdict(replace(done, end=time.monotonic()))]) + "\n")
            if do in {"append", "both"} and not done.failed:
                own.append((table, operation.tag))


def _done(session: deltasql.Session, table: str, operation: Operation) -> Operation | None:
    """None where the session says that the outcome is unknown."""
    try:
        if operation.do == "read":
            rows = session.sql(f"SELECT kind, key, n, tag FROM {table}").collect()
            return replace(operation, rows=tuple(tuple(row) for row in rows))
        version = None
        for text in _texts(table, operation):
            version = session.sql(text).version
    except DeltaSqlError as error:
        if session.in_transaction:
            session.sql("ROLLBACK")
        if isinstance(error, AmbiguousWriteError):
            return None
        return replace(operation, failed=True, of=error.condition)
    return replace(operation, version=version)


def _texts(table: str, operation: Operation) -> list[str]:
    tag, keys = operation.tag, operation.keys
    append = f"INSERT INTO {table} VALUES ('l', {keys[0]}, 0, '{tag}')"
    among = ", ".join(map(str, keys))
    update = f"UPDATE {table} SET n = n + 1, tag = '{tag}' WHERE kind = 'c' AND key IN ({among})"
    values = ", ".join(f"({key})" for key in keys)
    merge = (
        f"MERGE INTO {table} AS t USING (SELECT * FROM VALUES {values} AS v(k)) AS s ON t.kind = 'c' AND t.key = s.k"
        f" WHEN MATCHED THEN UPDATE SET n = t.n + 1, tag = '{tag}'"
    )
    return {
        "append": [append],
        "increment": [merge if len(keys) > 1 else update],
        "both": ["BEGIN TRANSACTION", update, append, "COMMIT"],
        "remove": [f"DELETE FROM {table} WHERE kind = 'l' AND tag = '{operation.of}'"],
        "layout": [f"OPTIMIZE {table}"],
    }[operation.do]


def forked(job: Callable[[], None]) -> int:
    """The id of a process that does the job."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        job()
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def run(at: Place, processes: int, tables: int, seconds: float, every: float, seed: int) -> tuple[int, int]:
    """How many processes were killed, and how many have failed. `every` so many seconds one is killed."""
    # What starts a process is imported before, and no thread runs yet.
    parse("SELECT 1")
    for module in (at.root / "modules").read_text().splitlines():
        importlib.import_module(module)
    until, chance, begun, killed, failed = time.monotonic() + seconds, random.Random(seed), 0, 0, 0
    running: list[int] = []

    def begin() -> None:
        nonlocal begun
        begun += 1
        name = f"p{seed}-{begun}"
        running.append(forked(lambda: work(at, name, tables, until)))

    full, read_only = ("full-disk" in at.troubles, "read-only" in at.troubles)
    others = []
    if full or read_only:
        disk = Path(at.tables)
        others.append(forked(lambda: disturb(disk, seed, until, full=full, read_only=read_only)))
    for _ in range(processes):
        begin()
    while time.monotonic() + every < until:
        time.sleep(every * chance.uniform(0.5, 1.5))
        victim = running.pop(chance.randrange(len(running)))
        os.kill(victim, signal.SIGKILL)
        dead = os.waitstatus_to_exitcode(os.waitpid(victim, 0)[1])
        killed, failed = killed + (dead == -signal.SIGKILL), failed + (dead > 0)
        begin()
    failed += sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0 for child in [*running, *others])
    return killed, failed


def operations(root: Path, tables: int) -> list[list[Operation]]:
    """What was begun, by table; of what has ended the end counts."""
    found: list[dict[str, Operation]] = [{} for _ in range(tables)]
    for file in root.glob("*.lines"):
        for line in file.read_text().splitlines():
            # A process that was killed leaves its last line torn.
            if line.endswith("}]"):
                table, fields = json.loads(line)
                found[table][fields["tag"]] = _operation(fields)
    return [list(items.values()) for items in found]


def _operation(fields: dict[str, Any]) -> Operation:
    rows = fields.pop("rows")
    fields["keys"] = tuple(fields["keys"])
    return Operation(**fields, rows=None if rows is None else tuple(tuple(row) for row in rows))


def rows_of_versions(session: deltasql.Session, name: str, first: int, last: int) -> list[list[Row]]:
    """The rows of each version from `first` to `last`.

    A version is what its commit makes of the one before, and a data file is read once with each of its deletion
    vectors: thousands of versions take minutes that way, and not hours. Every hundredth version is read by SQL too,
    which must give the same.
    """
    log, read, versions = session.log(name), dict[FileKey, list[Row]](), list[list[Row]]()
    live = {_key(file) for file in log.snapshot(first).files(("path", "deletionVector")).to_pylist()}
    for version in range(first, last + 1):
        if version > first:
            live = _after(live, log.store.read(commit_path(version)))
        for key in live - read.keys():
            read[key] = _live_rows(session, log, *key)
        rows = [row for key in live for row in read[key]]
        if version in {first, last} or version % _READ_BY_SQL == 0:
            text = f"SELECT kind, key, n, tag FROM {name} VERSION AS OF {version}"
            assert sorted(map(tuple, session.sql(text).collect())) == sorted(rows)
        versions.append(rows)
    return versions


def _after(live: set[FileKey], commit: bytes) -> set[FileKey]:
    """The files after a commit; one that is removed must have been there."""
    actions = [json.loads(line) for line in commit.splitlines()]
    removed = {_key(action["remove"]) for action in actions if "remove" in action}
    assert removed <= live
    return (live - removed) | {_key(action["add"]) for action in actions if "add" in action}


def _key(action: dict[str, Any]) -> FileKey:
    """A file with its deletion vector, which adds and removes spell alike."""
    vector = action.get("deletionVector") or {}
    return action["path"], tuple((name, vector.get(name)) for name in VECTOR_FIELDS if vector.get("storageType"))


def _live_rows(session: deltasql.Session, log: DeltaLog, path: str, vector: tuple[tuple[str, Any], ...]) -> list[Row]:
    file = f"{log.store.root}/{decode_path(path)}"
    table = pq.read_table(session.stores.open_file(file), columns=["kind", "key", "n", "tag"])
    deleted = set(deleted_rows(log.store, dict(vector)).tolist()) if vector else set()
    return [tuple(row.values()) for index, row in enumerate(table.to_pylist()) if index not in deleted]


def verdict(at: Place, tables: int) -> tuple[Counter[str], list[str]]:
    """The figures of the history, and what is wrong with it."""
    figures: Counter[str] = Counter()
    wrong: list[str] = []
    with at.session() as session:
        for number, done in enumerate(operations(at.root, tables)):
            name = at.name(number)
            last = session.log(name).snapshot().version
            first = int((at.root / f"first{number}").read_text())
            versions = rows_of_versions(session, name, first, last)
            moved = [replace(item, version=None if item.version is None else item.version - first) for item in done]
            wrong += [f"t{number}: {fault}" for fault in faults(moved, versions)]
            times = [row["timestamp"] for row in session.sql(f"DESCRIBE HISTORY {name}").collect()]
            wrong += [f"t{number}: {new} is told after {old}" for new, old in pairwise(times) if new <= old]
            lost = [item.of for item in done if item.do == "read" and item.failed]
            # A server that does not answer in time may keep a read from its rows; a disk may not.
            wrong += [f"t{number}: a read failed with {item}" for item in lost if item != "DELTA_STORAGE_UNAVAILABLE"]
            figures["versions"] += last - first
            for item in done:
                kind = "unanswered" if item.end is None else item.do
                figures[f"failed ({item.of})" if item.failed else kind] += 1
    return figures, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--tables", type=int, default=3)
    parser.add_argument("--kill-every", type=float, default=10, help="seconds from one kill to the next, about")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--troubles", nargs="*", choices=TROUBLES, default=[])
    given = parser.parse_args()
    # Disks that are full for a while let thousands of checksums and checkpoints be missing.
    logging.getLogger("deltasql").setLevel(logging.ERROR)
    with place(given.troubles) as at:
        child = forked(lambda: prepared(at, given.tables))
        assert os.waitpid(child, 0)[1] == 0
        killed, failed = run(at, given.processes, given.tables, given.minutes * 60, given.kill_every, given.seed)
        figures, wrong = verdict(at, given.tables)
    print(", ".join(f"{count} {name}" for name, count in sorted(figures.items())))
    print(f"{killed} processes killed, {failed} ended with an error, {len(wrong)} faults")
    print("\n".join(wrong[:20]))
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
