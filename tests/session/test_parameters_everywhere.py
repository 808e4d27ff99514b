"""Parameters wherever a literal may stand, and by IDENTIFIER wherever a name may: one script through all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

import deltasql

pytestmark = pytest.mark.spark

Args = Mapping[str, Any] | Sequence[Any]

DAY = date(2024, 1, 4)
SCRIPT: list[tuple[str, Args]] = [
    ("CREATE SCHEMA IDENTIFIER(:s) COMMENT :c", {"s": "para", "c": "it's"}),
    (
        "CREATE TABLE IDENTIFIER(:s || '.t') (IDENTIFIER(:id) INT DEFAULT :d COMMENT :c, v STRING, day DATE, "
        "g INT GENERATED ALWAYS AS (id + :one)) PARTITIONED BY (IDENTIFIER(:p)) COMMENT :c "
        "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = :supported, :key = :c, 'n' = :n, 'b' = :b)",
        {"s": "para", "id": "id", "d": -7, "c": "it's", "one": 1, "p": "day", "supported": "supported", "key": "k"}
        | {"n": 5, "b": True},
    ),
    ("USE SCHEMA IDENTIFIER(?)", ["para"]),
    ("ALTER TABLE IDENTIFIER(:t) SET TBLPROPERTIES (:k = :v)", {"t": "t", "k": "x.y", "v": "z"}),
    ("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS (:k)", {"k": "x.y"}),
    ("ALTER TABLE t ALTER COLUMN v SET DEFAULT :v", {"v": "new"}),
    ("ALTER TABLE t ALTER COLUMN v COMMENT :v", {"v": "words"}),
    ("ALTER TABLE t ADD COLUMN IDENTIFIER(:n) DECIMAL(4, 2) COMMENT :c", {"n": "amount", "c": "euros"}),
    ("COMMENT ON TABLE t IS :c", {"c": "a table"}),
    ("ALTER TABLE t ADD CONSTRAINT IDENTIFIER(:n) CHECK (id < :most)", {"n": "small", "most": 1000}),
    ("INSERT INTO t (id, v, day, amount) VALUES (:i, :v, :d, :a)", {"i": 1, "v": "a", "d": date(2024, 1, 2)}
        | {"a": Decimal("1.50")}),
    ("INSERT INTO t (id, v, day) VALUES (?, ?, ?), (?, DEFAULT, ?)", [2, None, date(2024, 1, 3), 3, date(2024, 1, 2)]),
    ("INSERT INTO t PARTITION (day = :d) (id, v) SELECT id, :v FROM range(:n)", {"d": DAY, "v": "r", "n": 3}),
    ("INSERT INTO t (id, v, day) REPLACE WHERE day = :d SELECT 9, :v, :d", {"d": date(2024, 1, 4), "v": "w"}),
    ("INSERT INTO t (id, v, day) REPLACE USING (IDENTIFIER(:c)) VALUES (9, :v, :d)", {"c": "id", "v": "u"}
        | {"d": date(2024, 1, 4)}),
    ("INSERT INTO t (id, v, day) x REPLACE ON x.id = :i (SELECT 9, :v, :d)", {"i": 9, "v": "o", "d": DAY}),
    ("UPDATE t SET IDENTIFIER(:c) = :v WHERE id = :i AND day < :d", {"c": "v", "v": "it's", "i": 1, "d": DAY}),
    ("MERGE INTO IDENTIFIER(:t) t USING (SELECT :i AS id, :v AS v) s ON t.id = s.id AND t.id < :m "
     "WHEN MATCHED AND s.v <> :w THEN UPDATE SET v = :v "
     "WHEN NOT MATCHED THEN INSERT (id, v, day) VALUES (s.id, :v, :d)",
     {"t": "t", "i": 1, "v": "m", "w": "x", "m": 100, "d": date(2024, 1, 5)}),
    ("DELETE FROM t WHERE id IN (SELECT max(id) FROM t WHERE v = :v) AND id > (SELECT :i)", {"v": "zz", "i": 5}),
    ("SELECT * FROM t WHERE v = :v ORDER BY id LIMIT :n OFFSET :o", {"v": "m", "n": 1, "o": 0}),
    ("SELECT :d + INTERVAL :n DAY + INTERVAL :y YEAR", {"d": date(2024, 1, 1), "n": 3, "y": "2"}),
    ("SELECT :f, :b, :nul, :bytes, :ts, :list, :map", {"f": 1.5, "b": False, "nul": None, "bytes": b"\x00"}
        | {"list": [1, 2], "ts": datetime(2024, 1, 1, tzinfo=timezone.utc), "map": {"a": 1}}),
    ("SELECT count(*) FROM t VERSION AS OF :v", {"v": 0}),
    ("SELECT count(*) FROM t VERSION AS OF :v", {"v": "0"}),
    ("SELECT count(*) FROM IDENTIFIER(:t || '@v' || :v)", {"t": "t", "v": "1"}),
    ("SELECT count(*) FROM t TABLESAMPLE (:p PERCENT)", {"p": 100}),
    ("SELECT count(*) FROM range(?, ?)", [0, 5]),
    ("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = :on)", {"on": True}),
    ("OPTIMIZE t WHERE day = :d", {"d": date(2024, 1, 2)}),
    ("DESCRIBE HISTORY t LIMIT :n", {"n": 2}),
    ("DESCRIBE HISTORY IDENTIFIER(:t) LIMIT :n", {"t": "t", "n": 1}),
    ("SHOW TABLES IN IDENTIFIER(:s) LIKE :p", {"s": "para", "p": "t*"}),
    ("SHOW TBLPROPERTIES t (:k)", {"k": "k"}),
    ("RESTORE TABLE t TO VERSION AS OF :v", {"v": 12}),
    ("VACUUM t RETAIN :h HOURS DRY RUN", {"h": 200}),
    ("SET spark.sql.shuffle.partitions = :n", {"n": 3}),
    ("EXECUTE IMMEDIATE :q USING :i AS i", {"q": "SELECT :i + 1", "i": 1}),
    ("CREATE TABLE u AS SELECT :v AS v", {"v": "a"}),
    ("CREATE TABLE w (v INT) TBLPROPERTIES ('delta.logRetentionDuration' = :i)", {"i": "interval 3 days"}),
    ("CREATE TEMPORARY VIEW vw AS SELECT * FROM t WHERE id = :i", {"i": 1}),
    ("SELECT * FROM vw", {}),
    ("ALTER TABLE t DROP CONSTRAINT IDENTIFIER(:n)", {"n": "small"}),
    ("DROP TABLE IDENTIFIER(:t)", {"t": "u"}),
    ("EXPLAIN DELETE FROM t WHERE v = :v", {"v": "a value of mine"}),
]  # fmt: skip


def test_each_place_takes_a_parameter(session: deltasql.Session) -> None:
    failed = []
    for sql, args in SCRIPT:
        try:
            session.sql(sql, args).collect()
        except deltasql.DeltaSqlError as error:
            failed.append(f"{sql}\n{error}")
    assert not failed, "\n\n".join(failed)
    assert session.sql("SHOW TBLPROPERTIES para.t ('k')").collect() == [("k", "it's")]
    (explained,) = session.sql("EXPLAIN DELETE FROM t WHERE v = :v", {"v": "a value of mine"}).collect()
    assert "a value of mine" not in explained[0]


def test_times_and_changes_take_parameters(session: deltasql.Session) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableChangeDataFeed' = :on)", {"on": True})
    version = session.sql("INSERT INTO t VALUES (:a), (:b)", {"a": 1, "b": 2}).version
    when = session.sql("DESCRIBE HISTORY t LIMIT ?", [1]).collect()[0].timestamp
    for time in (when, str(when)):
        assert session.sql("SELECT count(*) FROM t TIMESTAMP AS OF :t", {"t": time}).collect() == [(2,)]
    later = "SELECT count(*) FROM t TIMESTAMP AS OF :t + INTERVAL :n SECONDS"
    assert session.sql(later, {"t": when, "n": 0}).collect() == [(2,)]
    changed = "SELECT id, _change_type FROM table_changes(:t, :v) ORDER BY id"
    assert session.sql(changed, {"t": "t", "v": version}).collect() == [(1, "insert"), (2, "insert")]
