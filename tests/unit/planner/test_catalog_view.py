"""Views of the catalog: what is kept of them, what they mean to others, and what is refused."""

from __future__ import annotations

import json

import pytest

from deltasql.base.errors import (
    AlteredViewNotFoundError,
    CatalogNameTakenError,
    IfNotExistsAndReplaceError,
    RecursiveViewError,
    SchemaNotFoundError,
    SparkError,
    StoredParameterError,
    TableAlreadyExistsError,
    TagExistsError,
    TemporaryReferenceError,
    UnnamedViewColumnError,
    ViewInPlaceError,
    ViewInPlaceOfTableError,
    WriteIntoViewError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.entries import SchemaMode, ViewDefinition, ViewEntry
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import Operator, SqlQuery
from deltasql.planner.binding import columns_of
from deltasql.planner.catalog_changes import ViewDefining, ViewRemoval
from deltasql.planner.changes import Answer, QueryRows
from deltasql.schema.types import INTEGER, StructField, StructType
from deltasql.session.execution.run import change_catalog
from deltasql.sql.parser.parameters import bind_parameters
from tests.unit.planner.lab import Lab, columns, scans_of


def definition(lab: Lab, *name: str) -> ViewDefinition:
    entry = lab.catalog.view(name)
    assert entry is not None
    return entry.definition


def view_of(lab: Lab, sql: str) -> SqlQuery:
    rows = lab.plan(sql)
    assert isinstance(rows, QueryRows)
    assert isinstance(rows.operator, SqlQuery)
    (view,) = rows.operator.relations.values()
    assert isinstance(view, SqlQuery)
    return view


def test_all_that_the_text_means_is_kept(lab: Lab) -> None:
    lab.run("CREATE SCHEMA s", "CREATE TABLE s.t (a INT COMMENT 'c', b STRING)", "USE s")
    lab.run("SET spark.sql.session.timeZone=Asia/Tokyo", "SET spark.sql.ansi.enabled=false")
    lab.run(
        "create VIEW default.`V` /* c */ (x COMMENT 'cx', `y z`) COMMENT 'vc' TBLPROPERTIES ('k' = 'v')"
        " WITH SCHEMA TYPE EVOLUTION AS SELECT * FROM t -- end\n;"
    )
    found = definition(lab, "default", "v")
    assert found == ViewDefinition.from_json(json.loads(json.dumps(found.to_json())))
    assert (found.query, found.namespace) == ("SELECT * FROM t", ("spark_catalog", "s"))
    assert found.settings == {"spark.sql.session.timeZone": "Asia/Tokyo", "spark.sql.ansi.enabled": "false"}
    assert (found.names, found.schema.names, found.has_names) == (("a", "b"), ("x", "y z"), True)
    assert (found.mode, found.comment, found.properties) == (SchemaMode.TYPE_EVOLUTION, "vc", {"k": "v"})


def test_tags_are_kept_beside_properties(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT)", "CREATE VIEW v TBLPROPERTIES ('k' = 'v') AS SELECT a FROM t")
    lab.run("ALTER VIEW `V` SET TAGS ('pii' = 'no', team)", "set tag on view default.v layer = gold")
    lab.run("ALTER VIEW v UNSET TAGS ('team', 'nothing')")
    found = definition(lab, "v").properties
    assert found == {"k": "v", "deltasql.tags": '{"layer": "gold", "pii": "no"}'}
    told = [
        lab.plan(f"{statement} v") for statement in ("SHOW TBLPROPERTIES", "DESCRIBE EXTENDED", "SHOW CREATE TABLE")
    ]
    rows = [list(plan.rows) for plan in told if isinstance(plan, Answer)]
    assert rows[0] == [("k", "v")]
    assert ("pii", "no", "") in rows[1]
    assert "deltasql.tags" not in str(rows)
    with pytest.raises(TagExistsError):
        lab.run("SET TAG ON VIEW v layer = silver")
    lab.run("ALTER VIEW v UNSET TAGS (pii, layer)")
    assert definition(lab, "v").properties == {"k": "v"}


def test_others_read_what_was_meant(lab: Lab) -> None:
    lab.run("CREATE SCHEMA s", "CREATE TABLE t (a INT)", "CREATE TABLE s.t (b INT)", "USE s")
    lab.run("SET spark.sql.ansi.enabled=false", "CREATE VIEW default.v AS SELECT * FROM t", "USE default")
    lab.run("SET spark.sql.ansi.enabled=true", "CREATE TEMP VIEW t AS SELECT 1 AS c")
    view = view_of(lab, "SELECT * FROM spark_catalog.default.V")
    assert [scan.schema.names for scan in scans_of(view)] == [("b",)]
    assert view.settings["spark.sql.ansi.enabled"] == "false"


def test_a_temporary_view_hides_one_of_the_catalog(lab: Lab) -> None:
    lab.run("CREATE VIEW v AS SELECT 1 AS a", "CREATE TEMP VIEW v AS SELECT 2 AS b")
    assert view_of(lab, "SELECT * FROM v").sql == "SELECT 2 AS b"
    assert view_of(lab, "SELECT * FROM default.v").sql == "SELECT 1 AS a"
    lab.run("DROP VIEW v")
    assert lab.plan("DROP VIEW v") == ViewRemoval(("spark_catalog", "default", "v"), if_exists=False)


@pytest.mark.parametrize(
    ("mode", "cast", "typed"),
    [("BINDING", False, True), ("COMPENSATION", True, True), ("TYPE EVOLUTION", False, False), ("EVOLUTION", 0, None)],
)
def test_modes_say_what_becomes_of_columns(lab: Lab, mode: str, cast: bool, typed: bool | None) -> None:
    lab.run("CREATE TABLE t (a INT)", f"CREATE VIEW v WITH SCHEMA {mode} AS SELECT * FROM t")
    shown = view_of(lab, "SELECT * FROM v").view
    assert (shown and (shown.cast, shown.typed)) == (None if typed is None else (cast, typed))


def test_columns_that_evolve_are_those_of_now(lab: Lab) -> None:
    lab.analyst.is_plain = True
    lab.run("CREATE TABLE t (a INT)")
    lab.run("CREATE VIEW old AS SELECT * FROM t", "CREATE VIEW new WITH SCHEMA EVOLUTION AS SELECT * FROM t")
    lab.run("CREATE VIEW named (x) WITH SCHEMA EVOLUTION AS SELECT * FROM t", "ALTER TABLE t ADD COLUMN b STRING")
    assert _columns(lab, "old") == columns("a INT")
    assert _columns(lab, "new") == columns("a INT, b STRING")
    assert _columns(lab, "named") == columns("x INT")


def _columns(lab: Lab, name: str) -> StructType:
    from deltasql.plan.base import TableName

    return columns_of(lab.context(), TableName((name,)))


@pytest.mark.parametrize(
    ("sql", "kind", "message"),
    [
        ("CREATE VIEW v AS SELECT 1 AS a", CatalogNameTakenError, "name of a view"),
        ("CREATE VIEW T AS SELECT 1 AS a", CatalogNameTakenError, "name of a table"),
        ("CREATE OR REPLACE VIEW t AS SELECT 1 AS a", ViewInPlaceError, "t is a table"),
        ("CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1 AS a", IfNotExistsAndReplaceError, "OR REPLACE"),
        ("CREATE VIEW nowhere.w AS SELECT 1 AS a", SchemaNotFoundError, "nowhere"),
        ("CREATE OR REPLACE VIEW v AS SELECT * FROM default.V", RecursiveViewError, "default.v → default.v"),
        ("ALTER VIEW v AS SELECT (SELECT max(a) FROM w) AS a", RecursiveViewError, "v → default.w → default.v"),
        ("CREATE VIEW x AS SELECT 1 AS a FROM tv", TemporaryReferenceError, "the view tv"),
        ("CREATE VIEW x AS SELECT 1 AS a FROM global_temp.g", TemporaryReferenceError, "global_temp.g"),
        ("CREATE VIEW x AS SELECT sparks_f(1) AS a", TemporaryReferenceError, "the function sparks_f"),
        ("CREATE VIEW x AS SELECT * FROM sparks_view", TemporaryReferenceError, "the view sparks_view"),
        ("CREATE VIEW x AS SELECT 1 + 1", UnnamedViewColumnError, r"Write \(1 \+ 1\) AS name"),
        ("CREATE TABLE v (a INT)", TableAlreadyExistsError, "v already exists"),
        ("CREATE TABLE v LIKE t", TableAlreadyExistsError, "v already exists"),
        ("CREATE OR REPLACE TABLE v (a INT)", WriteIntoViewError, "v is a view"),
        ("REPLACE TABLE v (a INT)", WriteIntoViewError, "v is a view"),
        ("ALTER TABLE v ADD COLUMN b INT", WriteIntoViewError, "v is a view"),
        ("ALTER TABLE v RENAME TO x", ViewInPlaceOfTableError, "v is a view"),
        ("VACUUM v", WriteIntoViewError, "v is a view"),
        ("ALTER VIEW x SET TBLPROPERTIES ('a' = 'b')", AlteredViewNotFoundError, "no view x"),
        ("COMMENT ON COLUMN v.nope IS 'x'", DeltaSqlError, "no column nope"),
        ("DROP TABLE IF EXISTS v", DeltaSqlError, "DROP VIEW v"),
    ],
)
def test_what_is_refused(lab: Lab, sql: str, kind: type[DeltaSqlError], message: str) -> None:
    lab.run("CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT * FROM t", "CREATE VIEW w AS SELECT * FROM v")
    lab.run("CREATE TEMP VIEW tv AS SELECT 1 AS a", "CREATE GLOBAL TEMP VIEW g AS SELECT 1 AS a")
    lab.analyst.function_names.add(("sparks_f",))
    lab.analyst.view_names.add(("sparks_view",))
    lab.analyst.rows["1 + 1"] = StructType((StructField("(1 + 1)", INTEGER),))
    before = lab.catalog.entries()
    with pytest.raises(kind, match=message) as caught:
        lab.plan(sql)
    assert caught.value.caret is not None
    assert lab.catalog.entries() == before


def test_a_view_that_came_to_read_itself(lab: Lab) -> None:
    lab.run("CREATE VIEW v AS SELECT 1 AS a", "CREATE VIEW w AS SELECT * FROM v", "DROP VIEW v")
    lab.run("ALTER VIEW w RENAME TO v")
    with pytest.raises(RecursiveViewError, match=r"default\.v → default\.v"):
        lab.plan("SELECT * FROM v")


def test_a_parameter_has_no_value_later(lab: Lab) -> None:
    bound = bind_parameters("CREATE VIEW v AS SELECT :p AS a", {"p": "secret"})
    context = lab.context(bound.sql)
    context.bound = bound
    import deltasql.statements  # noqa: F401 - registers the rules
    from deltasql.planner.context import plan
    from deltasql.sql.parser import parse

    with pytest.raises(StoredParameterError, match=":p"):
        plan(parse(bound.sql), context)


@pytest.mark.parametrize(
    ("sql", "marker"),
    [("CREATE VIEW v AS SELECT :p AS a", ":p"), ("CREATE FUNCTION f(a INT) RETURNS INT RETURN a + ?", r"\?")],
)
def test_a_parameter_without_a_value_is_refused_here(lab: Lab, sql: str, marker: str) -> None:
    with pytest.raises(StoredParameterError, match=marker):
        lab.plan(sql)


def test_a_running_spark_is_not_asked_for_columns_that_are_known(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.run("CREATE TABLE t (a INT)")
    lab.analyst.started = lab.analyst.is_plain = True
    monkeypatch.setattr(lab.analyst, "schema", None)
    lab.run("CREATE VIEW v AS SELECT a, 1 AS b FROM t")
    assert definition(lab, "v").schema.names == ("a", "b")


def with_variables(lab: Lab, *names: str) -> None:
    """Spark runs, and has these variables."""
    lab.analyst.started = True
    plain = lab.analyst.schema

    def schema(operator: Operator) -> StructType:
        if isinstance(operator, SqlQuery) and operator.sql.startswith("SELECT session."):
            if operator.sql.removeprefix("SELECT session.").strip("`").lower() in names:
                return columns("v INT")
            raise SparkError("UNRESOLVED_COLUMN", "42703", "", "")
        return columns("a INT") if isinstance(operator, SqlQuery) else plain(operator)

    lab.analyst.schema = schema  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT v AS a FROM t", "v"),
        ("SELECT a FROM t WHERE a > Session.`V`", "Session.V"),
        ("SELECT a FROM t WHERE a > system.session.v", "system.session.v"),
        ("SELECT a FROM t WHERE a > session.a", "session.a"),
        ("SELECT v.field AS a FROM t", "v.field"),
        ("WITH q AS (SELECT 1 AS k) SELECT k + v AS a FROM q", "v"),
    ],
)
def test_what_lasts_names_no_variable(lab: Lab, query: str, named: str) -> None:
    lab.run("CREATE TABLE t (a INT)")
    with_variables(lab, "v", "a", "k")
    lab.analyst.spark_plan = lambda operator, mode: "variablereference(system.session.v=1)"  # type: ignore[method-assign]
    with pytest.raises(TemporaryReferenceError, match="the variable") as caught:
        lab.plan(f"CREATE OR REPLACE VIEW w AS {query}")
    caret = caught.value.caret
    assert caret is not None
    assert caret.sql[caret.start : caret.end].replace("`", "").lower() == named.lower()


@pytest.mark.parametrize("query", ["SELECT a FROM t", "SELECT q.v AS a FROM t q(v)", "SELECT 1 AS v", "SELECT b AS a"])
def test_columns_and_aliases_come_before_variables(lab: Lab, query: str) -> None:
    lab.run("CREATE TABLE t (a INT)")
    with_variables(lab, "v", "a", "q")
    assert isinstance(lab.plan(f"CREATE OR REPLACE VIEW w AS {query}"), ViewDefining)


def test_what_spark_takes_for_a_column_is_none(lab: Lab) -> None:
    with_variables(lab, "id")
    assert isinstance(lab.plan("CREATE VIEW w AS SELECT id FROM range(3)"), ViewDefining)


def test_a_function_that_lasts_names_no_variable(lab: Lab) -> None:
    with_variables(lab, "v", "x")
    with pytest.raises(TemporaryReferenceError, match="the variable v"):
        lab.plan("CREATE FUNCTION f(x INT) RETURNS INT RETURN x + v")
    lab.plan("CREATE FUNCTION f(x INT) RETURNS INT RETURN x + f.x")


def test_the_definition_changes_and_the_rest_stays(lab: Lab) -> None:
    lab.analyst.is_plain = True
    lab.run("CREATE TABLE t (a INT, b INT)", "CREATE VIEW v (x) COMMENT 'c' AS SELECT a FROM t")
    lab.run("ALTER VIEW v SET TBLPROPERTIES ('k' = 'v', 'l' = 'w')", "ALTER VIEW v UNSET TBLPROPERTIES (k, nope)")
    lab.run("ALTER VIEW V WITH SCHEMA BINDING", "ALTER VIEW v AS SELECT b FROM t", "COMMENT ON COLUMN v.b IS 'cb'")
    found = definition(lab, "v")
    assert (found.schema.names, found.properties, found.comment) == (("b",), {"l": "w"}, "c")
    assert (found.mode, found.schema.fields[0].comment) == (SchemaMode.BINDING, "cb")
    lab.run("COMMENT ON VIEW v IS NULL", "CREATE SCHEMA s", "ALTER VIEW v RENAME TO s.u")
    assert definition(lab, "s", "u").comment is None
    assert lab.catalog.view("v") is None


def test_who_comes_second_is_judged_by_what_is_there_then(lab: Lab) -> None:
    lab.run("CREATE VIEW v AS SELECT 1 AS a")
    new = lab.plan("CREATE VIEW w AS SELECT 1 AS a")
    lenient = lab.plan("CREATE VIEW IF NOT EXISTS w AS SELECT 1 AS a")
    altered = lab.plan("ALTER VIEW v AS SELECT 2 AS a")
    replaced = lab.plan("CREATE OR REPLACE VIEW v AS SELECT 3 AS a")
    dropped = lab.plan("DROP VIEW v")
    assert isinstance(new, ViewDefining)
    lab.run("CREATE TABLE w (a INT)", "DROP VIEW v", "CREATE TABLE v (a INT)")
    stores = Stores()
    for change, kind in (
        (new, CatalogNameTakenError),
        (altered, AlteredViewNotFoundError),
        (replaced, ViewInPlaceError),
    ):
        with pytest.raises(kind):
            change_catalog(change, lab.catalog, stores)  # type: ignore[arg-type]
    with pytest.raises(DeltaSqlError, match=r"no view default\.v"):
        change_catalog(dropped, lab.catalog, stores)  # type: ignore[arg-type]
    change_catalog(lenient, lab.catalog, stores)  # type: ignore[arg-type]
    assert not any(isinstance(entry, ViewEntry) for entry in lab.catalog.entries())


def test_a_schema_goes_with_its_views(lab: Lab) -> None:
    lab.run("CREATE SCHEMA s", "CREATE VIEW s.v AS SELECT 1 AS a")
    with pytest.raises(DeltaSqlError, match="it holds v"):
        lab.run("DROP SCHEMA s")
    lab.run("DROP SCHEMA s CASCADE", "CREATE SCHEMA s")
    assert lab.catalog.entries("s") == []


def test_nothing_happens_to_what_is_there(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT * FROM t")
    for sql in (
        "CREATE VIEW IF NOT EXISTS v AS SELECT * FROM nowhere",
        "CREATE VIEW IF NOT EXISTS t AS SELECT 1",
        "CREATE TABLE IF NOT EXISTS v (a INT)",
        "CREATE TABLE IF NOT EXISTS v LIKE t",
    ):
        assert lab.plan(sql) == Answer()
