"""Whatever statements run at the same time, the rows are those of some order of the statements that were committed.

Serializable: of the order of their commits; WriteSerializable: of any. A model of a few lines says what each statement
does to rows, and for tables whose rows are told apart also which statement must lose.
DELTASQL_EXAMPLES sets how many schedules are drawn; without it they are the same few each time.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, permutations
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st

from deltasql import Session, connect
from deltasql.base.errors import ConcurrentModificationError
from deltasql.log.actions.actions import AddFile
from deltasql.log.actions.deletion_vectors import deleted_rows, vector_path
from deltasql.log.configuration.row_ids import row_id_columns
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.session.execution.run import Pending

pytestmark = pytest.mark.spark

EXAMPLES = int(os.environ.get("DELTASQL_EXAMPLES", "0"))
# Keys of one file, of two partitions, and of no row.
KEYS = [0, 1, 2, 3, 5, 7, 12]
CHANGES = ["INSERT", "UPDATE", "UPDATE IN", "REKEY", "DELETE", "MERGE", "MERGE NEW", "COPY"]


class Row(NamedTuple):
    id: int
    v: int
    p: int


@dataclass(frozen=True)
class Statement:
    """`tag` tells what one statement writes from what others write."""

    kind: str
    a: int = 0
    b: int = 0
    tag: int = 0
    block: tuple[Statement, ...] = ()
    """The statements of a transaction."""

    @property
    def parts(self) -> tuple[Statement, ...]:
        """What runs one after another."""
        return self.block or (self,)

    @property
    def only_appends(self) -> bool:
        return all(part.kind == "INSERT" for part in self.parts)

    @property
    def rearranges(self) -> bool:
        return self.kind in {"OPTIMIZE", "ORDER", "PURGE"}

    @property
    def keys(self) -> dict[int, int]:
        """The source of MERGE."""
        return {self.a: self.tag, self.b: self.tag + 1}

    def sql(self, path: str, clustered: bool) -> str:
        if self.block:
            return f"BEGIN ATOMIC {'; '.join(part.sql(path, clustered) for part in self.block)}; END"
        a, b, tag, table = self.a, self.b, self.tag, f"delta.`{path}`"
        pairs = ", ".join(f"({key}, {value})" for key, value in self.keys.items())
        merge = f"MERGE INTO {table} AS t USING (SELECT * FROM VALUES {pairs} AS s(id, v)) AS s ON t.id = s.id"
        insert = "WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, s.id DIV 6 % 2)"
        return {
            "INSERT": f"INSERT INTO {table} VALUES ({a}, {tag}, {partition(a)})",
            "UPDATE": f"UPDATE {table} SET v = v * 10 + {tag} WHERE id = {a}",
            "UPDATE IN": f"UPDATE {table} SET v = v * 10 + {tag} WHERE id = {a} AND p = {partition(a)}",
            "REKEY": f"UPDATE {table} SET id = {b} WHERE id = {a}",
            "DELETE": f"DELETE FROM {table} WHERE id BETWEEN {a} AND {b}",
            "MERGE": f"{merge} WHEN MATCHED THEN UPDATE SET v = s.v {insert}",
            "MERGE NEW": f"{merge} WHEN MATCHED AND t.v < 0 THEN DELETE {insert}",
            "COPY": f"INSERT INTO {table} SELECT id + 100, v, p FROM {table} WHERE id = {a}",
            "OPTIMIZE": f"OPTIMIZE {table}",
            "ORDER": f"OPTIMIZE {table} FULL" if clustered else f"OPTIMIZE {table} ZORDER BY (id)",
            "PURGE": f"REORG TABLE {table} APPLY (PURGE)",
        }[self.kind]

    def depends_on(self, row: Row) -> bool:
        """Whether the statement does something else if this row is there."""
        if self.block:
            return any(part.depends_on(row) for part in self.block)
        match self.kind:
            case "UPDATE" | "REKEY" | "COPY":
                return row.id == self.a
            case "UPDATE IN":
                return row.id == self.a and row.p == partition(self.a)
            case "DELETE":
                return self.a <= row.id <= self.b
            case "MERGE" | "MERGE NEW":
                return row.id in self.keys
        return False

    def image(self, row: Row) -> Row | None:
        """What becomes of a row on which the statement depends; None: it goes."""
        match self.kind:
            case "UPDATE" | "UPDATE IN":
                return row._replace(v=row.v * 10 + self.tag)
            case "REKEY":
                return row._replace(id=self.b)
            case "DELETE":
                return None
            case "MERGE":
                return row._replace(v=self.keys[row.id])
        return row

    def new(self, met: Sequence[Row]) -> list[Row]:
        """The rows that it adds, if it depends on those of `met`."""
        match self.kind:
            case "INSERT":
                return [Row(self.a, self.tag, partition(self.a))]
            case "COPY":
                return [row._replace(id=row.id + 100) for row in met]
            case "MERGE" | "MERGE NEW":
                there = {row.id for row in met}
                return [Row(key, value, partition(key)) for key, value in self.keys.items() if key not in there]
        return []


def partition(key: int) -> int:
    return key // 6 % 2


@dataclass(frozen=True)
class Effect:
    """What a statement does to a state: the rows that it depends on and those of them that go, by name; new rows."""

    met: frozenset[int]
    gone: frozenset[int]
    new: tuple[Row, ...]


def effect(statement: Statement, state: Mapping[int, Row]) -> Effect:
    if statement.block:
        return _block_effect(statement.block, state)
    met = {name: row for name, row in state.items() if statement.depends_on(row)}
    # A row that is written again is another one, even with the same values.
    writes = statement.kind in {"UPDATE", "UPDATE IN", "REKEY", "DELETE", "MERGE"}
    images = [statement.image(row) for row in met.values()] if writes else []
    new = [*(row for row in images if row is not None), *statement.new(list(met.values()))]
    return Effect(frozenset(met), frozenset(met if writes else ()), tuple(new))


def _block_effect(block: Sequence[Statement], state: Mapping[int, Row]) -> Effect:
    """The net effect: rows that come and go in between are nobody's."""
    names, now = count(max(state, default=0) + 1), dict(state)
    met: set[int] = set()
    for part in block:
        done = effect(part, now)
        met |= done.met & state.keys()
        now = after(now, done, names)
    return Effect(
        frozenset(met), frozenset(state.keys() - now.keys()), tuple(now[name] for name in now.keys() - state.keys())
    )


def after(state: Mapping[int, Row], done: Effect, names: Iterator[int]) -> dict[int, Row]:
    kept = {name: row for name, row in state.items() if name not in done.gone}
    return kept | {next(names): row for row in done.new}


def in_order(statements: Sequence[Statement], base: Sequence[Row]) -> list[Row]:
    """The rows after statements that ran one after another."""
    names = count()
    state = {next(names): row for row in base}
    for statement in statements:
        state = after(state, effect(statement, state), names)
    return sorted(state.values())


@dataclass(frozen=True)
class Layout:
    vectors: bool
    tracking: bool
    by: str
    """Nothing, "CLUSTER BY (id)" or "PARTITIONED BY (p)"."""
    level: str

    @property
    def tells_rows_apart(self) -> bool:
        return self.vectors and not self.by.startswith("PARTITIONED")

    def create(self, table: str) -> str:
        properties = {
            "delta.enableDeletionVectors": self.vectors,
            "delta.enableRowTracking": self.tracking,
            "delta.isolationLevel": self.level,
        }
        given = ", ".join(f"'{key}' = '{str(value).lower()}'" for key, value in properties.items())
        given = given.replace(self.level.lower(), self.level)
        return f"CREATE TABLE {table} (id INT, v INT, p INT) {self.by} TBLPROPERTIES ({given})"


@dataclass
class Templates:
    """A table of each layout, to be copied: four files, one of them with a deleted row."""

    session: Session
    folder: Path
    made: dict[Layout, Path] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    rows = tuple(Row(key, key, partition(key)) for key in range(12) if key != 4)

    def copy(self, layout: Layout) -> Path:
        if layout not in self.made:
            self.made[layout] = self._create(layout)
        path = self.folder / f"copy{next(self.numbers)}"
        shutil.copytree(self.made[layout], path)
        return path

    def _create(self, layout: Layout) -> Path:
        path = self.folder / f"base{len(self.made)}"
        table = f"delta.`{path}`"
        self.session.sql(layout.create(table))
        for start in range(0, 12, 3):
            rows = ", ".join(f"({key}, {key}, {partition(key)})" for key in range(start, start + 3))
            self.session.sql(f"INSERT INTO {table} VALUES {rows}")
        self.session.sql(f"DELETE FROM {table} WHERE id = 4")
        return path


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Templates]:
    folder = tmp_path_factory.mktemp("serialisability")
    with connect(str(folder / "warehouse")) as session:
        yield Templates(session, folder)


class Stored(NamedTuple):
    rows: list[Row]
    row_ids: list[int]


def stored(log: DeltaLog) -> Stored:
    """The rows of the last version, read without Spark."""
    snapshot = log.snapshot()
    paths = snapshot.files(("path",)).column("path").to_pylist()
    assert len(set(paths)) == len(paths)
    columns = row_id_columns(snapshot.protocol, snapshot.metadata)
    found = Stored([], [])
    for add in snapshot.add_files(paths):
        _read(log, add, None if columns is None else columns.row_id, found)
    return Stored(sorted(found.rows), found.row_ids)


def _read(log: DeltaLog, add: AddFile, id_column: str | None, found: Stored) -> None:
    gone = set()
    if add.deletion_vector is not None:
        gone = set(deleted_rows(log.store, add.deletion_vector.to_json()).tolist())
    rows = pq.read_table(Path(log.location) / add.path, partitioning=None).to_pylist()
    assert json.loads(add.stats or "{}").get("numRecords") == len(rows)
    assert len(gone) < len(rows)
    for place, row in enumerate(rows):
        if place in gone:
            continue
        p = row["p"] if "p" in row else int(add.partition_values["p"] or "")
        found.rows.append(Row(row["id"], row["v"], p))
        if id_column is not None:
            own = row.get(id_column)
            assert add.base_row_id is not None
            found.row_ids.append(add.base_row_id + place if own is None else own)


def left_over(location: Path) -> set[str]:
    """Files below a table that no commit refers to."""
    lines = [line for path in (location / "_delta_log").glob("*.json") for line in path.read_text().splitlines()]
    actions = [action for line in lines for action in json.loads(line).values()]
    named = {action["path"] for action in actions if "path" in action}
    named |= {
        vector_path(action["deletionVector"]["pathOrInlineDv"]) for action in actions if "deletionVector" in action
    }
    files = (path.relative_to(location) for path in location.rglob("*") if path.suffix in {".parquet", ".bin"})
    return {str(path) for path in files if path.parts[0] != "_delta_log"} - named


@dataclass
class Run:
    """One schedule on one table, beside its model."""

    session: Session
    layout: Layout
    path: Path
    statements: Sequence[Statement]
    versions: list[dict[int, Row]] = field(default_factory=list)
    """The model's state after each commit."""
    commits: list[tuple[Statement, Effect, int]] = field(default_factory=list)
    """What was committed, and after how many commits its statement had begun."""
    begun: dict[int, tuple[Pending, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = count()
        self.versions.append({next(self._names): row for row in Templates.rows})

    def step(self, number: int) -> None:
        """Begins a statement, or commits it where it has begun."""
        statement = self.statements[number]
        if number not in self.begun:
            sql = statement.sql(str(self.path), self.layout.by.startswith("CLUSTER"))
            self.begun[number] = self.session.begin(sql), len(self.commits)
            return
        pending, since = self.begun[number]
        expected = self.must_lose(statement, since)
        version, lost = None, None
        try:
            version = pending.commit().version
        except ConcurrentModificationError as error:
            lost = error
        event(f"{statement.kind}: {lost.condition if lost else 'committed' if version else 'nothing to do'}")
        note(f"{statement} begun after {since} commits: {lost or version}")
        assert expected in {None, lost is not None}, f"{statement} should {'have lost' if expected else 'have won'}"
        if version is None:
            # It had nothing to do on the rows as it read them, so that its place is there.
            return
        done = effect(statement, self.versions[since])
        self.commits.append((statement, done, since))
        self.versions.append(after(self.versions[-1], done, self._names))

    def must_lose(self, statement: Statement, since: int) -> bool | None:
        """Whether rows tell that the statement must lose; None where the model does not know."""
        if not self.layout.tells_rows_apart or statement.kind == "ORDER":
            return None
        if not self.layout.tracking and any(other.rearranges for other, _, _ in self.commits):
            # Rows are not always found again, also not where another statement has taken a move back.
            return None
        own = effect(statement, self.versions[since])
        if statement.rearranges or statement.only_appends or not (own.gone or own.new):
            return False
        lenient = self.layout.level == "WriteSerializable"
        skipped: list[int] = []
        for number, (other, done, read) in enumerate(self.commits[since:], since):
            selected = any(statement.depends_on(row) for row in done.new)
            if own.met & done.gone:
                return True
            if lenient and other.only_appends:
                skipped += [number] if selected else []
                continue
            # A reader of what was left aside comes behind it, and must not come before this statement.
            if selected or (not other.rearranges and any(at < read for at in skipped)):
                return True
        return False

    def check(self) -> None:
        log = DeltaLog(str(self.path))
        found = stored(log)
        done = [statement for statement, _, _ in self.commits]
        orders = permutations(done) if self.layout.level == "WriteSerializable" else [done]
        wanted = [in_order(order, Templates.rows) for order in orders]
        assert found.rows in wanted, f"{found.rows} is none of {wanted[:3]}"
        assert len(set(found.row_ids)) == len(found.row_ids)
        assert not left_over(self.path)


def statement(draw: st.DrawFn, keys: Sequence[int], tag: int) -> Statement:
    # Changes of rows come more often: only with them something is at stake.
    kind = draw(st.sampled_from([*CHANGES, *CHANGES, "OPTIMIZE", "ORDER", "PURGE", "BLOCK", "BLOCK"]))
    if kind == "BLOCK":
        number = draw(st.integers(2, 3))
        return Statement(kind, tag=tag, block=tuple(change(draw, keys, tag + 1000 * part) for part in range(number)))
    return change(draw, keys, tag, kind)


def change(draw: st.DrawFn, keys: Sequence[int], tag: int, kind: str | None = None) -> Statement:
    kind = kind or draw(st.sampled_from(CHANGES))
    a, b = draw(st.sampled_from(keys)), draw(st.sampled_from(keys))
    return Statement(kind, min(a, b), max(a, b), tag) if kind == "DELETE" else Statement(kind, a, b, tag)


LAYOUTS = st.builds(
    Layout,
    vectors=st.sampled_from([True, True, True, False]),
    tracking=st.booleans(),
    by=st.sampled_from(["", "", "CLUSTER BY (id)", "PARTITIONED BY (p)"]),
    level=st.sampled_from(["WriteSerializable", "Serializable"]),
)


@st.composite
def schedules(draw: st.DrawFn) -> tuple[Layout, list[Statement], list[int]]:
    # Of few keys, so that the statements meet.
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True))
    drawn = [statement(draw, keys, 2 * index + 1) for index in range(draw(st.integers(2, 4)))]
    # The first mention of a statement begins it, the second commits it.
    steps = draw(st.permutations([number for number in range(len(drawn)) for _ in range(2)]))
    return draw(LAYOUTS), drawn, steps


@given(schedules())
@settings(
    max_examples=EXAMPLES or 24,
    derandomize=not EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_rows_are_those_of_an_order(templates: Templates, drawn: tuple[Layout, list[Statement], list[int]]) -> None:
    layout, given_statements, steps = drawn
    run = Run(templates.session, layout, templates.copy(layout), given_statements)
    for number in steps:
        run.step(number)
    run.check()
    shutil.rmtree(run.path)
