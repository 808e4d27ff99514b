"""The scripts of sql_examples give what their `.out` files say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deltasql.clients.golden import discover, run_file
from deltasql.clients.golden.record import expects_no_jvm

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "sql_examples"
PIPELINES = EXAMPLES / "pipelines"
"""Their files are no scripts: tests/test_pipeline_examples.py runs them."""


def _case(path: Path) -> object:
    return pytest.param(path, id=path.stem, marks=() if expects_no_jvm(path) else pytest.mark.spark)


@pytest.mark.parametrize("path", [_case(path) for path in discover(EXAMPLES) if PIPELINES not in path.parents])
def test_example(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if path.stem == "flights":
        # It alone reads these files, which another worker would write while it does.
        subprocess.run([sys.executable, str(EXAMPLES / "flights_data.py")], check=True)
    # flights.sql names its data from the top of the checkout: a session begins with the working directory.
    monkeypatch.chdir(ROOT)
    outcome = run_file(path)
    assert not outcome.defects, "\n".join(outcome.defects)
    assert outcome.expected is not None, f"{path} has no .out file"
    assert outcome.ok, "\n" + outcome.diff


def test_every_out_file_has_its_script() -> None:
    files = [path for path in EXAMPLES.rglob("*.*") if PIPELINES not in path.parents]
    scripts = {path.with_suffix("") for path in files if path.suffix == ".sql"}
    assert {path.with_suffix("") for path in files if path.suffix == ".out"} == scripts
