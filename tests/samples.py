"""Which share of a long list runs, and which random statements: always the same, unless a run names another seed.

`.ci/nightly` sets DELTASQL_TESTS_SEED to the day. Everywhere else what is tested depends on the sources alone.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

VARIABLE = "DELTASQL_TESTS_SEED"
_Test = TypeVar("_Test", bound=Callable[..., None])


def seed() -> int:
    """The seed of this run: 0, unless the environment has another number."""
    return int(os.environ.get(VARIABLE) or "0")


def draws(name: str, shares: int) -> bool:
    """Whether one of so many things is in this run's share of them."""
    return zlib.crc32(name.encode()) % shares == seed() % shares


def examples(**options: Any) -> Callable[[_Test], _Test]:
    """Settings of Hypothesis for a test: the same examples in each run without a seed, however long one takes."""
    from hypothesis import HealthCheck, settings

    slow = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    return settings(deadline=None, derandomize=not seed(), suppress_health_check=slow, **options)
