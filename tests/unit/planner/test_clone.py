"""CLONE: what it writes into the log and what it copies, of tables whose files are made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deltasql.log import operations
from deltasql.log.actions.actions import Action, DomainMetadata, SetTransaction
from deltasql.log.commit.transaction import Transaction
from deltasql.log.source_files import COPY_INTO
from deltasql.schema.checks import identities, with_identities
from deltasql.session.session import Session
from tests.unit.planner.clones import CHANGES, SIZES, Files, actions, changes, condition, live, numbers, on_disk


def test_a_shallow_clone_names_the_files_where_they_are(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT, p STRING) PARTITIONED BY (p) COMMENT 'of s' TBLPROPERTIES ('k' = 'v')")
    files.put("s", "p=x%20y/a.parquet", 10, partition_values={"p": "x y"}, tags={"t": "1"})
    files.put("s", "p=z%2525/b.parquet", 20, partition_values={"p": "z%"})
    result = session.sql("CREATE TABLE t SHALLOW CLONE s TBLPROPERTIES ('k' = 'own', 'k2' = 'w')")
    assert numbers(result) == {**dict(zip(SIZES, (30, 2), strict=True)), **dict.fromkeys(CHANGES, 0)}
    root = session.log("s").location
    written = actions(session, "t", 0)
    assert [add["path"] for add in written["add"]] == [
        f"file:{root}/p=x%20y/a.parquet",
        f"file:{root}/p=z%2525/b.parquet",
    ]
    first = written["add"][0]
    assert (first["partitionValues"], first["size"], first["modificationTime"]) == ({"p": "x y"}, 10, 1)
    assert (first["dataChange"], first["stats"], first["tags"]) == (True, '{"numRecords":5}', {"t": "1"})
    info = written["commitInfo"][0]
    assert (info["operation"], info["isBlindAppend"]) == ("CLONE", False)
    assert info["operationParameters"] == {
        "source": "spark_catalog.default.s", "sourceVersion": 2, "isShallow": "true",
    }  # fmt: skip
    assert info["operationMetrics"] == {
        "sourceTableSize": "30", "sourceNumOfFiles": "2", "numRemovedFiles": "0",
        "numCopiedFiles": "0", "removedFilesSize": "0", "copiedFilesSize": "0",
    }  # fmt: skip
    source, clone = (session.log(name).snapshot().metadata for name in "st")
    assert (clone.schema, clone.partition_columns) == (source.schema, source.partition_columns)
    assert (dict(clone.configuration), clone.description) == ({"k": "own", "k2": "w"}, None)
    assert clone.id != source.id
    # Its clone names the same files, and has none of its own.
    session.sql("CREATE TABLE u SHALLOW CLONE t")
    assert live(session, "u").keys() == live(session, "t").keys()
    assert on_disk(session, "t") == on_disk(session, "u") == set()


def test_versions(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT)")
    files.put("s", "a.parquet")
    files.put("s", "b.parquet")
    for number, text in enumerate(("s VERSION AS OF 1", "s@v1", "s FOR VERSION AS OF 1", "S@v1")):
        result = session.sql(f"CREATE TABLE t{number} CLONE {text}")
        assert numbers(result)["source_num_of_files"] == 1
        parameters = actions(session, f"t{number}", 0)["commitInfo"][0]["operationParameters"]
        assert (parameters["sourceVersion"], parameters["isShallow"]) == (1, "false")
    assert condition(session, "CREATE TABLE u CLONE s@v9") == "DELTA_VERSION_NOT_FOUND"
    assert "TIMESTAMP" in condition(session, "CREATE TABLE u CLONE s TIMESTAMP AS OF '2000-01-01'")


def test_a_deep_clone_has_its_own_files(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    files.put("s", "a%20b.parquet", 10)
    files.put("s", "c.parquet", 20, rows=(1, 2))
    result = session.sql("CREATE TABLE t CLONE s")
    assert changes(result) == (0, 2, 0, 30)
    assert len(on_disk(session, "t")) == 3
    assert on_disk(session, "t") >= live(session, "t").keys()
    sizes = {add.size: add.deletion_vector for add in live(session, "t").values()}
    assert sizes[10] is None
    vector = sizes[20]
    assert vector is not None
    assert (vector.storage_type, vector.cardinality) == ("u", 2)
    for path in on_disk(session, "t"):
        assert (Path(session.log("t").location) / path).stat().st_size > 0


def test_the_next_deep_clone_copies_what_is_new(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    first = files.put("s", "a.parquet", 10)
    second = files.put("s", "b.parquet", 20, rows=(0,))
    again = "CREATE OR REPLACE TABLE t DEEP CLONE s"
    assert changes(session.sql(again)) == (0, 2, 0, 30)
    kept = live(session, "t")
    assert changes(session.sql(again)) == (0, 0, 0, 0)
    assert "add" not in actions(session, "t", 1)
    assert "metaData" not in actions(session, "t", 1)
    files.put("s", "c.parquet", 40)
    files.drop("s", first)
    assert changes(session.sql(again)) == (1, 1, 10, 40)
    # Rows that were marked there are marked here; the data file stays.
    files.mark("s", second, (0, 1))
    assert changes(session.sql(again)) == (0, 0, 0, 0)
    written = actions(session, "t", 3)
    assert [item["path"] for item in written["add"]] == [item["path"] for item in written["remove"]]
    assert written["add"][0]["deletionVector"]["cardinality"] == 2
    assert live(session, "t").keys() - kept.keys() == {
        path for path, add in live(session, "t").items() if add.size == 40
    }
    # What was done to the clone is undone.
    (changed,) = (add for add in live(session, "t").values() if add.size == 40)
    files.mark("t", changed, (3,))
    files.put("t", "own.parquet", 80)
    assert changes(session.sql(again)) == (1, 0, 80, 0)
    assert {add.size: add.deletion_vector is None for add in live(session, "t").values()} == {20: False, 40: True}
    # As is a table from which the whole table is cloned by another kind of clone.
    assert changes(session.sql("CREATE OR REPLACE TABLE t SHALLOW CLONE s")) == (2, 0, 60, 0)
    assert changes(session.sql("CREATE OR REPLACE TABLE t SHALLOW CLONE s")) == (0, 0, 0, 0)
    assert changes(session.sql(again)) == (2, 2, 60, 60)


def test_statistics_that_were_counted_later_come_along(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT)")
    add = files.put("s", "a.parquet", 10, stats=None)
    session.sql("CREATE TABLE t CLONE s")
    log = session.log("s")
    counted = replace(add, stats='{"numRecords":7}', data_change=False)
    Transaction(log, log.snapshot()).commit(operations.BACKFILL, {}, [counted])
    assert changes(session.sql("CREATE OR REPLACE TABLE t CLONE s")) == (0, 0, 0, 0)
    (found,) = live(session, "t").values()
    assert found.stats == '{"numRecords":7}'


def test_vectors_in_a_shallow_clone_are_those_of_the_source(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    add = files.put("s", "a.parquet", 10, rows=(4,))
    session.sql("CREATE TABLE t SHALLOW CLONE s")
    session.sql("CREATE TABLE u SHALLOW CLONE t")
    session.sql("CREATE TABLE d CLONE u")
    assert add.deletion_vector is not None
    for name in "tu":
        (found,) = live(session, name).values()
        vector = found.deletion_vector
        assert vector is not None
        assert (vector.storage_type, vector.offset) == ("p", add.deletion_vector.offset)
        assert vector.path_or_inline.startswith(f"file:{session.log('s').location}/deletion_vector_")
    (copied,) = live(session, "d").values()
    assert copied.deletion_vector is not None
    assert copied.deletion_vector.storage_type == "u"
    assert len(on_disk(session, "d")) == 2


def test_row_ids_are_the_clones_own(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    gone = files.put("s", "a.parquet")
    files.put("s", "b.parquet")
    files.drop("s", gone)
    session.sql("CREATE TABLE t CLONE s")
    (add,) = live(session, "t").values()
    assert (add.base_row_id, add.default_row_commit_version) == (0, 0)
    names = [session.log(name).snapshot().configuration for name in "st"]
    key = "delta.rowTracking.materializedRowIdColumnName"
    assert names[0][key] != names[1][key]
    # Files that stay keep their ids; a table that begins to give ids gives them to all.
    session.sql("CREATE TABLE plain (a INT)")
    files.put("plain", "c.parquet")
    session.sql("CREATE TABLE u CLONE plain")
    session.sql("CREATE OR REPLACE TABLE u CLONE plain TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    (add,) = live(session, "u").values()
    assert (add.base_row_id, add.default_row_commit_version) == (0, 1)
    session.sql("CREATE OR REPLACE TABLE u CLONE plain TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    assert actions(session, "u", 2).keys() == {"commitInfo"}
    files.put("plain", "d.parquet", stats=None)
    refused = "CREATE OR REPLACE TABLE u CLONE plain TBLPROPERTIES ('delta.enableRowTracking' = 'true')"
    assert condition(session, refused) == "DELTA_CLONE_WITH_ROW_TRACKING_WITHOUT_STATS"


def test_the_definition_comes_along(session: Session) -> None:
    session.sql(
        "CREATE TABLE s (i BIGINT GENERATED ALWAYS AS IDENTITY, a INT DEFAULT 7 COMMENT 'c', b STRUCT<x: INT>, "
        "g INT GENERATED ALWAYS AS (a + 1), CONSTRAINT pos CHECK (a > 0)) CLUSTER BY (a) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableChangeDataFeed' = 'true', "
        "'delta.enableInCommitTimestamps' = 'true', 'delta.feature.allowColumnDefaults' = 'supported', "
        "'delta.enableTypeWidening' = 'true')"
    )
    session.sql("ALTER TABLE s RENAME COLUMN b TO c")
    log = session.log("s")
    before = log.snapshot()
    used = {name: item.covering(41) for name, item in identities(before.schema).items()}
    Transaction(log, before).commit(
        operations.WRITE, {}, [replace(before.metadata, schema=with_identities(before.schema, used))]
    )
    source = log.snapshot()
    for kind in ("SHALLOW", "DEEP"):
        session.sql(f"CREATE TABLE {kind} {kind} CLONE s")
        clone = session.log(kind).snapshot()
        assert clone.schema == source.schema
        assert identities(clone.schema)["i"].high_water_mark == 41
        assert dict(clone.configuration) == dict(source.configuration)
        assert clone.protocol == source.protocol
        assert clone.domains == source.domains
        assert clone.commit_info() is not None
        assert clone.timestamp_ms >= source.timestamp_ms
        # Widened and added columns take ids that no column has had.
        session.sql(f"ALTER TABLE {kind} ADD COLUMN z INT")
        assert (
            session.log(kind).snapshot().configuration["delta.columnMapping.maxColumnId"]
            > (source.configuration["delta.columnMapping.maxColumnId"])
        )


def test_a_replaced_table_is_that_of_the_source_now(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('of' = 's', 'delta.minWriterVersion' = '4')")
    files.put("s", "a.parquet")
    session.sql(
        "CREATE TABLE t (x INT, y INT) CLUSTER BY (x) COMMENT 'of t' TBLPROPERTIES ('of t' = '1', "
        "'delta.columnMapping.mode' = 'name', 'delta.enableInCommitTimestamps' = 'true', "
        "'delta.enableDeletionVectors' = 'true', 'delta.enableRowTracking' = 'true')"
    )
    files.put("t", "b.parquet", 30)
    before = session.log("t").snapshot()
    result = session.sql("REPLACE TABLE t SHALLOW CLONE s TBLPROPERTIES ('new' = '1')")
    assert changes(result) == (1, 0, 30, 0)
    after = session.log("t").snapshot()
    rest = {key: text for key, text in after.configuration.items() if not key.startswith("delta.rowTracking.")}
    # The log before must go on being read as it was written.
    assert rest == {"of": "s", "new": "1", "delta.enableInCommitTimestamps": "true"}
    assert after.schema == session.log("s").snapshot().schema
    assert (after.metadata.id, after.metadata.description) == (before.metadata.id, "of t")
    assert after.protocol.features >= before.protocol.features
    assert "changeDataFeed" in after.protocol.features
    assert "delta.clustering" not in after.domains
    assert actions(session, "t", 2)["domainMetadata"][0]["removed"] is True
    # Ids of rows are not given twice.
    (add,) = live(session, "t").values()
    assert add.base_row_id == 5


def test_properties_of_the_statement(session: Session) -> None:
    session.sql("CREATE TABLE s (a INT)")
    session.sql("CREATE TABLE m (a INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    session.sql("CREATE TABLE t CLONE s TBLPROPERTIES ('comment' = 'mine', 'delta.enableDeletionVectors' = 'true')")
    clone = session.log("t").snapshot()
    assert clone.metadata.description == "mine"
    assert "deletionVectors" in clone.protocol.features
    for source, mode in (("s", "name"), ("m", "none"), ("m", "id")):
        sql = f"CREATE TABLE u CLONE {source} TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}')"
        assert condition(session, sql) == "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"
    assert condition(session, "CREATE TABLE u CLONE s TBLPROPERTIES ('delta.nonsense' = '1')") == (
        "DELTA_UNKNOWN_CONFIGURATION"
    )
    # Defaults of the session are for tables that are declared.
    session.sql("SET spark.databricks.delta.properties.defaults.appendOnly = true")
    session.sql("CREATE TABLE u CLONE s")
    assert dict(session.log("u").snapshot().configuration) == {}


def test_streams_go_on_in_a_deep_clone(session: Session) -> None:
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('delta.feature.domainMetadata' = 'supported')")
    log = session.log("s")
    written: list[Action] = [SetTransaction("stream", 5), SetTransaction(COPY_INTO, 2), DomainMetadata("mine", "{}")]
    Transaction(log, log.snapshot()).commit(operations.STREAMING_UPDATE, {}, written)
    session.sql("CREATE TABLE deep CLONE s")
    session.sql("CREATE TABLE shallow SHALLOW CLONE s")
    assert session.log("deep").snapshot().transactions == {"stream": 5}
    assert session.log("shallow").snapshot().transactions == {}
    assert session.log("deep").snapshot().domains == {}
    session.sql("CREATE OR REPLACE TABLE deep CLONE s")
    assert "txn" not in actions(session, "deep", 1)


def test_an_append_only_clone_loses_no_row(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('delta.appendOnly' = 'true')")
    files.put("s", "a.parquet")
    session.sql("CREATE TABLE t CLONE s")
    files.put("s", "b.parquet")
    assert changes(session.sql("CREATE OR REPLACE TABLE t CLONE s"))[:2] == (0, 1)
    session.sql("CREATE TABLE other (a INT)")
    assert condition(session, "CREATE OR REPLACE TABLE t CLONE other") == "DELTA_CANNOT_MODIFY_APPEND_ONLY"
