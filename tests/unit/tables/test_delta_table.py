"""Delta's builder API over a session of deltasql: every method here works without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.base.errors import (
    AmbiguousLocationError,
    ArgumentTypeError,
    ArgumentValueError,
    MergeMissingWhenError,
    NotADeltaTableError,
    ParseSyntaxError,
    ProtocolDowngradeError,
    SessionNotInstalledError,
    TableNameMissingError,
    TableNotFoundError,
    UnsupportedDatatypeError,
)
from deltasql.clients.tables import DeltaTable, IdentityGenerator
from deltasql.clients.tables import table as exceptions


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


@pytest.fixture
def table(session: Session) -> DeltaTable:
    """Three rows: (0, "v0"), (1, "v1"), (2, "v2")."""
    session.sql("CREATE TABLE t (id BIGINT, v STRING)")
    session.sql("INSERT INTO t VALUES (0, 'v0'), (1, 'v1'), (2, 'v2')")
    return DeltaTable.forName(session, "t")


def rows(session: Session, name: str = "t") -> list[tuple[Any, ...]]:
    return sorted(map(tuple, session.sql(f"SELECT * FROM {name}").collect()))


def test_update_and_delete(session: Session, table: DeltaTable) -> None:
    table.update("id = 1", {"v": "'it''s'", "id": "id + 10"})
    table.alias("a").update(condition="a.id = 2", set={"a.v": "'two'"})
    table.delete("id = 0 -- a comment")
    assert rows(session) == [(2, "two"), (11, "it's")]
    table.update(set={"`v`": "'all'"})
    assert {row[1] for row in rows(session)} == {"all"}
    table.delete()
    assert rows(session) == []
    told = [(entry.operation, entry.operationParameters) for entry in table.history(5).collect()]
    assert told[0][0] == "DELETE"
    assert told[2] == ("DELETE", {"predicate": '["id = 0"]'})


@pytest.mark.parametrize("made", [pa.table, pl.DataFrame, pd.DataFrame])
def test_merge_of_rows_in_memory(session: Session, table: DeltaTable, made: Callable[[Any], Any]) -> None:
    source = made({"id": [1, 7, 8], "v": ["s1", "s7", "s8"]})
    result = (
        table.alias("t")
        .merge(source, "t.id = source.id")
        .whenMatchedUpdate("source.v = 's1'", {"v": "source.v"})
        .whenMatchedDelete()
        .whenNotMatchedInsert("source.id = 7", {"id": "source.id", "v": "'new'"})
        .whenNotMatchedInsertAll("source.id = 9")
        .whenNotMatchedBySourceUpdate("t.id = 0", {"v": "'gone'"})
        .whenNotMatchedBySourceDelete("t.id = 2")
        .execute()
    )
    assert result.collect() == [(4, 2, 1, 1)]
    assert rows(session) == [(0, "gone"), (1, "s1"), (7, "new")]


def test_merge_with_schema_evolution(session: Session, table: DeltaTable) -> None:
    source = pa.table({"id": [1, 7], "v": ["s", "s"], "more": [5, 6]})
    merge = table.merge(source, "t.id = source.id").whenMatchedUpdateAll().whenNotMatchedInsertAll()
    merge.withSchemaEvolution().execute()
    assert rows(session)[1:] == [(1, "s", 5), (2, "v2", None), (7, "s", 6)]


def test_a_builder_may_be_used_twice(session: Session, table: DeltaTable) -> None:
    begun = table.merge(pa.table({"id": [1, 9]}), "t.id = source.id")
    begun.whenMatchedDelete("t.v = 'v1'").execute()
    begun.whenNotMatchedInsert(values={"id": "source.id"}).execute()
    assert rows(session) == [(0, "v0"), (1, None), (2, "v2"), (9, None)]


def test_definition(session: Session, tmp_path: Path) -> None:
    identity = DeltaTable.columnBuilder(session, "n").dataType("BIGINT").generatedAlwaysAsIdentity(5, 2).build()
    made = (
        DeltaTable.create(session)
        .tableName("made")
        .comment("it's")
        .addColumn("id", "INT", nullable=False, comment="a 'key'")
        .addColumn("table", "STRUCT<x: INT, `y z`: STRING>")
        .addColumn("day", "DATE")
        .addColumn("year", "INT", generatedAlwaysAs="year(day)")
        .addColumn(identity)
        .addColumn("m", "BIGINT", generatedByDefaultAs=IdentityGenerator(start=0, step=-1))
        .partitionedBy("year")
        .property("delta.appendOnly", "true")
        .property("delta.columnMapping.mode", "name")
        .execute()
    )
    detail = made.detail().collect()[0]
    assert (detail.description, detail.partitionColumns) == ("it's", ["year"])
    assert detail.properties["delta.appendOnly"] == "true"
    text = session.sql("SHOW CREATE TABLE made").collect()[0][0]
    for part in ("NOT NULL COMMENT 'a \\'key\\''", "GENERATED ALWAYS AS (year(day))", "START WITH 5 INCREMENT BY 2"):
        assert part in text
    clustered = DeltaTable.createOrReplace(session).location(str(tmp_path / "at")).addColumn("a", "INT").clusterBy("a")
    assert clustered.execute().detail().collect()[0].clusteringColumns == ["a"]
    with pytest.raises(DeltaSqlError, match="ALREADY_EXISTS"):
        DeltaTable.create(session).tableName("made").addColumn("a", "INT").execute()
    DeltaTable.createIfNotExists(session).tableName("made").addColumn("a", "INT").execute()
    DeltaTable.replace(session).tableName("made").addColumn("a", "INT").execute()
    assert [row.col_name for row in session.sql("DESCRIBE TABLE made").collect()] == ["a"]


def test_restore_clone_and_upkeep(session: Session, table: DeltaTable, tmp_path: Path) -> None:
    table.delete("id = 0")
    clone = table.cloneAtVersion(1, "copied", isShallow=True, properties={"delta.checkpointInterval": "7"})
    assert len(rows(session, "copied")) == 3
    assert clone.detail().collect()[0].properties["delta.checkpointInterval"] == "7"
    table.clone(str(tmp_path / "deep")).delete("id = 1")
    assert rows(session, f"delta.`{tmp_path / 'deep'}`") == [(2, "v2")]
    with pytest.raises(DeltaSqlError, match="ALREADY_EXISTS"):
        table.clone("copied")
    table.clone("copied", replace=True)
    assert len(rows(session, "copied")) == 2
    assert table.restoreToVersion(1).collect()[0].num_restored_files == 1
    written = str(table.history().collect()[1].timestamp)
    table.restoreToTimestamp(written)
    table.cloneAtTimestamp(written, "at_time")
    table.optimize().executeCompaction()
    assert table.vacuum(200.5).collect() == []
    table.generate("symlink_format_manifest")
    assert (tmp_path / "warehouse" / "t" / "_symlink_format_manifest" / "manifest").exists()


def test_protocol(session: Session, table: DeltaTable) -> None:
    table.upgradeTableProtocol(1, 4)
    with pytest.raises(ProtocolDowngradeError, match=r"from \(1, 4\) to \(1, 3\)"):
        table.upgradeTableProtocol(1, 3)
    table.addFeatureSupport("deletionVectors")
    assert "deletionVectors" in table.detail().collect()[0].tableFeatures
    with pytest.raises(DeltaSqlError, match="FEATURE"):
        table.dropFeatureSupport("nothing")
    with pytest.raises(DeltaSqlError, match="FEATURE"):
        table.addFeatureSupport("nothing")
    table.addFeatureSupport("vacuumProtocolCheck")
    table.dropFeatureSupport("vacuumProtocolCheck", truncateHistory=False)


def test_a_property_that_is_a_check_constraint(session: Session) -> None:
    builder = DeltaTable.create(session).tableName("checked").addColumn("id", "INT").addColumn("v", "STRING")
    builder = builder.property("delta.constraints.positive", "(id > 0)").property("Delta.Constraints.order", "v != 'z'")
    builder.property("delta.appendOnly", "true").execute()
    properties = DeltaTable.forName(session, "checked").detail().collect()[0].properties
    assert properties["delta.constraints.positive"] == "(id > 0)"
    assert properties["delta.constraints.order"] == "v != 'z'"
    assert properties["delta.appendOnly"] == "true"
    with pytest.raises(DeltaSqlError, match="positive"):
        session.sql("INSERT INTO checked VALUES (-1, 'a')")
    wrong = DeltaTable.create(session).tableName("wrong").addColumn("id", "INT")
    with pytest.raises(ParseSyntaxError):
        wrong.property("delta.constraints.c", "id > 0), CHECK (id > 1").execute()


def test_convert(session: Session, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    (tmp_path / "files" / "p=1").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1]}), tmp_path / "files" / "p=1" / "a.parquet")
    converted = DeltaTable.convertToDelta(session, f"parquet.`{tmp_path / 'files'}`", "p INT")
    assert DeltaTable.isDeltaTable(session, str(tmp_path / "files"))
    assert converted.detail().collect()[0].partitionColumns == ["p"]


def test_tables_that_are_not_there(session: Session, tmp_path: Path) -> None:
    assert not DeltaTable.isDeltaTable(session, str(tmp_path))
    with pytest.raises(NotADeltaTableError):
        DeltaTable.forPath(session, str(tmp_path))
    with pytest.raises(TableNotFoundError) as caught:
        DeltaTable.forName(session, "nowhere")
    assert "== SQL" not in str(caught.value)
    with pytest.raises(SessionNotInstalledError):
        DeltaTable.forName(object(), "t")
    with pytest.raises(SessionNotInstalledError):
        DeltaTable.create()


WRONG: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "two expressions": (ParseSyntaxError, lambda t: t.update(set={"v": "1, id = 2"})),
    "a clause in an expression": (ParseSyntaxError, lambda t: t.delete("id = 1 WHEN MATCHED THEN DELETE")),
    "no expression": (ParseSyntaxError, lambda t: t.delete("")),
    "a statement in an expression": (ParseSyntaxError, lambda t: t.delete("id = 1; DROP TABLE t")),
    "a condition of another type": (ArgumentTypeError, lambda t: t.delete(True)),
    "no assignments": (ArgumentValueError, lambda t: t.update("id = 1")),
    "empty assignments": (ArgumentValueError, lambda t: t.update("id = 1", {})),
    "assignments that are a list": (ArgumentTypeError, lambda t: t.update(set=[("v", "1")])),
    "a key of another type": (ArgumentTypeError, lambda t: t.update(set={1: "1"})),
    "a value of another type": (ArgumentTypeError, lambda t: t.update(set={"v": 1})),
    "no source": (ArgumentValueError, lambda t: t.merge(None, "1 = 1")),
    "no merge condition": (ArgumentValueError, lambda t: t.merge(pa.table({"id": [1]}), None)),
    "a source of another type": (ArgumentTypeError, lambda t: t.merge([1], "1 = 1")),
    "a clause's condition": (
        ArgumentTypeError,
        lambda t: t.merge(pa.table({"id": [1]}), "1 = 1").whenMatchedDelete(5),
    ),
    "a clause without values": (
        ArgumentValueError,
        lambda t: t.merge(pa.table({"id": [1]}), "1 = 1").whenNotMatchedInsert(),
    ),
    "no clause": (MergeMissingWhenError, lambda t: t.merge(pa.table({"id": [1]}), "1 = 1").execute()),
    "a limit of another type": (ArgumentTypeError, lambda t: t.history("1")),
    "hours of another type": (ArgumentTypeError, lambda t: t.vacuum("1")),
    "a version of another type": (ArgumentTypeError, lambda t: t.restoreToVersion("1")),
    "a timestamp of another type": (ArgumentTypeError, lambda t: t.restoreToTimestamp(1)),
    "a target of another type": (ArgumentTypeError, lambda t: t.clone(1)),
    "a kind of clone of another type": (ArgumentTypeError, lambda t: t.clone("c", "yes")),
    "properties of another type": (ArgumentTypeError, lambda t: t.clone("c", properties={"a": 1})),
    "a protocol of another type": (ArgumentTypeError, lambda t: t.upgradeTableProtocol("1", 2)),
    "a feature of another type": (ArgumentTypeError, lambda t: t.addFeatureSupport(1)),
    "no Z-order column": (ArgumentValueError, lambda t: t.optimize().executeZOrderBy()),
    "a Z-order column of another type": (ArgumentTypeError, lambda t: t.optimize().executeZOrderBy(1)),
    "a filter of another type": (ArgumentTypeError, lambda t: t.optimize().where(1)),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments(session: Session, table: DeltaTable, case: str) -> None:
    error, call = WRONG[case]
    with pytest.raises(error):
        call(table)
    assert len(rows(session)) == 3


def test_argument_errors_are_those_of_python_too(table: DeltaTable) -> None:
    with pytest.raises(TypeError):
        table.delete(1)
    with pytest.raises(ValueError, match="'set' cannot be None"):
        table.update()


WRONG_DEFINITIONS: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "no name": (TableNameMissingError, lambda b: b.addColumn("id", "INT").execute()),
    "two places": (AmbiguousLocationError, lambda b: b.tableName("delta.`/a`").location("/b").execute()),
    "a type that is none": (UnsupportedDatatypeError, lambda b: b.addColumn("id", "TEXT")),
    "a type with a clause": (ParseSyntaxError, lambda b: b.addColumn("id", "INT NOT NULL")),
    "no type": (ArgumentTypeError, lambda b: b.addColumn("id")),
    "a column without a type": (ArgumentValueError, lambda b: DeltaTable.columnBuilder(b._runner.session, "c").build()),
    "a name that is no text": (ArgumentTypeError, lambda b: b.tableName(1)),
    "nullable of another type": (ArgumentTypeError, lambda b: b.addColumn("id", "INT", "no")),
    "a step of zero": (ArgumentValueError, lambda b: b.addColumn("n", "BIGINT", True, IdentityGenerator(1, 0))),
    "generated twice": (ArgumentValueError, lambda b: b.addColumn("n", "INT", True, "1", IdentityGenerator())),
    "generated by a text": (ArgumentTypeError, lambda b: b.addColumn("n", "INT", generatedByDefaultAs="1")),
    "columns that are none": (ArgumentTypeError, lambda b: b.addColumns("a INT")),
    "fields that are none": (ArgumentTypeError, lambda b: b.addColumns(["a INT"])),
    "a partition that is no text": (ArgumentTypeError, lambda b: b.partitionedBy(1)),
    "no clustering": (ArgumentValueError, lambda b: b.clusterBy()),
    "a property that is no text": (ArgumentTypeError, lambda b: b.property("delta.appendOnly", True)),
}


@pytest.mark.parametrize("case", WRONG_DEFINITIONS)
def test_wrong_definitions(session: Session, case: str) -> None:
    error, call = WRONG_DEFINITIONS[case]
    with pytest.raises(error):
        call(DeltaTable.create(session))
    assert session.sql("SHOW TABLES").collect() == []


def test_options_of_one_table_are_refused(session: Session, table: DeltaTable) -> None:
    with pytest.raises(ArgumentValueError, match="hadoopConf"):
        DeltaTable.forPath(session, "/tmp", {"fs.s3a.access.key": "k"})


def test_the_exceptions_of_delta_catch_lost_races(session: Session, table: DeltaTable) -> None:
    pending = session.begin("DELETE FROM t WHERE id = 1")
    table.update("id = 1", {"v": "'other'"})
    with pytest.raises(exceptions.DeltaConcurrentModificationException) as caught:
        pending.commit()
    assert isinstance(caught.value, exceptions.ConcurrentDeleteReadException | exceptions.ConcurrentAppendException)


def test_names_that_need_quotes(session: Session, tmp_path: Path) -> None:
    place = str(tmp_path / "a b`c'd")
    made = DeltaTable.create(session).location(place).addColumn("`x.y` z", "INT").addColumn("select", "INT")
    made.property("delta.columnMapping.mode", "name").execute()
    session.write(pa.table({"`x.y` z": pa.array([1], pa.int32()), "select": pa.array([2], pa.int32())})).mode(
        "append"
    ).save(place)
    table = DeltaTable.forPath(session, place)
    table.alias("my t").update("`my t`.`select` = 2", {"```x.y`` z`": "5"})
    assert rows(session, f"delta.`{place.replace('`', '``')}`") == [(5, 2)]
    assert repr(table).startswith("DeltaTable(delta.`")


@pytest.mark.parametrize("by_path", [False, True])
def test_conditions_of_delta(session: Session, table: DeltaTable, by_path: bool) -> None:
    """By name and by path; the table stays as it was."""
    at = DeltaTable.forPath(session, session.log("t").location) if by_path else table
    version = session.log("t").snapshot().version
    identity = IdentityGenerator()
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("DELTA_NON_PARTITION_COLUMN_REFERENCE", lambda: at.optimize().where("v = 'v0'").executeCompaction()),
        ("DELTA_NON_PARTITION_COLUMN_REFERENCE", lambda: at.optimize().where("`v` > 'a'").executeZOrderBy("id")),
        *(
            ("DELTA_TIMESTAMP_INVALID", lambda text=text: at.restoreToTimestamp(text))
            for text in ("05/04/1999", "x", "", "1999-13-01")
        ),
        ("DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER", lambda: at.restoreToTimestamp("1999-04-05")),
        *(
            (
                "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
                lambda kind=kind: (
                    DeltaTable.create(session).tableName("n").addColumn("i", kind, generatedAlwaysAs=identity).execute()
                ),
            )
            for kind in ("INT", "STRING")
        ),
    ]
    for condition, call in calls:
        with pytest.raises(DeltaSqlError) as caught:
            call()
        assert caught.value.condition == condition
    assert session.log("t").snapshot().version == version
    assert not session.sql("SHOW TABLES LIKE 'n'").collect()
