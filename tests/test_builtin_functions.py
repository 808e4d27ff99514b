"""The page of built-in functions is current, and each function is in the state that it tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltasql.base import errors
from deltasql.session import Session, connect
from deltasql.sql import added_functions, builtin_calls, builtin_table, own_text, refused_functions
from docs.site.functions_page import PAGE, renewed, sparks_names

_POINT = "0101000000000000000000F03F0000000000000040"
OURS = {
    "charindex": ("SELECT charindex('b', 'abc')", 2),
    "current_metastore": ("SELECT substr(current_metastore(), 1, 9)", "deltasql:"),
    "current_version": ("SELECT current_version().dbsql_version", None),
    "getdate": ("SELECT getdate() = now()", True),
    "iff": ("SELECT iff(1 > 2, 'a', 'b')", "b"),
    "list_secrets": ("SELECT max(key) FROM list_secrets('of tests')", "a key"),
    "schema_of_json_agg": ("SELECT schema_of_json_agg(x) FROM VALUES ('[1]') AS t(x)", "ARRAY<BIGINT>"),
    "st_aswkb": ("SELECT hex(st_aswkb(st_geomfromwkb(X'0101000000000000000000F03F0000000000000040')))", _POINT),
    "secret": ("SELECT length(secret('of tests', 'a key'))", 12),
    "try_secret": ("SELECT try_secret('of tests', 'another')", None),
}


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "secrets.json"
    path.write_text(json.dumps({"of tests": {"a key": "not to be seen"[:12]}}), encoding="utf-8")
    monkeypatch.setenv("DELTASQL_SECRETS", str(path))
    return path


@pytest.fixture
def session(tmp_path: Path, secrets: Path) -> Session:
    return connect(str(tmp_path / "w"))


def test_the_page_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == renewed(page), "renew docs/built-in-functions.md: python -m docs.site.functions_page"


def test_each_function_has_one_state() -> None:
    ours = {*builtin_table()["ours"], *builtin_table()["also_ours"], *added_functions()}
    assert not ours & refused_functions().keys()
    assert not sparks_names() & (ours | refused_functions().keys())
    assert OURS.keys() == builtin_table()["ours"].keys()


@pytest.mark.parametrize("name", sorted(refused_functions()))
def test_each_refused_function_is_refused(name: str, session: Session) -> None:
    with pytest.raises(errors.UnsupportedFunctionError) as raised:
        session.sql(f"SELECT {name.upper()}(1)")
    assert raised.value.function == name
    assert not session.spark_started


@pytest.mark.spark
def test_each_function_of_ours_runs(session: Session) -> None:
    assert {name: session.sql(sql).collect()[0][0] for name, (sql, _) in OURS.items()} == {
        name: value for name, (_, value) in OURS.items()
    }


@pytest.mark.spark
def test_each_function_of_spark_exists(session: Session) -> None:
    known = {row[0].lower() for row in session.sql("SHOW SYSTEM FUNCTIONS").collect()}
    assert not sparks_names() - known


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT iff(a, charindex(b, c), 1), `iff` (1,2,3)", ["iff", "charindex", "iff"]),
        ("SELECT s.iff(1), t.getdate, getdate, 'iff(1)' -- iff(1)", []),
        ("SELECT system.builtin.getdate(), builtin.GETDATE( )", ["getdate", "getdate"]),
        ("SELECT iff(a", []),
    ],
)
def test_calls(sql: str, names: list[str]) -> None:
    assert [call.name for call in builtin_calls(sql)] == names


def test_arguments_where_none_are_taken() -> None:
    (call,) = builtin_calls("SELECT current_metastore(1)")
    assert own_text(call) == []


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 1}'])
def test_a_damaged_file_of_secrets(text: str, secrets: Path, session: Session) -> None:
    secrets.write_text(text, encoding="utf-8")
    with pytest.raises(errors.SecretsFileError):
        session.sql("SELECT try_secret('a', 'b')")


def test_a_missing_file_of_secrets(secrets: Path, session: Session) -> None:
    secrets.unlink()
    with pytest.raises(errors.SecretsFileError, match="No such file"):
        session.sql("SELECT secret('a', 'b')")


def test_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch, session: Session) -> None:
    monkeypatch.setenv("DELTASQL_SECRET_MY_SCOPE_THE_KEY", "a longer secret")
    with pytest.raises(errors.SecretNotFoundError, match="DELTASQL_SECRET_MY_SCOPE_NONE"):
        session.sql("SELECT secret('my-scope', 'none')")
    plan = str(session.sql("EXPLAIN SELECT secret('my-scope', 'the.key')").collect()[0][0])
    assert "a longer secret" not in plan
