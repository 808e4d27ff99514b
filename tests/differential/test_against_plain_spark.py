"""Random scripts over tables with nested columns, views, schemas and settings give what plain Spark gives.

DELTASQL_MINUTES draws new scripts for so long, DELTASQL_SEED plays one again; without them it is the same few.
"""

from __future__ import annotations

import os
import time
from random import Random

import pytest

from .play import play, shrunk

pytestmark = pytest.mark.spark

MINUTES = float(os.environ.get("DELTASQL_MINUTES", "0"))
SEED = os.environ.get("DELTASQL_SEED")


def check(seed: int) -> None:
    played = play(seed)
    if played.found:
        played = shrunk(seed, played)
        pytest.fail(f"seed {seed}: the last statement differs in {played.found}\n\n{played.script}", pytrace=False)


@pytest.mark.parametrize("seed", [int(SEED)] if SEED else range(3))
def test_scripts_give_what_plain_spark_gives(seed: int) -> None:
    check(seed)


def test_new_scripts() -> None:
    end = time.monotonic() + MINUTES * 60
    while time.monotonic() < end:
        check(Random().randrange(10**9))
