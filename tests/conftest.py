"""What holds for all tests: modules beside them whose asserts tell what they compared, and a JVM for short runs."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltasql.log.storage.local_store import LocalLogStore
from deltasql.settings.session_settings import COMPUTE, DEFAULTS, FSYNC
from tests import on_sail
from tests.commit import draws
from tests.jvm_archive import HEAP, SHORT_RUNS

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler.protocol import Scheduling

os.environ.setdefault("JDK_JAVA_OPTIONS", SHORT_RUNS)
os.environ.setdefault("_JAVA_OPTIONS", HEAP)

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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With DELTASQL_TESTS_INTEROP=sample a third of the tests that read and write with other engines, by the commit.

    They share one JVM of delta-spark, which is what a run waits for last. Tests that are named one by one all run.
    """
    if os.environ.get("DELTASQL_TESTS_INTEROP") != "sample" or any("::" in argument for argument in config.args):
        return
    left_out = [item for item in items if item.nodeid.startswith("tests/interop/") and not draws(item.nodeid, 3)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


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
def no_hidden_names() -> Iterator[None]:
    """Whatever a test makes fail: the error speaks of what the user knows."""
    from tests.hidden_names import watched_sessions

    with watched_sessions() as found:
        yield
    assert not found, "\n".join(found)
