"""Random scripts over tables of many kinds, views, schemas and settings give what plain Spark gives.

Whoever computes the rows: this process and an engine, or an engine alone.
`python -m tests.ways.differential` draws more.
"""

from __future__ import annotations

import pytest

from tests import samples

from .play import Setup, failure

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("compute", ["AUTO", "ENGINE"])
@pytest.mark.parametrize("seed", [0, 1])
def test_scripts_give_what_plain_spark_gives(seed: int, compute: str) -> None:
    found, _ = failure(Setup(seed, compute))
    assert not found, found


@pytest.mark.parametrize("compute", ["AUTO", "ENGINE"])
def test_new_scripts(compute: str) -> None:
    """A script of the run: with another seed another one."""
    found, _ = failure(Setup(2 + samples.seed(), compute))
    assert not found, found
