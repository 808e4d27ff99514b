"""What holds for all tests: modules beside them whose asserts tell what they compared, and a JVM for short runs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from deltasql.log.store import LocalLogStore

# Much code that runs a few times each: compiling it well takes longer than running it.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# Before any test imports them.
pytest.register_assert_rewrite("tests.session.concurrency.play", "tests.session.concurrency.stored")

# For logs that tests open themselves; sessions have a setting.
LocalLogStore.durable = False


@pytest.fixture(autouse=True)
def no_hidden_names() -> Iterator[None]:
    """Whatever a test makes fail: the error speaks of what the user knows."""
    from tests.hidden_names import watched_sessions

    with watched_sessions() as found:
        yield
    assert not found, "\n".join(found)
