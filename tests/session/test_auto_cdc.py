"""AUTO CDC against a model that takes events one by one, over random streams in batches, late and out of order."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from deltasql.session import Session, connect
from tests.samples import seed

pytestmark = pytest.mark.spark

COLUMNS = "id INT, name STRING, city STRING, op STRING, ts INT"


@dataclass(frozen=True)
class Event:
    """A change of a key: `op` is U or D."""

    id: int | None
    name: str | None
    city: str | None
    op: str
    ts: int

    def sql(self) -> str:
        values = (self.id, self.name, self.city, self.op, self.ts)
        return f"({', '.join('NULL' if value is None else repr(value) for value in values)})"


def events(rng: random.Random, count: int) -> list[Event]:
    """Events of few keys in a random order, each with a sequence of its own within its key."""
    made, times = [], defaultdict[int | None, list[int]](lambda: rng.sample(range(1000), 60))
    for _ in range(count):
        key = rng.choice([1, 2, 3, None])
        name, city = (rng.choice(["a", "b", None]) for _ in range(2))
        made.append(Event(key, name, city, rng.choice("UUUD"), times[key].pop()))
    return made


def lives(seen: Iterable[Event], *, ignores_nulls: bool) -> dict[int | None, list[Event]]:
    """The events of each key by their sequence, with the values that earlier ones leave."""
    found: dict[int | None, list[Event]] = {}
    for event in sorted(seen, key=lambda item: item.ts):
        before = found.setdefault(event.id, [])
        if ignores_nulls and before and before[-1].op != "D":
            last = before[-1]
            name, city = event.name or last.name, event.city or last.city
            before.append(Event(event.id, name, city, event.op, event.ts))
        else:
            before.append(event)
    return found


def newest(seen: Iterable[Event], *, ignores_nulls: bool = False) -> set[tuple[Any, ...]]:
    """SCD type 1."""
    last = (items[-1] for items in lives(seen, ignores_nulls=ignores_nulls).values())
    return {(item.id, item.name, item.city) for item in last if item.op != "D"}


def history(seen: Iterable[Event], tracked: tuple[str, ...]) -> set[tuple[Any, ...]]:
    """SCD type 2."""
    rows: set[tuple[Any, ...]] = set()
    for key, items in lives(seen, ignores_nulls=False).items():
        opened: tuple[Event, int] | None = None
        for item in items:
            same = opened is not None and all(getattr(opened[0], name) == getattr(item, name) for name in tracked)
            if opened is not None and (item.op == "D" or not same):
                rows.add((key, opened[0].name, opened[0].city, opened[1], item.ts))
                opened = None
            if item.op != "D":
                opened = (item, item.ts if opened is None else opened[1])
        if opened is not None:
            rows.add((key, opened[0].name, opened[0].city, opened[1], None))
    return rows


FLOWS: Mapping[str, str] = {
    "newest": "STORED AS SCD TYPE 1",
    "filled": "IGNORE NULL UPDATES",
    "history": "STORED AS SCD TYPE 2",
    "cities": "STORED AS SCD TYPE 2 TRACK HISTORY ON * EXCEPT (name)",
}


def rows_of(session: Session, table: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(f"SELECT * FROM {table}").collect()]


@pytest.mark.parametrize("number", range(2))
def test_random_streams(number: int, tmp_path: Any) -> None:
    rng = random.Random(seed() + number)
    seen: list[Event] = []
    with connect(str(tmp_path)) as session:
        session.sql(f"CREATE TABLE changes ({COLUMNS})")
        for table, clauses in FLOWS.items():
            session.sql(f"CREATE STREAMING TABLE {table}")
            before, stored, after = clauses.partition("STORED")
            session.sql(
                f"CREATE FLOW f AS AUTO CDC INTO {table} FROM STREAM(changes) KEYS (id) {before}"
                f" APPLY AS DELETE WHEN op = 'D' SEQUENCE BY ts COLUMNS * EXCEPT (op, ts) {stored}{after}"
            )
        for batch in range(3):
            new = events(rng, rng.randrange(1, 25))
            # A key's sequences are of its own, also over the batches.
            new = [event for event in new if (event.id, event.ts) not in {(item.id, item.ts) for item in seen}]
            seen += new
            if new:
                session.sql(f"INSERT INTO changes VALUES {', '.join(event.sql() for event in new)}")
            due = {
                "newest": newest(seen),
                "filled": newest(seen, ignores_nulls=True),
                "history": history(seen, ("name", "city")),
                "cities": history(seen, ("city",)),
            }
            for table, wanted in due.items():
                session.sql(f"REFRESH STREAMING TABLE {table}{' FULL' if batch == 2 else ''}")
                found = rows_of(session, table)
                assert set(found) == wanted, table
                assert len(found) == len(wanted), table


def test_equal_sequences_nulls_and_truncation(tmp_path: Any) -> None:
    with connect(str(tmp_path)) as session:
        session.sql(f"CREATE TABLE changes ({COLUMNS})")
        session.sql(
            "INSERT INTO changes VALUES (1, 'a', 'x', 'U', 1), (1, 'b', 'x', 'U', 1), (1, 'c', 'x', 'U', NULL),"
            " (2, 'old', 'x', 'U', 1), (9, NULL, NULL, 'T', 2), (3, 'new', 'x', 'U', 3)"
        )
        session.sql(
            "CREATE STREAMING TABLE t FLOW AUTO CDC FROM STREAM changes KEYS (`ID`) WHERE id < 10"
            " apply as truncate when op = 'T' SEQUENCE BY ts COLUMNS (id, name)"
        )
        assert rows_of(session, "t") == [(3, "new")]
        session.sql(
            "CREATE STREAMING TABLE u FLOW AUTO CDC FROM STREAM(changes) KEYS (id) SEQUENCE BY STRUCT(ts, name)"
            " COLUMNS (id, name) STORED AS SCD TYPE 2"
        )
        assert {row[:2] for row in rows_of(session, "u")} == {
            (1, "a"),
            (1, "b"),
            (1, "c"),
            (2, "old"),
            (3, "new"),
            (9, None),
        }
        again = session.sql("SHOW CREATE TABLE u").collect()[0][0]
        session.sql(again.replace("STREAMING TABLE spark_catalog.default.u", "STREAMING TABLE v"))
        assert sorted(rows_of(session, "v"), key=repr) == sorted(rows_of(session, "u"), key=repr)


def test_flows_that_add_rows(tmp_path: Any) -> None:
    with connect(str(tmp_path)) as session:
        for table in ("a", "b"):
            session.sql(f"CREATE TABLE {table} (id INT)")
            session.sql(f"INSERT INTO {table} VALUES (1)")
        session.sql("CREATE OR REFRESH STREAMING TABLE t")
        assert session.sql("REFRESH STREAMING TABLE t").collect()[0][0] == "NONE"
        session.sql("CREATE FLOW one AS INSERT INTO t BY NAME SELECT id, 'a' AS origin FROM STREAM(a)")
        session.sql("CREATE FLOW two AS INSERT INTO t BY NAME SELECT id, 'b' AS origin FROM STREAM b")
        session.sql("CREATE FLOW three AS INSERT INTO ONCE t BY NAME SELECT id + 6 AS id FROM STREAM(b)")
        assert sorted(rows_of(session, "t"), key=repr) == [(1, "a"), (1, "b"), (7, None)]
        session.sql("INSERT INTO b VALUES (2)")
        for _ in range(2):
            session.sql("REFRESH STREAMING TABLE t")
            assert sorted(rows_of(session, "t"), key=repr) == [(1, "a"), (1, "b"), (2, "b"), (7, None)]
        session.sql("CREATE OR REFRESH STREAMING TABLE t")
        session.sql("REFRESH STREAMING TABLE t FULL")
        assert sorted(rows_of(session, "t")) == [(1, "a"), (1, "b"), (2, "b")]


@pytest.mark.parametrize(
    "source",
    [
        "cloud_files('{0}', 'json')",
        'STREAM(cloud_files("{0}", "json", map("cloudFiles.inferColumnTypes", "true")))',
        "STREAM cloud_files('{0}', 'json', map('cloudFiles.schemaHints', 'a INT', 'multiLine', 'false'))",
    ],
)
def test_files_of_the_first_form_of_pipelines(source: str, tmp_path: Any) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.json").write_text('{"a": 1}\n', encoding="utf-8")
    with connect(str(tmp_path / "warehouse")) as session:
        session.sql(f"CREATE STREAMING LIVE TABLE t AS SELECT a FROM {source.format(folder)}")
        (folder / "b.json").write_text('{"a": 2}\n', encoding="utf-8")
        session.sql("REFRESH STREAMING TABLE t")
        session.sql("CREATE OR REFRESH LIVE TABLE n AS SELECT count(*) AS n FROM LIVE.t")
        assert sorted(rows_of(session, "t")) == [(1,), (2,)]
        assert rows_of(session, "n") == [(2,)]
