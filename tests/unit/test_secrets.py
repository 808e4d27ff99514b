"""Secrets in settings, options, properties and parameters: nothing that is written or printed holds one."""

from __future__ import annotations

import io
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deltasql import Session, connect
from deltasql.base.errors import SparkError, StorageError
from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.secrets import REDACTED, conceal, has_secret, is_secret, reveal, shown_value, without_secrets
from deltasql.clients.cli import main
from deltasql.clients.golden import run_file
from deltasql.clients.repl.prompt import user_history
from deltasql.clients.repl.shell import Shell, Terminal

CANARY = "c4n4ry-Value"


@pytest.mark.parametrize(
    "name",
    [
        *("fs.s3a.secret.key", "fs.s3a.access.key", "FS.S3A.ACCESS_KEY", "password", "dbPassword", "passwd"),
        *("fs.azure.account.key.x.dfs.core.windows.net", "accountKey", "AWS_SESSION_TOKEN", "sasToken"),
        *(
            "fs.azure.sas.fixed.x",
            "x.SAS",
            "google.credentials",
            "client_secret",
            "apiKey",
            "private.key",
            "MASTER_KEY",
        ),
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name)
    assert shown_value(name, "x") == REDACTED


@pytest.mark.parametrize(
    "name", ["delta.appendOnly", "disaster.recovery", "primary.key", "fs.s3a.endpoint", "delta.columnMapping.mode"]
)
def test_other_names(name: str) -> None:
    assert not is_secret(name)
    assert shown_value(name, "x") == "x"


@pytest.mark.parametrize(
    "sql",
    [
        f"SET fs.s3a.secret.key={CANARY}",
        f"SET fs.s3a.secret.key {CANARY}",
        f"SELECT 1; -- why\n/* so */ set `fs.s3a.secret.key` = '{CANARY}' ;",
        f"CREATE TEMPORARY VIEW v USING jdbc OPTIONS (url 'x', password '{CANARY}', n 1)",
        f"CREATE TABLE t (a INT) TBLPROPERTIES (\n'a' = '(', \"my.Token\" =\n\"{CANARY}\")",
        f"ALTER TABLE t SET TBLPROPERTIES (`api.key`='{CANARY}')",
        f"SELECT * FROM read_files('x', password => '{CANARY}')",
        f"CREATE TABLE t (a INT) OPTIONS (a = b, secret = {CANARY})",
        f"CREATE TABLE t (a INT) LOCATION 's3://ada:{CANARY}@host/x'",
        f"CREATE SCHEMA s WITH DBPROPERTIES (token='{CANARY}')",
    ],
)
def test_secrets_in_a_text(sql: str) -> None:
    assert has_secret(sql)
    hidden = without_secrets(sql)
    assert CANARY not in hidden
    assert len(hidden) == len(sql)
    place = sql.index(CANARY)
    assert CANARY not in Caret(sql, place, place + 3).draw()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE users SET token = 'x' WHERE password = 'y'",
        "SELECT password, 'SET secret.key=x' FROM t",
        "SET fs.s3a.secret.key",
        "CREATE TABLE t (token STRING) TBLPROPERTIES ('a' = 'b')",
        "ALTER TABLE t UNSET TBLPROPERTIES ('my.token')",
        "SELECT 's3://bucket/x:y@z'",
    ],
)
def test_texts_without_secrets(sql: str) -> None:
    assert not has_secret(sql)
    assert without_secrets(sql) == sql


def test_long_texts_are_read_in_no_time() -> None:
    began = time.thread_time()
    for sql in ("SELECT '" + "a" * 300_000, "SELECT " + "a" * 300_000, "SET x = " + "''" * 100_000, ";" * 100_000):
        assert not has_secret(sql)
    assert time.thread_time() - began < 20


def _told(action: Callable[[], Any]) -> str:
    """What an action shows, its error and the traceback of it included."""
    try:
        result = action()
    except DeltaSqlError as error:
        return str(error) + "".join(traceback.format_exception(error))
    out = io.StringIO()
    result.show(100, False, out)
    return out.getvalue()


def _written(place: Path) -> str:
    return "".join(path.read_text(encoding="utf-8", errors="replace") for path in place.rglob("*") if path.is_file())


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return connect(warehouse=str(tmp_path / "wh"), directory=str(tmp_path / "elsewhere"))


@pytest.mark.parametrize(
    "sql",
    [
        f"SET fs.s3a.secret.key = {CANARY}",
        f"SET `my.password` = '{CANARY}'",
        f"SET my.password {CANARY}",
        f"EXPLAIN SET fs.s3a.secret.key = {CANARY}",
        f"EXPLAIN CREATE TABLE x (a INT) TBLPROPERTIES ('token' = '{CANARY}')",
        f"CREATE TABLE x (a INT) TBLPROPERTIES ('token' = '{CANARY}') BOGUS",
        f"CREATE TABLE x (a INT) TBLPROPERTIES ('token' {CANARY} )",
        f"ALTER TABLE nope SET TBLPROPERTIES ('token' = '{CANARY}')",
        f"CREATE TABLE x (a INT) USING delta OPTIONS (password '{CANARY}', b",
    ],
)
def test_no_statement_shows_a_secret(session: Session, tmp_path: Path, sql: str) -> None:
    told = _told(lambda: session.sql(sql))
    assert told
    assert CANARY not in told
    assert CANARY not in "".join(
        _told(partial(session.sql, listing)) for listing in ("SET", "SET -v", "SET my.password")
    )
    assert CANARY not in _written(tmp_path)
    assert CANARY not in repr(session) + repr(session.settings)


def test_a_setting_is_redacted_where_it_is_shown_and_kept_as_it_is(session: Session) -> None:
    assert session.sql(f"SET my.password = {CANARY}").collect() == [("my.password", REDACTED)]
    assert session.sql("SET my.password").collect() == [("my.password", REDACTED)]
    assert ("my.password", REDACTED) in session.sql("SET").collect()
    assert session.settings.get("my.password") == CANARY


def test_properties_are_redacted_in_all_but_the_metadata(session: Session, tmp_path: Path) -> None:
    session.sql(f"CREATE TABLE t (a INT) TBLPROPERTIES ('token' = '{CANARY}', 'team' = 'sales')")
    session.sql(f"ALTER TABLE t SET TBLPROPERTIES ('api.key' = '{CANARY}')")
    for sql in (
        *("SHOW TBLPROPERTIES t", "SHOW TBLPROPERTIES t ('token')", "SHOW CREATE TABLE t", "DESCRIBE DETAIL t"),
        *("DESCRIBE EXTENDED t", "DESCRIBE HISTORY t"),
    ):
        told = _told(partial(session.sql, sql))
        assert CANARY not in told
        assert "redacted" in told
    assert "sales" in _told(lambda: session.sql("SHOW TBLPROPERTIES t"))
    assert session.log("t").snapshot().configuration["token"] == CANARY
    lines = (tmp_path / "wh" / "t" / "_delta_log" / f"{1:020}.json").read_text().splitlines()
    assert CANARY not in next(line for line in lines if "commitInfo" in line)


def test_the_history_tells_parameters_by_name(session: Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (a INT, email STRING) PARTITIONED BY (email)")
    session.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    session.sql("DELETE FROM t WHERE email = :e OR email IN (:e, 'z')", {"e": CANARY})
    session.sql("DELETE FROM t WHERE email = :e", {"e": "x"})
    assert session.sql("DESCRIBE HISTORY t LIMIT 1").collect()[0].operationParameters == {"predicate": '["email = :e"]'}
    session.sql("DELETE FROM t WHERE email = ? OR email = 'q'", ["y"])
    last = session.sql("DESCRIBE HISTORY t LIMIT 1").collect()[0].operationParameters
    assert last == {"predicate": "[\"email = ? OR email = 'q'\"]"}
    assert CANARY not in _written(tmp_path)


@pytest.mark.spark
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t WHERE nope = :e",
        "SELECT * FROM nope WHERE email = :e",
        "DELETE FROM t WHERE email = :e BOGUS",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = :e)",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = :e)",
        "EXPLAIN DELETE FROM t WHERE email = :e",
        "EXPLAIN EXTENDED UPDATE t SET email = :e WHERE email <> :e",
        "INSERT INTO t (a, nope) VALUES (1, :e)",
        "SHOW TABLES LIKE :e",
    ],
)
def test_no_error_and_no_plan_shows_the_value_of_a_parameter(session: Session, tmp_path: Path, sql: str) -> None:
    session.sql("CREATE TABLE t (a INT, email STRING) PARTITIONED BY (email)")
    told = _told(lambda: session.sql(sql, {"e": CANARY}))
    assert told
    assert CANARY not in told
    assert CANARY not in _written(tmp_path)


def test_golden_files_hold_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "x.sql"
    path.write_text(
        "-- expect: no jvm\n\n"
        f"SET fs.s3a.secret.key = {CANARY};\nSET;\n"
        f"CREATE TABLE t (a INT) TBLPROPERTIES ('token' = '{CANARY}');\n"
        f"ALTER TABLE t SET TBLPROPERTIES ('token' = '{CANARY}', 'delta.appendOnly' = 'x');\n"
        "DESCRIBE DETAIL t;\n"
    )
    outcome = run_file(path)
    assert not outcome.defects
    assert "token = *********(redacted)" in outcome.actual
    assert CANARY not in outcome.actual


def test_the_history_of_the_shell_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    history = user_history()
    history.append_string(f"SELECT 1; SET fs.s3a.secret.key={CANARY};")
    history.append_string("SELECT 2;")
    assert history.get_strings()[0].endswith(f"{CANARY};")
    assert "SELECT 2;" in _written(tmp_path)
    assert CANARY not in _written(tmp_path)


def test_shell_and_command_line_print_no_secret(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sql = f"SET x.password={CANARY}; SET; CREATE TABLE t (a INT) OPTIONS (password '{CANARY}') BOGUS;"
    out = io.StringIO()
    Shell(session, terminal=Terminal(out=out)).run(sql)
    assert "BOGUS" in out.getvalue()
    assert main(["--echo", "--keep-going", "-e", sql]) == 1
    printed = "".join(capsys.readouterr())
    assert "BOGUS" in printed
    assert CANARY not in out.getvalue() + printed
    assert "x.password" in printed


@pytest.mark.parametrize("args", [5, "abc", b"x", {1, 2}, iter([1])])
def test_args_that_hold_no_values_are_told(session: Session, args: Any) -> None:
    with pytest.raises(DeltaSqlError, match=r"INVALID_PARAMETER_VALUE\] args is a \w+. Pass a mapping"):
        session.sql("SELECT :a", args)


@pytest.mark.parametrize("name", ["fs.azure.connectionString", "connection_string", "my.pwd", "http.authorization"])
def test_more_names_of_secrets(name: str) -> None:
    assert shown_value(name, "x") == REDACTED
    assert CANARY not in without_secrets(f"SELECT * FROM t WITH ('{name}' = '{CANARY}')")


@pytest.mark.parametrize(
    "text",
    [
        f"https://x.blob.core.windows.net/c?sv=1&sig={CANARY}",
        f"https://b.s3.amazonaws.com/k?X-Amz-Signature={CANARY}&x=1",
        f"DefaultEndpointsProtocol=https;AccountKey={CANARY};EndpointSuffix=x",
        f"Bearer {CANARY}",
    ],
)
def test_values_that_tell_themselves(text: str) -> None:
    assert CANARY not in shown_value("any.name", text)
    assert CANARY not in without_secrets(f"UPDATE t SET a = '{text}'")


def test_a_secret_in_quotes_that_never_end() -> None:
    assert CANARY not in without_secrets(f"SET my.password = '{CANARY}")
    assert CANARY not in without_secrets(f"COPY INTO t FROM 'x' COPY_OPTIONS ('password' = '{CANARY}")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (f"SELECT * FROM delta.`s3://key:{CANARY}@b/x`", f"cannot read s3://key:{CANARY}@b/x"),
        (f"SELECT * FROM t WITH ('password' = '{CANARY}')", f"cannot read {CANARY}"),
    ],
)
def test_tools_that_print_the_parts_of_an_error(sql: str, reason: str) -> None:
    error = StorageError("read", f"s3://key:{CANARY}@b/x", reason).at(Caret(sql, 0, len(sql)))
    spark = SparkError("X", "42000", reason).at(Caret(sql, 0, len(sql)))
    for found in (error, spark):
        assert CANARY not in repr(found) + str(found) + repr(vars(found)) + repr(found.args)


def test_many_secrets_in_a_long_text_take_no_longer_than_one() -> None:
    secret = "s" * 9
    conceal(secret)
    try:
        text = f"SELECT '{'s' * (3 << 20)}'"
        started = time.thread_time()
        shown = without_secrets(text)
        assert time.thread_time() - started < 10
    finally:
        reveal(secret)
    assert len(shown) == len(text)
    assert secret not in shown
