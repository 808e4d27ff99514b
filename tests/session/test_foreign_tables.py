"""Tables that anybody may have written: whatever stands in a log is data, and comes back as it is, or is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import Session
from deltasql.base.errors import (
    CheckExpressionError,
    CheckFunctionError,
    ColumnMetadataError,
    DefaultExpressionError,
    DefaultNotDeterministicError,
    GeneratedExpressionError,
    HiddenColumnNameError,
    ReadTableWithoutColumnsError,
    UnknownTypesError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.schema.text import quote_name, quote_text
from deltasql.sql.functions import OF_A_ROW, OF_THE_MOMENT, OF_THE_SESSION, OUTSIDE
from deltasql.sql.references import AGGREGATES, NOT_DETERMINISTIC

Json = dict[str, Any]
Foreign = Callable[..., str]

TEXTS = (
    "`",
    "a.b",
    "'",
    "\\",
    "\\' || upper('pwn') || '",
    '"',
    "new\nline",
    "x; DROP TABLE t --",
    "/* ) */",
    "') || reflect('java.lang.System', 'nanoTime') || ('",
    "`), reflect('java.lang.System', 'nanoTime') AS (`",
    "${env:HOME}",
    "\\u0041 %s {x} $1",
    "null",
    "TRUE",
    "values",
    "current_user",
    "é💥\u202e",
    "*",
)


def field(name: str, kind: Any = "integer", **metadata: Any) -> Json:
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


@pytest.fixture
def foreign(tmp_path: Path) -> Foreign:
    """Writes a log as somebody else might, with one data file of the columns `rows`; gives the table's SQL name."""

    def write(
        fields: Sequence[Json] | None,
        rows: Mapping[str, pa.Array] | None = None,
        *,
        partition: Mapping[str, str | None] | None = None,
        partitioned_by: Sequence[str] | None = None,
        configuration: Mapping[str, str] | None = None,
        features: Sequence[str] = (),
    ) -> str:
        root = tmp_path / "foreign"
        (root / "_delta_log").mkdir(parents=True)
        protocol: Json = {"minReaderVersion": 1, "minWriterVersion": 2}
        if features:
            reader = [name for name in features if name == "columnMapping"]
            protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": reader}
            protocol["writerFeatures"] = list(features)
        metadata: Json = {
            "id": "x",
            "format": {"provider": "parquet", "options": {}},
            "partitionColumns": list(partitioned_by or partition or {}),
            "configuration": dict(configuration or {}),
        }
        if fields is not None:
            metadata["schemaString"] = json.dumps({"type": "struct", "fields": list(fields)})
        actions: list[Json] = [{"protocol": protocol}, {"metaData": metadata}]
        if rows is not None:
            file = root / "part-0.parquet"
            pq.write_table(pa.table(dict(rows)), file)
            add = {"path": file.name, "partitionValues": dict(partition or {}), "size": file.stat().st_size}
            actions.append({"add": {**add, "modificationTime": 0, "dataChange": True}})
        commit = root / "_delta_log" / f"{0:020d}.json"
        commit.write_text("\n".join(map(json.dumps, actions)))
        return f"delta.`{root}`"

    return write


def ints(*values: int) -> pa.Array:
    return pa.array(values, pa.int32())


def rows_of(session: Session, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


@pytest.mark.spark
@pytest.mark.parametrize("text", TEXTS)
def test_texts_come_back_as_they_are(session: Session, foreign: Foreign, text: str) -> None:
    """As names of columns and fields, values of partitions, comments and properties: reading, DML, and looking."""
    inner = {"type": "struct", "fields": [field(text, **mapped("f", 5))]}
    table = foreign(
        [
            field("id", comment=text, **mapped("c1", 1)),
            field(text, "string", comment=text, **mapped("c2", 2)),
            field("p", "string", comment=text, **mapped("c3", 3)),
            field("s", inner, comment=text, **mapped("c4", 4)),
        ],
        {"c1": ints(1), "c2": pa.array([text]), "c4": pa.array([{"f": 7}], pa.struct([("f", pa.int32())]))},
        partition={"c3": text},
        partitioned_by=["p"],
        configuration={"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "5", "note": text},
        features=["columnMapping"],
    )
    name = quote_name(text)
    assert rows_of(session, f"SELECT * FROM {table}") == [(1, text, text, (7,))]
    assert rows_of(session, f"SELECT id FROM {table} WHERE {name} = p AND s.{name} = 7") == [(1,)]
    session.sql(f"INSERT INTO {table} SELECT id + 1, {name}, p, s FROM {table}")
    session.sql(f"UPDATE {table} SET {name} = concat({name}, '!'), s.{name} = 8 WHERE id = 2")
    session.sql(f"MERGE INTO {table} t USING (SELECT 2 AS k) u ON t.id = u.k WHEN MATCHED THEN UPDATE SET id = 3")
    session.sql(f"DELETE FROM {table} WHERE id = 1")
    assert rows_of(session, f"SELECT * FROM {table}") == [(3, f"{text}!", text, (8,))]
    session.sql(f"OPTIMIZE {table}")
    assert session.sql(f"SELECT * FROM {table}").columns == ["id", text, "p", "s"]
    (created,) = rows_of(session, f"SHOW CREATE TABLE {table}")
    assert quote_text(text) in created[0]


def mapped(name: str, number: int) -> Json:
    return {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": name}


@pytest.mark.spark
def test_a_value_that_no_directory_is_called_after(session: Session, foreign: Foreign) -> None:
    """Spark makes directories of partition values: such rows are read, and an engine cannot write them."""
    table = foreign([field("id"), field("p", "string")], {"id": ints(1)}, partition={"p": "nul\0nul"})
    assert rows_of(session, f"SELECT * FROM {table}") == [(1, "nul\0nul")]
    with pytest.raises(DeltaSqlError):
        session.sql(f"UPDATE {table} SET id = abs(-2)")
    assert rows_of(session, f"SELECT * FROM {table}") == [(1, "nul\0nul")]
    # What stays in its partition needs no value as Spark would spell it.
    session.sql(f"UPDATE {table} SET id = 2")
    assert rows_of(session, f"SELECT * FROM {table}") == [(2, "nul\0nul")]


CODE = "reflect('java.lang.System', 'setProperty', 'deltasql.pwned', 'yes')"


@pytest.mark.parametrize(
    "kind",
    [
        "string) || upper('pwn'",
        "INT",
        "decimal(39,1)",
        "decimal(99999999999999999999999999,1)",
        "interval day",
        "struct<a:int>",
        "",
        "x" * 1_000_000,
        {"type": "array", "elementType": f"int) || {CODE}", "containsNull": True},
        {"type": "struct", "fields": [field("in", "in`t")]},
    ],
)
def test_a_type_is_one_of_deltas(session: Session, foreign: Foreign, kind: Any) -> None:
    table = foreign([field("id"), field("v", kind)], {"id": ints(1)}, partition={"v": "x"})
    for sql in (f"SELECT id FROM {table}", f"INSERT INTO {table} VALUES (1, 'x')", f"SHOW CREATE TABLE {table}"):
        with pytest.raises(UnknownTypesError, match="has columns of types that Delta does not define: v") as caught:
            session.sql(sql).collect()
        assert len(str(caught.value)) < 1500
    assert len(rows_of(session, f"DESCRIBE HISTORY {table}")) == 1
    assert len(rows_of(session, f"DESCRIBE DETAIL {table}")) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("comment", 5),
        ("delta.columnMapping.physicalName", ["a"]),
        ("delta.columnMapping.id", "1) || upper('x'"),
        ("delta.typeChanges", [{"fromType": 5, "toType": "integer"}]),
        ("delta.identity.start", 1.5),
        ("delta.generationExpression", {}),
        ("CURRENT_DEFAULT", 5),
        ("__CHAR_VARCHAR_TYPE_STRING", 5),
    ],
)
def test_metadata_of_columns_have_their_types(session: Session, foreign: Foreign, key: str, value: Any) -> None:
    table = foreign([field("id", **{key: value})], {"id": ints(1)})
    shown = key.lstrip("_").replace(".", "[.]")
    with pytest.raises(ColumnMetadataError, match=f"column id of .* cannot be read: {shown} is"):
        session.sql(f"SELECT * FROM {table}")
    assert len(rows_of(session, f"DESCRIBE HISTORY {table}")) == 1


def test_an_old_version_with_damaged_metadata_is_not_restored(session: Session, foreign: Foreign) -> None:
    damaged = {"delta.identity.start": "text", "delta.identity.step": 1}
    table = foreign([field("id", "long", **damaged)], {"id": pa.array([1])})
    log = Path(table.split("`")[1]) / "_delta_log"
    metadata = next(line for line in (log / f"{0:020}.json").read_text().splitlines() if '"metaData"' in line)
    mended = json.loads(metadata)
    schema = json.loads(mended["metaData"]["schemaString"])
    schema["fields"][0]["metadata"] = {}
    mended["metaData"]["schemaString"] = json.dumps(schema)
    (log / f"{1:020}.json").write_text(json.dumps(mended))
    with pytest.raises(ColumnMetadataError, match=r"delta\.identity\.start is 'text'"):
        session.sql(f"RESTORE TABLE {table} TO VERSION AS OF 0")


def test_names_of_our_own_are_refused(session: Session, foreign: Foreign) -> None:
    table = foreign([field("__deltasql_file")], {"__deltasql_file": ints(1)})
    with pytest.raises(HiddenColumnNameError):
        session.sql(f"SELECT __deltasql_file FROM {table}")
    with pytest.raises(HiddenColumnNameError):
        session.sql("CREATE TABLE t (__deltasql_X INT)")


@pytest.mark.spark
@pytest.mark.parametrize(
    ("condition", "error"),
    [
        (f"{CODE} IS NULL", CheckExpressionError),
        ("id > 0) OR (1 = 1", CheckExpressionError),
        ("id IN (SELECT 1)", CheckExpressionError),
        ("variable > 0", CheckExpressionError),
        ("a_function(id)", CheckFunctionError),
    ],
)
def test_a_constraint_that_may_not_run(
    session: Session, foreign: Foreign, condition: str, error: type[DeltaSqlError]
) -> None:
    """The table is read, no row is written, and the constraint can be dropped."""
    table = foreign([field("id")], {"id": ints(1)}, configuration={"delta.constraints.bad": condition})
    assert rows_of(session, f"SELECT * FROM {table}") == [(1,)]
    for sql in (
        f"INSERT INTO {table} VALUES (2)",
        f"INSERT INTO {table} SELECT 2",
        f"UPDATE {table} SET id = 2",
        f"MERGE INTO {table} t USING (SELECT 2 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
    ):
        with pytest.raises(error, match=r"CHECK constraint bad: .* DROP CONSTRAINT bad"):
            session.sql(sql)
    session.sql(f"ALTER TABLE {table} DROP CONSTRAINT bad")
    session.sql(f"INSERT INTO {table} VALUES (2)")
    assert rows_of(session, f"SELECT * FROM {table} ORDER BY id") == [(1,), (2,)]


@pytest.mark.spark
def test_a_constraint_of_another_engine_runs_without_its_comments(session: Session, foreign: Foreign) -> None:
    condition = "exists(array(id), x -> x > 0) -- not ) more"
    table = foreign([field("id")], {"id": ints(1)}, configuration={"delta.constraints.good": condition})
    session.sql(f"INSERT INTO {table} SELECT 2")
    with pytest.raises(DeltaSqlError, match="good"):
        session.sql(f"INSERT INTO {table} SELECT -2")


@pytest.mark.parametrize(
    ("default", "error"),
    [
        (CODE, DefaultExpressionError),
        ("1), (2", DefaultExpressionError),
        ("1, 2", DefaultExpressionError),
        ("variable", DefaultExpressionError),
        ("'${env:HOME}'", DefaultExpressionError),
        ("(SELECT 1)", DefaultExpressionError),
    ],
)
def test_a_default_that_may_not_run(
    session: Session, foreign: Foreign, default: str, error: type[DeltaSqlError]
) -> None:
    """It is refused where it would run, and can be dropped."""
    fields = [field("id"), field("v", "string", CURRENT_DEFAULT=default)]
    table = foreign(fields, {"id": ints(1), "v": pa.array(["x"])}, features=["allowColumnDefaults"])
    assert rows_of(session, f"SELECT * FROM {table}") == [(1, "x")]
    for sql in (f"INSERT INTO {table} (id) VALUES (2)", f"INSERT INTO {table} SELECT 2, DEFAULT"):
        with pytest.raises(error, match=r"default of v: .* DROP DEFAULT"):
            session.sql(sql)
    session.sql(f"ALTER TABLE {table} ALTER COLUMN v DROP DEFAULT")
    session.sql(f"INSERT INTO {table} (id) VALUES (2)")
    assert rows_of(session, f"SELECT * FROM {table} ORDER BY id") == [(1, "x"), (2, None)]


@pytest.mark.spark
@pytest.mark.parametrize("expression", [CODE, "id) OR (1 = 1 --", "CAST(variable AS STRING)", "(SELECT 'x')"])
def test_a_generated_column_that_may_not_run(session: Session, foreign: Foreign, expression: str) -> None:
    fields = [field("id"), field("v", "string", **{"delta.generationExpression": expression})]
    table = foreign(fields, {"id": ints(1), "v": pa.array(["x"])}, features=["generatedColumns"])
    assert rows_of(session, f"SELECT * FROM {table}") == [(1, "x")]
    for sql in (f"INSERT INTO {table} (id) VALUES (2)", f"INSERT INTO {table} SELECT 2, 'x'"):
        with pytest.raises(GeneratedExpressionError, match="generated column v: "):
            session.sql(sql)


@pytest.mark.spark
def test_functions_of_the_session_are_no_functions_of_a_table(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')")
    session.sql("CREATE TEMPORARY FUNCTION mine(x INT) RETURNS INT RETURN x + 1")
    with pytest.raises(CheckFunctionError):
        session.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (mine(id) > 0)")
    with pytest.raises(DefaultExpressionError):
        session.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT mine(1)")
    with pytest.raises(DefaultNotDeterministicError):
        session.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT rand()")


def test_metadata_without_a_schema_are_those_of_a_table_without_columns(session: Session, foreign: Foreign) -> None:
    table = foreign(None)
    with pytest.raises(ReadTableWithoutColumnsError):
        session.sql(f"SELECT * FROM {table}")
    assert rows_of(session, f"DESCRIBE TABLE {table}") == []
    session.sql(f"ALTER TABLE {table} ADD COLUMNS (a INT)")
    session.sql(f"INSERT INTO {table} VALUES (1)")
    assert rows_of(session, f"SELECT * FROM {table}") == [(1,)]


@pytest.mark.spark
def test_settings_of_the_parser_change_no_text(session: Session, foreign: Foreign) -> None:
    """A backslash, a quote and a double quote mean other things with these."""
    session.sql("SET spark.sql.parser.escapedStringLiterals = true")
    session.sql("SET spark.sql.ansi.doubleQuotedIdentifiers = true")
    session.sql("SET spark.sql.variable.substitute = true")
    for number, text in enumerate(("it's", "a\\b", 'say "x"', "${env:HOME}")):
        session.sql(f"CREATE TABLE t{number} (id INT, p STRING) PARTITIONED BY (p)")
        session.write(session.sql("SELECT 1 AS id").df.withColumn("p", lit(text))).insertInto(f"t{number}")
        session.sql(f"UPDATE t{number} SET id = 2")
        assert rows_of(session, f"SELECT * FROM t{number}") == [(2, text)]


def lit(text: str) -> Any:
    from pyspark.sql import functions as F

    return F.lit(text)


@pytest.mark.spark
def test_sparks_functions_are_sorted_into_those_that_may_be_called_and_others(session: Session) -> None:
    names = {name for (name,) in rows_of(session, "SHOW SYSTEM FUNCTIONS") if name.isidentifier()}
    known = OF_A_ROW | OF_THE_MOMENT | OF_THE_SESSION | OUTSIDE | AGGREGATES | NOT_DETERMINISTIC
    words = {"and", "or", "not", "in", "between", "case", "when"}
    left = {name for name in names - known - words if "_agg" not in name}
    assert left <= {
        *("approx_top_k_accumulate", "approx_top_k_combine", "grouping", "grouping_id", "python_worker_logs", "range"),
        *("variant_explode", "variant_explode_outer", "vector_avg", "vector_sum"),
    }


@pytest.mark.spark
@pytest.mark.parametrize("mode", ["false", "true"])
def test_every_word_of_the_grammar_can_be_the_name_of_a_column(session: Session, mode: str) -> None:
    words = [str(word) for word, *_ in rows_of(session, "SELECT keyword FROM sql_keywords()")]
    session.sql(f"SET spark.sql.ansi.enforceReservedKeywords = {mode}")
    names = [quote_name(word) for word in words]
    values = ", ".join(f"{number} AS `{word}`" for number, word in enumerate(words))
    (row,) = rows_of(session, f"SELECT {', '.join(f'({name} + 0)' for name in names)} FROM (SELECT {values})")
    assert list(row) == list(range(len(words)))
