"""A plugin of pytest's: every session of the tests computes its rows at the server in DELTASQL_TESTS_AT.

DELTASQL_TESTS_MODE says who moves the files, DRIVER or EXECUTORS, and DELTASQL_TESTS_PART which tests run: those that
need no disk of ours (apart), those that do (shared), or all. Tests that need a Spark in this process are left out,
and told of at the end with the reason.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest

from tests.clusters.expectations import needs_our_disk, not_here

ADDRESS = os.environ.get("DELTASQL_TESTS_AT", "")
PART = os.environ.get("DELTASQL_TESTS_PART", "all")


def pytest_configure(config: pytest.Config) -> None:
    from deltasql.base.session_settings import DEFAULTS, IO_MODE

    DEFAULTS[IO_MODE.name] = os.environ["DELTASQL_TESTS_MODE"]
    if not ADDRESS.startswith("sc://"):
        os.environ["DELTASQL_MASTER"] = ADDRESS
        return
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    from pyspark.sql.connect.session import SparkSession

    from deltasql.session.session import Session

    # What a classic session has, and Spark Connect does in other words.
    SparkSession.newSession = lambda _: SparkSession.builder.remote(ADDRESS).create()

    begin = Session.__init__

    def begin_there(self: Session, warehouse: str, spark: Any = None, *more: Any, **named: Any) -> None:
        sail = "sail" in {named.get("engine"), *more[2:3]}
        begin(self, warehouse, ADDRESS if spark is None and not sail else spark, *more, **named)

    Session.__init__ = begin_there  # type: ignore[method-assign]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, left = list[pytest.Item](), Counter[str]()
    for item in items:
        if PART != "all" and needs_our_disk(item.nodeid) != (PART == "shared"):
            continue
        reason = not_here(item.nodeid, remote=ADDRESS.startswith("sc://"))
        if reason:
            left[reason] += 1
        else:
            kept.append(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
    config.stash[_LEFT] = left


_LEFT = pytest.StashKey[Counter[str]]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for reason, number in sorted(config.stash.get(_LEFT, Counter()).items()):
        terminalreporter.write_line(f"not for clusters: {number} because {reason}")


def pytest_unconfigure() -> None:
    from tests.clusters.suite import stop_spark

    stop_spark()
