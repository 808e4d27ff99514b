"""Settings of the environment are found where Spark looks for them, and a session of ours keeps them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from deltasql.engines.spark.session.local import outside_settings, session_settings
from deltasql.engines.spark.session.spark import SparkHandle

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHUFFLES = "spark.sql.shuffle.partitions"


def test_nothing_is_set() -> None:
    assert outside_settings({"JAVA_TOOL_OPTIONS": "-Xmx1g", "PYSPARK_SUBMIT_ARGS": "pyspark-shell"}) == {}


@pytest.mark.parametrize("variable", ["SPARK_CONF_DIR", "SPARK_HOME"])
def test_defaults_of_an_installation(tmp_path: Path, variable: str) -> None:
    folder = tmp_path / "conf" if variable == "SPARK_HOME" else tmp_path
    folder.mkdir(exist_ok=True)
    (folder / "spark-defaults.conf").write_text("# note\n\nspark.a  1 2\nspark.b=2\n spark.c: 3\n", encoding="utf-8")
    assert outside_settings({variable: str(tmp_path)}) == {"spark.a": "1 2", "spark.b": "2", "spark.c": "3"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("--conf spark.a=1 --conf 'spark.b=x y' pyspark-shell", {"spark.a": "1", "spark.b": "x y"}),
        ("--driver-memory 8g pyspark-shell", {"spark.driver.memory": "8g"}),
        ("--driver-memory=8g --conf=spark.a=b=c", {"spark.driver.memory": "8g", "spark.a": "b=c"}),
        ("--conf 'spark.a=1", {}),
    ],
)
def test_arguments_of_spark_submit(text: str, found: dict[str, str]) -> None:
    assert outside_settings({"PYSPARK_SUBMIT_ARGS": text}) == found


def test_options_of_java() -> None:
    assert outside_settings({"_JAVA_OPTIONS": f"-Xmx1g -D{SHUFFLES}=7 -Dother=1"}) == {SHUFFLES: "7"}


def test_a_session_of_ours_keeps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTASQL_MASTER", "local[2]")
    assert session_settings()[SHUFFLES] == "4"
    monkeypatch.setenv("DELTASQL_MASTER", "local[16]")
    assert session_settings()[SHUFFLES] == "32"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--conf {SHUFFLES}=7 pyspark-shell")
    assert SHUFFLES not in session_settings()


def test_sizes_of_a_cluster_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTASQL_MASTER", "spark://host:7077")
    assert not session_settings().keys() & {SHUFFLES, "spark.default.parallelism", "spark.driver.memory"}


@pytest.mark.parametrize(("own", "began"), [(True, "4"), (False, "16")])
def test_a_setting_that_is_unset_is_what_it_was_at_the_beginning(
    monkeypatch: pytest.MonkeyPatch, own: bool, began: str
) -> None:
    """Of a session of ours what we say, of one that was handed in what Spark was started with."""
    monkeypatch.setenv("DELTASQL_MASTER", "local[2]")
    now = {SHUFFLES: "3", "spark.a": "1", "spark.b": "2"}
    conf = SimpleNamespace(unset=lambda key: now.pop(key, None), set=now.__setitem__)
    context = SimpleNamespace(_conf={SHUFFLES: "16", "spark.b": "x"})
    handle = SparkHandle(cast("SparkSession", SimpleNamespace(conf=conf, sparkContext=context)))
    handle.is_ours = own
    for key in (SHUFFLES, "spark.a", "spark.b"):
        handle.unset(key)
    assert now == {SHUFFLES: began, "spark.b": "x"}
