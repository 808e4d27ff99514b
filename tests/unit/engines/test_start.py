"""Starting Spark where it cannot start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from deltasql import connect
from deltasql.base.errors import JavaMissingError, SailMissingError
from deltasql.engines.spark.session import local
from deltasql.engines.spark.session.spark import SparkHandle


def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(local, "_STARTED", [])


def test_no_java_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")

    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    without_spark(monkeypatch)
    with pytest.raises(JavaMissingError) as caught:
        SparkHandle(None).session  # noqa: B018
    assert caught.value.condition == "JAVA_GATEWAY_EXITED"


OUTSIDE = (
    "SPARK_CONF_DIR",
    "SPARK_HOME",
    "PYSPARK_SUBMIT_ARGS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No session in the process, and no variable that Spark or Java reads."""
    pytest.importorskip("pyspark")

    for name in OUTSIDE:
        monkeypatch.delenv(name, raising=False)
    without_spark(monkeypatch)
    return monkeypatch


def test_a_session_of_ours_to_come_is_plain(bare: pytest.MonkeyPatch) -> None:
    assert SparkHandle(None).is_plain
    assert not SparkHandle("sc://host:1").is_plain
    bare.setenv("JAVA_TOOL_OPTIONS", "-Xmx1g")
    assert SparkHandle(None).is_plain


def test_a_session_that_we_begin_on_a_server_is_ours_and_its_tables_are_not(bare: pytest.MonkeyPatch) -> None:
    ours, remote = SparkHandle(None), SparkHandle("sc://host:1")
    assert (ours.is_ours, ours.has_others_tables) == (True, False)
    assert (remote.is_ours, remote.has_others_tables) == (True, True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SPARK_CONF_DIR", "/etc/spark"),
        ("PYSPARK_SUBMIT_ARGS", "--conf spark.sql.session.timeZone=UTC pyspark-shell"),
        ("JAVA_TOOL_OPTIONS", "-Duser.timezone=Asia/Tokyo"),
        ("_JAVA_OPTIONS", "-Dspark.sql.session.timeZone=UTC"),
    ],
)
def test_settings_of_the_environment_are_not_ours(bare: pytest.MonkeyPatch, name: str, value: str) -> None:
    bare.setenv(name, value)
    assert not SparkHandle(None).is_plain


def test_defaults_of_an_installation_are_not_ours(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("SPARK_HOME", str(tmp_path))
    assert SparkHandle(None).is_plain
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").touch()
    assert not SparkHandle(None).is_plain


def test_the_sessions_of_others_are_not_plain(bare: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    class Theirs:
        """A session without our mark."""

        conf: Mapping[str, str] = {}

    bare.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: Theirs()))
    assert not SparkHandle(None).is_plain


class Builder:
    """A builder of sessions that starts nothing."""

    def master(self, address: str) -> Builder:
        return self

    appName = config = lambda self, *_, **__: self  # noqa: N815

    def getOrCreate(self) -> SimpleNamespace:  # noqa: N802
        return MagicMock()


@pytest.mark.parametrize(("master", "own"), [("local[2]", "127.0.0.1"), ("spark://host:7077", None)])
def test_executors_elsewhere_call_the_driver_at_its_address(
    bare: pytest.MonkeyPatch, master: str, own: str | None
) -> None:
    from pyspark.sql import SparkSession

    for name in ("SPARK_LOCAL_IP", "PYSPARK_PYTHON"):
        # Set first, so that what the start sets is taken back.
        bare.setenv(name, "")
        bare.delenv(name)
    bare.setenv("JAVA_HOME", "/java")
    bare.setenv("DELTASQL_MASTER", master)
    bare.setattr(SparkSession, "builder", Builder())
    assert SparkHandle(None).session is not None
    assert os.environ.get("SPARK_LOCAL_IP") == own
    assert ("PYSPARK_PYTHON" in os.environ) == (own is not None)


TWO_THREADS = """
import threading
from deltasql.engines.spark.failures import translated_errors
from deltasql.engines.spark.session.local import active_session

def tell():
    both.wait()
    with translated_errors(""):
        told.append(1)

def ask():
    both.wait()
    told.append(active_session())

both, told = threading.Barrier(2), []
threads = [threading.Thread(target=work) for work in (tell, ask)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(told) == 2
"""


def test_two_threads_load_pyspark() -> None:
    """Each would hold a module that the other one waits for, of which Python then shows a half."""
    done = subprocess.run([sys.executable, "-c", TWO_THREADS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


MERGE = "MERGE INTO t USING (SELECT upper('1') AS a) s ON t.a = s.a WHEN MATCHED THEN DELETE"


@pytest.mark.parametrize("package", ["grpc_status", "zstandard", "pysail"])
@pytest.mark.parametrize("sql", ["SELECT upper('x')", MERGE])
def test_a_missing_package_of_sail(package: str, sql: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with connect(str(tmp_path), engine="sail") as session:
        session.sql("CREATE TABLE t (a INT)")
        session.sql("INSERT INTO t VALUES (1)")
        with pytest.raises(SailMissingError, match=f"no module {package}") as caught:
            session.sql(sql)
        assert "pip install 'deltasql[sail]'" in str(caught.value)
