"""Calls of added functions as SQL of Spark, their names in messages, and what is missing for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.base import errors
from deltasql.engines.spark.added import addresses, cell_shapes, cells, shapes
from deltasql.session import connect
from deltasql.sql import added_calls, added_functions, as_called, column_names, own_text, with_calls
from deltasql.sql.missing_functions import builtin_calls
from deltasql.sql.statement_texts import splice


def expanded(sql: str) -> str:
    """The SQL of Spark for an expression, with short names of the functions of Python."""
    marked = splice(sql, [edit for call in builtin_calls(sql) for edit in own_text(call)]).sql
    return with_calls(marked).replace("__deltasql_added_", "_")


def test_results_that_have_the_type_of_an_argument() -> None:
    kinds = "if(typeof(a) LIKE '%string%', 'value STRING', 'value BIGINT')"
    assert expanded("h3_toparent(a, 3)") == f"from_json(_h3_toparent(a, 3), {kinds}).value"
    inner = f"from_json(_h3_toparent(a, 3), {kinds}).value"
    assert expanded("h3_toparent(h3_toparent(a, 3), 2)") == f"from_json(_h3_toparent({inner}, 2), {kinds}).value"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("h3_resolution(a) + `h3_resolution`( b )", "_h3_resolution(a) + _h3_resolution(b)"),
        ("st_point(1, 2)", "st_setsrid(_st_point(1, 2), 0)"),
        ("st_point(1, 2, f(3))", "st_setsrid(_st_point(1, 2), f(3))"),
        ("st_transform(a, 4326)", "st_setsrid(_st_transform(a, 4326), 4326)"),
        ("st_union_agg(DISTINCT a)", "_st_union_agg(collect_list(DISTINCT a))"),
        (
            "s.h3_resolution(a), h3_resolution, 'h3_resolution(a)'",
            "s.h3_resolution(a), h3_resolution, 'h3_resolution(a)'",
        ),
    ],
)
def test_other_calls(sql: str, expected: str) -> None:
    assert expanded(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("VALUES (1, h3_resolution(a))", "(SELECT v0 AS col1, _h3_resolution(a) AS col2 FROM VALUES (1) AS r(v0))"),
        (
            "VALUES (1, st_point(1, 2, 4326)), (2, NULL), (3, st_point(3, 2, 4326))",
            "(SELECT v0 AS col1, st_setsrid(_st_point(v1, 2), 4326) AS col2"
            " FROM VALUES (1, 1), (2, NULL), (3, 3) AS r(v0, v1))",
        ),
        (
            "VALUES (1, h3_resolution(a)), (2, NULL)",
            "(SELECT 1 AS col1, _h3_resolution(a) AS col2 UNION ALL SELECT 2 AS col1, NULL AS col2)",
        ),
        (
            "VALUES (h3_resolution(h3_toparent('{}', 1))), (h3_resolution('a'))",
            "(SELECT _h3_resolution(from_json(_h3_toparent('{}', 1), if(typeof('{}') LIKE '%string%', "
            "'value STRING', 'value BIGINT')).value) AS col1 UNION ALL SELECT _h3_resolution('a') AS col1)",
        ),
        (
            "VALUES (h3_resolution('{}')), (h3_resolution('a'))",
            "(SELECT _h3_resolution(v0) AS col1 FROM VALUES ('{}'), ('a') AS r(v0))",
        ),
        (
            "VALUES (h3_resolution(a)), (h3_resolution(a))",
            "(SELECT _h3_resolution(a) AS col1 UNION ALL SELECT _h3_resolution(a) AS col1)",
        ),
        (
            "SELECT * FROM VALUES (h3_resolution(a)) AS t(x), u",
            "SELECT * FROM (SELECT _h3_resolution(a) AS col1) AS t(x), u",
        ),
        ("SELECT h3_resolution(a) FROM VALUES (1), (f(2, 3))", "SELECT _h3_resolution(a) FROM VALUES (1), (f(2, 3))"),
        ("SELECT values, h3_resolution(a) FROM t", "SELECT values, _h3_resolution(a) FROM t"),
    ],
)
def test_rows_of_values_become_queries(sql: str, expected: str) -> None:
    short = expanded(sql).replace("__deltasql_value_", "v").replace("__deltasql_rows", "r")
    assert short == expected


def test_results_that_are_shapes_of_the_type_of_an_argument() -> None:
    either = "IDENTIFIER(if(typeof(a) LIKE '%geography%', '_other_st_reverse', '_st_reverse'))"
    assert expanded("st_reverse(a)") == f"{either}(a)"
    assert expanded("st_reverse(st_geogfromtext(a))") == "_other_st_reverse(_st_geogfromtext(a))"
    assert expanded("st_reverse(st_point(1, 2))") == "_st_reverse(st_setsrid(_st_point(1, 2), 0))"
    nested = either.replace("st_reverse", "st_multi")
    assert expanded("st_multi(st_reverse(a))") == f"{nested}({either}(a))"
    marked = splice("st_reverse(a)", [edit for call in builtin_calls("st_reverse(a)") for edit in own_text(call)]).sql
    assert as_called(with_calls(marked)) == "st_reverse(a)"


def test_cells_need_no_shapely() -> None:
    assert "shapely" not in vars(cells)


def test_names_in_messages() -> None:
    sql = "h3_toparent(h3_compact(h3_kring(a, 1))[0], 3) = h3_resolution(b)"
    marked = splice(sql, [edit for call in builtin_calls(sql) for edit in own_text(call)]).sql
    assert as_called(with_calls(marked)) == sql
    assert as_called("from_json(a, 'x INT').x") == "from_json(a, 'x INT').x"


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT f(a), f(a) + 1, f(a) AS x, f(a) y, (f(a)), a FROM t", ["f(a)", "f(a) + 1", "(f(a))"]),
        ("SELECT DISTINCT f(a).b, f(a)[0], cast(f(a) AS INT) FROM t", ["f(a)[0]", "cast(f(a) AS INT)"]),
        ("SELECT inline(f(a)), f(a).* FROM t WHERE x IN (SELECT -f(b) FROM u)", ["-f(b)"]),
        ("SELECT CASE WHEN f(a) THEN 1 END, `f`(a) FROM t", ["CASE WHEN f(a) THEN 1 END", "f(a)"]),
    ],
)
def test_names_of_columns(sql: str, names: list[str]) -> None:
    assert [text for _, _, text in column_names(sql, {"f"})] == [f" AS `{name}`" for name in names]


def test_each_function_has_its_code() -> None:
    known = added_functions()
    of_shapes = shapes.functions({name: function.returns for name, function in known.items()})
    assert known.keys() == {*addresses.functions("STRING"), *cells.functions(), *cell_shapes.functions(), *of_shapes}


def test_a_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(added_calls, "find_spec", lambda name: None if name == "pyproj" else name)
    session = connect(str(tmp_path))
    with pytest.raises(errors.PythonPackagesError, match="pip install 'deltasql") as raised:
        session.sql("SELECT st_area(st_point(1, 2))")
    assert raised.value.packages == ("pyproj",)
    assert not session.spark_started
