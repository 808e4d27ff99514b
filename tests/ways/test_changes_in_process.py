"""Tables are changed, and small ones read, without an engine: none starts here."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import DeltaSqlError, Session
from deltasql.engines.local import rewrites as rewritten_here
from deltasql.engines.local import selections, sources
from deltasql.files import stage
from deltasql.files.reading import file_reader
from tests.ways.compare import StartedError


@pytest.fixture
def session(sleeping: Session) -> Session:
    sleeping.sql("CREATE TABLE t (id INT, v STRING, n BIGINT NOT NULL, s STRUCT<x: INT>)")
    sleeping.sql("INSERT INTO t (id, v, n) VALUES (1, 'a', 1), (2, 'b', 2), (NULL, NULL, 3)")
    return sleeping


@pytest.mark.parametrize("vectors", [False, True])
def test_the_life_of_a_small_table(session: Session, vectors: bool) -> None:
    session.sql(f"ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{str(vectors).lower()}')")
    assert session.sql("UPDATE t SET v = 'u', n = n + 10 WHERE id = 1 OR v IS NULL").collect() == [(2,)]
    merged = session.sql(
        "MERGE INTO t USING (SELECT 2 AS id, 'm' AS v UNION ALL SELECT 5, 'new') AS s ON t.id = s.id "
        "WHEN MATCHED AND t.v = 'b' THEN UPDATE SET v = s.v "
        "WHEN NOT MATCHED THEN INSERT (id, v, n) VALUES (s.id, s.v, 50) "
        "WHEN NOT MATCHED BY SOURCE AND t.id IS NULL THEN DELETE"
    )
    assert merged.collect() == [(3, 1, 1, 1)]
    assert merged.metrics["numSourceRows"] == 2
    assert session.sql("DELETE FROM t WHERE id NOT IN (2, 5)").collect() == [(1,)]
    rows = session.sql("SELECT * FROM t").collect()
    assert sorted(tuple(row) for row in rows) == [(2, "m", 2, None), (5, "new", 50, None)]
    assert session.sql("DELETE FROM t WHERE id > 100").collect() == [(0,)]


def test_a_source_is_a_small_table_or_rows_in_memory(session: Session) -> None:
    session.sql("CREATE TABLE other (id INT, v STRING)")
    session.sql("INSERT INTO other VALUES (1, 'o')")
    text = "MERGE INTO t USING {} AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v"
    assert session.sql(text.format("other")).collect()[0][0] == 1
    assert session.sql("SELECT v FROM t").collect()[0] == ("o",)


def test_partitions(session: Session) -> None:
    session.sql("CREATE TABLE p (id INT, v STRING, part STRING) PARTITIONED BY (part)")
    session.sql("INSERT INTO p VALUES (1, 'a', 'x/y'), (2, 'b', NULL), (3, 'c', 'x/y')")
    session.sql("UPDATE p SET v = 'u' WHERE part = 'x/y' AND id = 1")
    session.sql(
        "MERGE INTO p USING (SELECT 9 AS id, 'n' AS v, 'z' AS part) s ON p.id = s.id WHEN NOT MATCHED THEN INSERT *"
    )
    found = sorted(tuple(row) for row in session.sql("SELECT * FROM p").collect())
    assert found == [(1, "u", "x/y"), (2, "b", None), (3, "c", "x/y"), (9, "n", "z")]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE t SET v = upper(v)",
        "UPDATE t SET n = CAST(NULL AS BIGINT) WHERE id = 1",
        "UPDATE t SET n = n + 9223372036854775807 WHERE n = 2",
        "DELETE FROM t WHERE v LIKE 'a%'",
        "MERGE INTO t USING (SELECT 1 AS id UNION ALL SELECT 1) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'x'",
        "MERGE INTO t USING (SELECT rand() AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
    ],
)
def test_what_an_engine_is_asked(session: Session, statement: str) -> None:
    """What is not certain, and what is wrong: an engine says which row it is."""
    before = session.log("t").snapshot().version
    with pytest.raises((StartedError, DeltaSqlError)):
        session.sql(statement)
    assert session.log("t").snapshot().version == before


@pytest.mark.parametrize(
    "setting",
    ["deltasql.io.mode = EXECUTORS", "spark.sql.caseSensitive = true", "spark.sql.ansi.doubleQuotedIdentifiers = true"],
)
def test_settings_that_change_the_meaning(session: Session, setting: str) -> None:
    session.sql(f"SET {setting}")
    with pytest.raises((StartedError, DeltaSqlError)):
        session.sql("UPDATE t SET v = 'x' WHERE id = 1")


def test_rows_are_chosen_and_ordered(session: Session) -> None:
    session.sql("CREATE TABLE o (id INT, v STRING, b BOOLEAN, m DECIMAL(5,2), d DATE, f DOUBLE) PARTITIONED BY (d)")
    session.sql(
        "INSERT INTO o VALUES (1, 'b', true, 1.5, DATE'2020-01-01', 0.5), (2, 'a', NULL, 0.5, NULL, 1.5), "
        "(NULL, NULL, false, NULL, DATE'2019-01-01', 2)"
    )
    for query, found in {
        "SELECT id FROM o ORDER BY id": [(None,), (1,), (2,)],
        "SELECT v FROM o WHERE id = 1 OR v IS NULL ORDER BY v DESC": [("b",), (None,)],
        "SELECT id, v FROM o ORDER BY v DESC LIMIT 1": [(1, "b")],
        "SELECT b FROM o ORDER BY 1 DESC NULLS FIRST": [(None,), (True,), (False,)],
        "SELECT id FROM o AS x WHERE x.f IS NOT NULL AND d >= DATE'2019-06-01'": [(1,)],
        "SELECT m AS z, id FROM o ORDER BY z NULLS LAST, id": [
            (Decimal("0.50"), 2),
            (Decimal("1.50"), 1),
            (None, None),
        ],
        "SELECT id FROM o WHERE id > 5": [],
        "SELECT id FROM o LIMIT 0": [],
        "SELECT count(*) FROM o WHERE id IS NOT NULL": [(2,)],
        "SELECT COUNT(1) AS n FROM o x WHERE x.d IS NULL OR v = 'b'": [(2,)],
    }.items():
        result = session.sql(query)
        assert result.collect() == found, query
        assert (result.count(), list(result.head(1))) == (len(found), found[:1])
        assert result.to_arrow().num_rows == len(found)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM t ORDER BY v",
        "SELECT id AS a, v AS a FROM t ORDER BY a",
        "SELECT id FROM t WHERE upper(v) = 'A'",
        "SELECT id FROM t ORDER BY 2",
        "SELECT * FROM t ORDER BY s",
        "SELECT missing FROM t",
        "SELECT count(*) FROM t WHERE missing > 0",
        "SELECT count(missing) FROM t WHERE id > 0",
        "SELECT max(s) FROM t WHERE v = 'a'",
        "SELECT count(*) / 2 FROM t WHERE v = 'a'",
    ],
)
def test_queries_for_an_engine(session: Session, query: str) -> None:
    with pytest.raises(StartedError):
        session.sql(query).collect()


# Tables that are not small


@pytest.fixture
def large(session: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session for which every table is a large one."""
    monkeypatch.setattr(rewritten_here, "is_small", lambda _: False)
    return session


def files_of(session: Session, table: str) -> set[str]:
    return set(session.log(table).snapshot().files(["path"]).column("path").to_pylist())


def rows_of_table(session: Session, table: str) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in session.sql(f"SELECT * FROM {table}").collect()), key=repr)


@pytest.mark.parametrize("vectors", [False, True])
def test_the_life_of_a_large_table(large: Session, tmp_path: Path, vectors: bool) -> None:
    large.sql(
        "CREATE TABLE big (id BIGINT, v STRING, x DOUBLE, p STRING) PARTITIONED BY (p) "
        f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{str(vectors).lower()}', 'delta.checkpointInterval' = '2')"
    )
    large.sql(
        "INSERT INTO big VALUES (1, 'a', 0.5, 'x'), (2, 'b', NULL, 'x/y'), (3, NULL, 2, NULL), (101, 'd', 4, 'x')"
    )
    before = files_of(large, "big")
    assert large.sql("UPDATE big SET x = x + 1, v = 'u' WHERE id % 100 = 1 AND p = 'x'").collect() == [(2,)]
    # The files of other partitions stay as they are.
    assert len(files_of(large, "big") & before) == 2
    source = tmp_path / "changes.parquet"
    pq.write_table(pa.table({"id": [2, 9, 101], "v": ["m", "n", "z"], "more": [1, 2, 3]}), source)
    merged = large.sql(
        f"MERGE INTO big AS t USING parquet.`{source}` AS s ON t.id = s.id WHEN MATCHED AND s.v = 'z' THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET t.v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
    )
    assert merged.collect() == [(3, 1, 1, 1)]
    assert large.sql("DELETE FROM big WHERE v IS NULL OR x > 100").collect() == [(1,)]
    assert rows_of_table(large, "big") == [(1, "u", 1.5, "x"), (2, "m", None, "x/y"), (9, "n", None, None)]
    assert large.sql("DELETE FROM big WHERE id = 77").collect() == [(0,)]


def test_a_source_of_chosen_rows(large: Session) -> None:
    large.sql("CREATE TABLE other (id INT, v STRING, k INT)")
    large.sql("INSERT INTO other VALUES (1, 'o', 1), (2, 'o', 2), (7, 'o', 1)")
    large.sql(
        "MERGE INTO t USING (SELECT id, v FROM other WHERE k = 1) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = s.v "
        "WHEN NOT MATCHED AND s.id > 5 THEN INSERT (id, v, n) VALUES (s.id, s.v, 0)"
    )
    assert rows_of_table(large, "t") == [(1, "o", 1, None), (2, "b", 2, None), (7, "o", 0, None), (None, None, 3, None)]


def test_columns_are_read_where_rows_are(large: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a row group without a row that is looked for no more than the columns of the condition."""
    folder = tmp_path / "wide"
    folder.mkdir()
    texts = [f"v{number}" for number in range(100)]
    pq.write_table(pa.table({"id": range(100), "v": texts, "w": texts}), folder / "rows.parquet", row_group_size=10)
    large.sql(f"CONVERT TO DELTA parquet.`{folder}`")
    monkeypatch.setattr(file_reader, "PIECE_BYTES", 0)
    monkeypatch.setattr(file_reader, "PIECE_BYTES", 0)
    read = list[tuple[int, str]]()
    whole = file_reader._read_groups

    def noted(file: pq.ParquetFile, groups: Sequence[int], names: Sequence[str]) -> pa.Table:
        read.extend((group, name) for group in groups for name in names)
        return whole(file, groups, names)

    monkeypatch.setattr(file_reader, "_read_groups", noted)
    assert large.sql(f"UPDATE delta.`{folder}` SET v = 'u', w = v WHERE id = 42").collect() == [(1,)]
    assert {group for group, name in read if name == "id"} == set(range(10))
    assert {group for group, name in read if name == "v"} == {4}
    assert large.sql(f"SELECT v, w FROM delta.`{folder}` WHERE id = 42").collect() == [("u", "v42")]


def test_rows_are_chosen_of_large_tables(large: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selections, "is_small", lambda _: False)
    large.sql("CREATE TABLE p (id INT, v STRING, d DATE) PARTITIONED BY (d)")
    large.sql("INSERT INTO p VALUES (1, 'a', DATE'2024-01-01'), (2, 'b', NULL), (13, 'c', DATE'2024-01-01')")
    large.sql("DELETE FROM p WHERE id = 2")
    known: dict[str, list[tuple[object, ...]]] = {
        "SELECT v FROM p WHERE id % 10 = 3 AND d IS NOT NULL": [("c",)],
        "SELECT id FROM p WHERE d = DATE'2024-01-01' ORDER BY id DESC LIMIT 1": [(13,)],
        "SELECT * FROM (SELECT id FROM p WHERE v = 'none') AS q": [],
    }
    for query, found in known.items():
        result = large.sql(query)
        assert (result.collect(), result.count(), list(result.head(9))) == (found, len(found), found), query
    with pytest.raises(StartedError):
        large.sql("SELECT v FROM p ORDER BY id").collect()
    monkeypatch.setattr(selections, "memory_limit", lambda _: 1)
    with pytest.raises(StartedError):
        large.sql("SELECT v FROM p WHERE id > 0").collect()


@pytest.mark.parametrize(
    "statement",
    [
        # No column of the target stands alone in an equality.
        "MERGE INTO t USING (SELECT 1 AS id) s ON t.id > s.id WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = 1 WHEN MATCHED THEN DELETE",
        # What is wrong, an engine tells.
        "UPDATE t SET n = CAST(NULL AS BIGINT) WHERE id = 1",
        "MERGE INTO t USING parquet.`/no/such/file` s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING (SELECT 1 AS id UNION ALL SELECT 1) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'x'",
    ],
)
def test_what_of_large_tables_an_engine_is_asked(large: Session, statement: str) -> None:
    before = large.log("t").snapshot().version
    with pytest.raises((StartedError, DeltaSqlError)):
        large.sql(statement)
    assert large.log("t").snapshot().version == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE t SET v = 'x' WHERE n < 3",
        "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
    ],
)
@pytest.mark.parametrize("module", [stage, selections])
def test_rows_beyond_the_limit_of_memory_are_left_to_the_engine(
    large: Session, monkeypatch: pytest.MonkeyPatch, module: ModuleType, statement: str
) -> None:
    """As data files tell before they are read, or as the rows do that are read of them."""
    monkeypatch.setattr(module, "memory_limit", lambda _: 1)
    with pytest.raises(StartedError):
        large.sql(statement)
    monkeypatch.undo()


def test_pairs_beyond_the_limit_of_memory_are_left_to_the_engine(
    large: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_PAIR_BYTES", 1 << 60)
    with pytest.raises(StartedError):
        large.sql("MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")


@pytest.mark.parametrize("vectors", [False, True])
def test_scattered_keys_in_batches_of_files(
    large: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, vectors: bool
) -> None:
    """Keys from all files, with NULL, one that no row has, and two columns; each file is a batch of its own."""
    monkeypatch.setattr(rewritten_here, "_BATCH_BYTES", 1)
    monkeypatch.setattr(sources, "_LEAST_ROWS", 1)
    large.sql(f"CREATE TABLE s (k INT, l BIGINT, v STRING) TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')")
    expected: list[tuple[Any, ...]] = []
    for part in range(5):
        rows: list[tuple[Any, ...]] = [(key, key % 3, f"v{key}") for key in range(part, 200, 5)] + [
            (None, part, "null")
        ]
        pq.write_table(_keyed(rows), tmp_path / f"{part}.parquet")
        large.sql(f"INSERT INTO s SELECT * FROM parquet.`{tmp_path}/{part}.parquet`")
        expected += rows
    changes: list[tuple[Any, ...]] = [(key, key % 3 if key % 2 else 7, "new") for key in range(0, 200, 7)] + [
        (None, 1, "null"),
        (900, 0, "n"),
    ]
    pq.write_table(_keyed(changes), tmp_path / "changes.parquet")
    merged = large.sql(
        f"MERGE INTO s AS t USING parquet.`{tmp_path}/changes.parquet` AS c ON c.k = t.k AND t.l = c.l AND t.v <> 'v7' "
        "WHEN MATCHED AND t.k > 150 THEN DELETE WHEN MATCHED THEN UPDATE SET v = c.v "
        "WHEN NOT MATCHED AND c.k IS NOT NULL THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.l = 2 AND t.k < 20 THEN DELETE"
    )
    keys = {(key, number) for key, number, _ in changes if key is not None and key != 7}
    met = [row for row in expected if row[:2] in keys]
    gone = {row for row in met if row[0] > 150}
    gone |= {row for row in expected if row not in met and row[0] is not None and row[0] < 20 and row[1] == 2}
    added = [row for row in changes if row[0] is not None and (row[0] == 7 or row[:2] not in {r[:2] for r in met})]
    left = [(*row[:2], "new") if row in met else row for row in expected if row not in gone]
    assert rows_of_table(large, "s") == sorted(left + added, key=repr)
    updated = len([row for row in met if row not in gone])
    assert merged.collect() == [(updated + len(gone) + len(added), updated, len(gone), len(added))]


def _keyed(rows: list[tuple[Any, ...]]) -> pa.Table:
    keys, numbers, texts = zip(*rows, strict=True)
    return pa.table({"k": pa.array(keys, pa.int32()), "l": pa.array(numbers, pa.int64()), "v": pa.array(texts)})


@pytest.mark.parametrize("small", [False, True])
def test_rows_in_files_of_their_own_are_changed_in_this_process(
    session: Session, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    """Files with one row each, of a small table or of a larger one: all rows of the rewritten files change."""
    monkeypatch.setattr(rewritten_here, "is_small", lambda _: small)
    session.sql("CREATE TABLE s (id BIGINT, v STRING)")
    for number in range(9):
        session.sql(f"INSERT INTO s VALUES ({number}, 'a')")
    merge = "MERGE INTO s USING (SELECT 7L AS id, 'm' AS v UNION ALL SELECT 99L, 'm') AS n ON s.id = n.id"
    session.sql(f"{merge} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
    session.sql("UPDATE s SET v = 'u' WHERE id IN (3, 4)")
    changed = session.sql("SELECT id, v FROM s WHERE v <> 'a' ORDER BY id").collect()
    assert changed == [(3, "u"), (4, "u"), (7, "m"), (99, "m")]


def test_all_rows_of_files_are_changed_in_this_process(large: Session) -> None:
    assert large.sql("UPDATE t SET v = 'x'").collect() == [(3,)]
    merge = "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 'y'"
    assert large.sql(merge).collect() == [(2, 2, 0, 0)]
    assert rows_of_table(large, "t") == [(1, "x", 1, None), (2, "y", 2, None), (None, "y", 3, None)]


def test_a_cluster_changes_large_tables_itself(large: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTASQL_MASTER", "spark://elsewhere:7077")
    with pytest.raises(StartedError):
        large.sql("UPDATE t SET v = 'x' WHERE n < 3")
    large.sql("SET deltasql.io.mode = DRIVER")
    assert large.sql("UPDATE t SET v = 'x' WHERE n < 3").collect() == [(2,)]


def test_rows_are_written(session: Session, tmp_path: Path) -> None:
    """INSERT … SELECT and CREATE TABLE … AS: of tables, of chosen rows, of files."""
    pq.write_table(pa.table({"id": [1, 2], "v": ["a", "b"]}), tmp_path / "s.parquet")
    assert session.sql(f"CREATE TABLE u AS SELECT * FROM parquet.`{tmp_path / 's.parquet'}`").collect() == [(2, 2)]
    session.sql("CREATE TABLE w (k BIGINT NOT NULL, v STRING, x DOUBLE, CONSTRAINT c CHECK (k > 0)) PARTITIONED BY (v)")
    assert session.sql("INSERT INTO w (v, k) SELECT v, id FROM u WHERE id < 2").collect() == [(1, 1)]
    assert session.sql("INSERT INTO w BY NAME SELECT id AS k, v FROM u").collect() == [(2, 2)]
    assert rows_of_table(session, "w") == [(1, "a", None), (1, "a", None), (2, "b", None)]
    assert session.sql("INSERT INTO u SELECT * FROM u WHERE id = 77").collect() == [(0, 0)]
    session.sql("INSERT OVERWRITE u SELECT k, v FROM w WHERE k = 2")
    assert rows_of_table(session, "u") == [(2, "b")]


@pytest.mark.parametrize(
    "query",
    [
        # A row that breaks a constraint, values that are not certain, a directory that may not be called so.
        "SELECT n, v FROM u",
        "SELECT m, v FROM u",
        "SELECT id, upper(v) FROM u",
        "SELECT v, id FROM u",
        "SELECT id, long FROM u",
        "SELECT id, zero FROM u",
        "SELECT DISTINCT id, upper(v) FROM u",
        "SELECT u.id, u.v FROM u JOIN u AS w USING (id)",
    ],
)
def test_rows_that_an_engine_writes(session: Session, query: str) -> None:
    session.sql("CREATE TABLE u (id BIGINT, n BIGINT, m BIGINT, v STRING, long STRING, zero STRING)")
    session.sql(f"INSERT INTO u VALUES (1, -5, NULL, 'a', '{'x' * 100}', 'a\\0b')")
    session.sql("CREATE TABLE w (k BIGINT NOT NULL, v STRING, CONSTRAINT c CHECK (k > 0)) PARTITIONED BY (v)")
    with pytest.raises((StartedError, DeltaSqlError)):
        session.sql(f"INSERT INTO w {query}")
    assert session.log("w").snapshot().version == 0


@pytest.mark.parametrize("text", ["SELECT id, id AS twice FROM parquet.`{}`", "SELECT * FROM parquet.`{}`"])
def test_columns_of_parquet_files(large: Session, tmp_path: Path, text: str) -> None:
    place = tmp_path / "s.parquet"
    pq.write_table(pa.table({"id": pa.array([1, 5], pa.int32()), "twice": pa.array([3, 4], pa.int32())}), place)
    large.sql(f"MERGE INTO t USING ({text.format(place)}) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.twice")
    assert rows_of_table(large, "t")[0][2] == (1 if "AS" in text else 3)
