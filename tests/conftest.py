"""What holds for all tests: modules beside them whose asserts tell what they compared, and a JVM for short runs."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltasql.base.interrupts import _is_usual
from deltasql.base.session_settings import COMPUTE, DEFAULTS, FSYNC
from deltasql.log.storage.local_store import LocalLogStore
from tests import on_sail
from tests.jvm_archive import HEAP, SHORT_RUNS
from tests.parts import PARTS, part, parts
from tests.samples import draws

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler.protocol import Scheduling

os.environ.setdefault("JDK_JAVA_OPTIONS", SHORT_RUNS)
os.environ.setdefault("_JAVA_OPTIONS", HEAP)

# Modules are compiled once, and not by each worker and by each of some hundred processes: a third of the time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What the user has in the file of settings of the command is no matter of the tests.
os.environ["XDG_CONFIG_HOME"] = os.devnull

# A shell has what it runs in the background pass over Ctrl-C, which some tests press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Before any test imports them.
pytest.register_assert_rewrite("tests.session.concurrency.play", "tests.session.concurrency.stored")

# No test outlives a crash of the machine: for logs that tests open themselves, and for their sessions.
LocalLogStore.durable = False
DEFAULTS[FSYNC.name] = "false"

# DELTASQL_TESTS_COMPUTE=ENGINE leaves all rows to the engine, also of tables as small as those of tests.
DEFAULTS[COMPUTE.name] = os.environ.get("DELTASQL_TESTS_COMPUTE", DEFAULTS[COMPUTE.name])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part",
        choices=(*PARTS, "all"),
        help="a part of the tests, see tests/parts.py; without it, paths, -k or -m: default",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # A worker of xdist has what its controller has chosen.
    if config.option.part is None:
        chosen = any(argument.startswith(("-k", "-m")) for argument in config.invocation_params.args)
        has_paths = config.args_source is pytest.Config.ArgsSource.ARGS
        config.option.part = "all" if chosen or has_paths else "default"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files without a test of the part are not even imported."""
    if config.option.part == "all" or collection_path.suffix != ".py":
        return None
    file = collection_path.relative_to(config.rootpath).as_posix()
    return True if config.option.part not in parts(file) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tests of the part; with DELTASQL_TESTS_INTEROP=sample a third of those with other engines.

    These share one JVM of delta-spark, which is what a run waits for last. Tests that are named one by one all run.
    """
    if any("::" in argument for argument in config.args):
        return
    wanted, is_sample = config.option.part, os.environ.get("DELTASQL_TESTS_INTEROP") == "sample"
    left_out = {
        item
        for item in items
        if wanted not in ("all", part(item.nodeid, frozenset(mark.name for mark in item.iter_markers())))
        or (is_sample and item.nodeid.startswith("tests/interop/") and not draws(item.nodeid, 3))
    }
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Ten thousand tests stay to the end: no search for what may go need look at them again, a twelfth of the time."""
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """What `-n N` alone means here; whoever names a `--dist` has that one."""
    if config.getoption("dist") != "load":
        return None
    from tests.scheduling import ByRank

    return ByRank(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Tests with the mark `sail` run in a process of their own."""
    if pyfuncitem.get_closest_marker("sail") is None or on_sail.runs_here():
        return None
    if failure := on_sail.failure(pyfuncitem.path, pyfuncitem.nodeid):
        pytest.fail(failure, pytrace=False)
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The number of workers of `-n auto`: one for each core, at most six, for each may start a JVM."""
    return min(os.cpu_count() or 1, 6)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`tmp_path`, as the working directory of a test that runs Spark.

    A JVM keeps the directory in which it began, and later tests of its process name files from the top of the checkout:
    it begins before the directory changes.
    """
    from deltasql import connect

    with connect(str(tmp_path.with_name(f"{tmp_path.name}-jvm"))) as session:
        session.sql("SELECT 1").df.collect()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def nothing_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test changes what the next one begins with: directory, zone, settings, handlers of signals, shared Spark."""
    # A library in native code, such as polars or ADBC, may have set a handler of SIGINT that Python does not know of.
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
    marks = frozenset(mark.name for mark in request.node.iter_markers())
    before, started = _surroundings(), len(_on_spark())
    yield
    assert _surroundings() == before
    # Sessions of later tests, of which some are no Spark, need none of the functions that this one has called.
    if (calls := sys.modules.get("deltasql.sql.added_calls")) is not None:
        calls._called.clear()
    if "spark" in marks:
        _reset_spark()
    elif part(request.node.nodeid, marks) == "default" and "dbt" not in marks:
        assert len(_on_spark()) == started, "it computes rows on Spark: give it the mark spark"


def _surroundings() -> dict[str, object]:
    return {
        "directory": Path.cwd(),
        "zone": (os.environ.get("TZ"), time.tzname),
        "settings": dict(DEFAULTS),
        "handlers": {number: _handler(number) for number in (signal.SIGINT, signal.SIGTERM)},
    }


def _handler(number: int) -> object:
    """The handler of a signal; Python's in place of PySpark's, which the first start of Spark sets."""
    handler = signal.getsignal(number)
    return signal.default_int_handler if _is_usual(handler) else handler


def _on_spark() -> list[object]:
    """A list that grows by each session on the Spark of this process."""
    engine: Any = sys.modules.get("deltasql.engines.spark.session.spark")
    if engine is None:
        return []
    if not hasattr(engine, "sessions_of_tests"):
        sessions: list[object] = [*sys.modules["deltasql.engines.spark.session.local"]._STARTED]
        start = engine.start_local

        def started(connectors: frozenset[str] = frozenset()) -> object:
            made = start(connectors)
            # Some tests have a builder of their own.
            sessions.extend([made] if type(made).__module__.startswith("pyspark.") else ())
            return made

        engine.start_local, engine.sessions_of_tests = started, sessions
    found: list[object] = engine.sessions_of_tests
    return found


def _reset_spark() -> None:
    """Takes away what all sessions of a JVM share; each of ours has its own views, settings and current schema."""
    local = sys.modules.get("deltasql.engines.spark.session.local")
    for first in local._STARTED if local is not None else ():
        if first.sparkContext._jsc is not None:
            session = first._jsparkSession
            session.sharedState().globalTempViewManager().clear()
            session.sharedState().cacheManager().clearCache()
            session.sessionState().catalog().clearTempTables()
            session.sessionState().catalog().setCurrentDatabase("default")
            first._jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(session)


@pytest.fixture(autouse=True)
def no_hidden_names() -> Iterator[None]:
    """Whatever a test makes fail: the error speaks of what the user knows."""
    from tests.hidden_names import watched_sessions

    with watched_sessions() as found:
        yield
    assert not found, "\n".join(found)
