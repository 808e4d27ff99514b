"""The file of settings, values given as NAME=VALUE, and scripts for shells that complete."""

from __future__ import annotations

import os
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import ConfigurationFileError
from deltasql.clients import cli
from deltasql.clients.command.options import (
    SHELLS,
    Configuration,
    give_to_spark,
    parameter,
    read_configuration,
    split_settings,
)
from deltasql.engines.spark.session.local import outside_settings
from tests.unit.cli.conftest import Canned

FULL = """
warehouse = "/data/warehouse"
format = "csv"

[shell]
pager = false
rows = 50

[conf]
"spark.driver.memory" = "8g"
spark.sql.shuffle.partitions = 16
deltasql.commit.fsync = false

[define]
day = "2024-01-01"
least = 3
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "deltasql").mkdir()
    return tmp_path / "deltasql" / "config.toml"


def test_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert read_configuration(path) == Configuration()
    path.write_text(FULL)
    read = read_configuration(path)
    assert (read.warehouse, read.format, read.remote) == ("/data/warehouse", "csv", None)
    assert read.shell == {"pager": "false", "rows": "50"}
    assert read.conf == {
        "spark.driver.memory": "8g",
        "spark.sql.shuffle.partitions": "16",
        "deltasql.commit.fsync": "false",
    }
    assert read.define == {"day": "2024-01-01", "least": 3}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("warehose = 'x'", "there is no setting warehose; did you mean warehouse?"),
        ("[shell]\npaper = true", "there is no setting shell.paper; did you mean pager?"),
        ("[shell]\nzzzzzz = true", "there is no setting shell.zzzzzz; there are pager, progress"),
        ("format = 'xml'", "format must be one of auto, table"),
        ("warehouse = 1", "warehouse must be a text"),
        ("conf = 'x'", "conf must be a table, [conf]"),
        ("warehouse =", "(at "),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationFileError) as error:
        read_configuration(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_a_file_that_is_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationFileError):
        read_configuration(tmp_path / "none.toml", needed=True)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationFileError):
        read_configuration(tmp_path / "binary")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x=1", 1),
        ("x=-1.50", Decimal("-1.50")),
        ("x=007", "007"),
        ("x=true", True),
        ("x=NULL", None),
        ("x='1'", "1"),
        ("x=a=b c", "a=b c"),
        ("x=", ""),
        ("x=2024-01-01", "2024-01-01"),
    ],
)
def test_values_of_parameters(text: str, value: Any) -> None:
    assert parameter(text) == ("x", value)


def test_settings_go_to_set_or_to_the_start_of_spark() -> None:
    conf = {
        "spark.driver.memory": "8g",
        "spark.sql.session.timeZone": "UTC",
        "deltasql.x": "1",
        "spark.master": "local[3]",
    }
    by_set, for_start = split_settings(conf, remote=False)
    assert by_set == {"spark.sql.session.timeZone": "UTC", "deltasql.x": "1"}
    assert split_settings(conf, remote=True) == (conf, {})
    environment = {"PYSPARK_SUBMIT_ARGS": "--conf spark.driver.memory=1g --conf a=b pyspark-shell"}
    give_to_spark({**for_start, "spark.x": "it's"}, environment)
    assert environment["DELTASQL_MASTER"] == "local[3]"
    assert environment["PYSPARK_SUBMIT_ARGS"].endswith("pyspark-shell")
    assert outside_settings(environment) == {"spark.driver.memory": "8g", "spark.x": "it's", "a": "b"}
    empty: dict[str, str] = {}
    give_to_spark({}, empty)
    assert empty == {}


def test_the_catalog(sessions: list[Canned], home: Path) -> None:
    home.write_text("catalog = 'from-file'\n[conf]\n'deltasql.catalog.autoCreate' = true")
    assert cli.main(["-e", "A"]) == 0
    assert cli.main(["-e", "A", "--catalog", "given"]) == 0
    created = "SET deltasql.catalog.autoCreate = true"
    assert [session.texts for session in sessions] == [
        [created, "USE CATALOG `from-file`", "A"],
        [created, "USE CATALOG given", "A"],
    ]


def test_the_command_line_wins_over_the_file(
    sessions: list[Canned], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    home.write_text(FULL)
    assert cli.main(["-e", "A", "-D", "least=4", "-D", "x=y", "--conf", "deltasql.commit.fsync=true"]) == 0
    (session,) = sessions
    assert session.warehouse == "/data/warehouse"
    assert session.seen == [
        ("SET deltasql.commit.fsync = true", None),
        ("A", {"day": "2024-01-01", "least": 4, "x": "y"}),
    ]
    given = {"spark.driver.memory": "8g", "spark.sql.shuffle.partitions": "16"}
    assert given.items() <= outside_settings(os.environ).items()
    assert cli.main(["-e", "A", "--warehouse", "here", "--config", str(home.with_name("none.toml"))]) == 2
    home.with_name("other.toml").write_text("remote = 'sc://h:1'")
    assert cli.main(["-e", "A", "--warehouse", "here", "--config", str(home.with_name("other.toml"))]) == 0
    assert (sessions[-1].warehouse, sessions[-1].spark, sessions[-1].seen) == ("here", "sc://h:1", [("A", None)])


@pytest.mark.parametrize("args", [["-D", "x"], ["--conf", "=1"], ["completion"], ["completion", "ksh"]])
def test_wrong_values_are_told(sessions: list[Canned], args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(args)
    assert stop.value.code == 2
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_name_every_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    text = capsys.readouterr().out
    for option in ("warehouse", "format", "keep-going", "conf", "jsonl", "markdown", "test", "completion", "fish"):
        assert option in text


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["deltasql", "--for"], ["--format"]),
        (["deltasql", "--format", "js"], ["json", "jsonl"]),
        (["deltasql", "comp"], ["completion"]),
        (["deltasql", "completion", "z"], ["zsh"]),
    ],
)
def test_bash_completes(words: list[str], expected: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", "bash"]) == 0
    asked = (
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _deltasql; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    text = capsys.readouterr().out + asked
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected
