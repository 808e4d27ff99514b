"""Paths in JSON texts: where they stand, which steps they have, and what the columns are called."""

from __future__ import annotations

import pytest

from deltasql.base import tokenize
from deltasql.base.errors import ParseSyntaxError
from deltasql.schema.text import quote_name as quote
from deltasql.sql.postfix import json_paths, with_json_paths

PATHS = {
    "raw:a": [("raw", "name a")],
    "t.raw:a.b": [("t.raw", "name a, name b")],
    "RAW : A [0] . b": [("RAW", "name A, index 0, name b")],
    "raw:`x y`.`z.z`": [("raw", "name x y, name z.z")],
    "raw:['K']['k'][*]": [("raw", "field K, field k, every *")],
    'raw:a["b"]': [("raw", "name a, field b")],
    "raw:[2]": [("raw", "index 2")],
    "raw:a:b": [("raw", "name a"), ("raw:a", "name b")],
    "f(raw:a):b": [("raw", "name a"), ("f(raw:a)", "name b")],
    "m['k']:a::INT": [("m['k']", "name a")],
    """'{"a":1}':a""": [("""'{"a":1}'""", "name a")],
    "CASE WHEN a:b THEN c:d END": [("a", "name b"), ("c", "name d")],
    "raw:a -- :b\n/* c:d */ || ' e:f '": [("raw", "name a")],
    "a::INT": [],
    ":p": [],
    ":p:a": [],
    "x = :p": [],
    "CAST(x AS STRUCT<a: INT, b: STRUCT<c: INT>>)": [],
    "raw:a[i]": [("raw", "name a")],
    "raw:*": [],
}


@pytest.mark.parametrize("sql", PATHS)
def test_paths(sql: str) -> None:
    tokens = tokenize(sql)
    found = [
        (
            sql[tokens[path.first].start : tokens[path.colon - 1].end],
            ", ".join(f"{kind} {text}" for kind, text in path.steps),
        )
        for path in json_paths(tokens)
    ]
    assert found == PATHS[sql]


NAMES = {
    "SELECT raw:a.b": "b",
    "SELECT ALL raw:a[0]::INT": "a",
    "SELECT try_cast(raw:a AS INT)": "a",
    "SELECT raw:a::INT + 1 FROM t": "a::INT + 1",
    "SELECT raw:a AS x": None,
    "SELECT raw:a x FROM t": None,
    "SELECT upper(raw:a)": "upper(a)",
    "SELECT raw:[0]": "value",
    "SELECT (SELECT raw:a) AS x": "a",
    "SELECT * EXCEPT (b), raw:a": "a",
    "SELECT x IS DISTINCT FROM raw:a FROM t": "x IS DISTINCT FROM a",
    "UPDATE t SET x = raw:a": None,
    "SELECT count(*) FILTER (WHERE raw:a IS NULL)": "count(*) FILTER (WHERE a IS NULL)",
}


@pytest.mark.parametrize("sql", NAMES)
def test_columns_without_a_name_are_called_by_the_last_field(sql: str) -> None:
    text, name = with_json_paths(sql, range(9)), NAMES[sql]
    assert "json" in text
    if name is None:
        assert text.count(" AS ") == sql.count(" AS ")
    else:
        assert f" AS {quote(name)}" in text


def test_a_variant_keeps_its_path_in_single_quotes() -> None:
    assert with_json_paths('SELECT v:a["b"], v:[0]', ()) == "SELECT v:a['b'], v:[0]"


@pytest.mark.parametrize("name", ["`it's.x`", "['a?[']", "['']"])
def test_names_that_no_function_looks_up_are_refused(name: str) -> None:
    with pytest.raises(ParseSyntaxError, match="cannot be looked up"):
        with_json_paths(f"SELECT raw:{name}", {0})
