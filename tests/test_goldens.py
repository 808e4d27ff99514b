"""Every golden file under tests/golden. To accept what comes out: deltasql test tests/golden --accept"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deltasql.base.session_settings import COMPUTE, DEFAULTS
from deltasql.clients.golden import run_file
from deltasql.clients.golden.record import expects_no_jvm
from tests import samples

ROOT = Path(__file__).parent / "golden"
FILES = sorted(ROOT.rglob("*.sql"))
_SHARES = 16
_WAYS = re.compile(r"== Rows ==\\ncomputed .*?(?=\\n== |$)", re.MULTILINE)
"""The section of EXPLAIN that says who computes rows; a plan is one line of an output."""


def _case(path: Path) -> object:
    name = path.relative_to(ROOT).with_suffix("").as_posix()
    return pytest.param(path, id=name, marks=() if expects_no_jvm(path) else pytest.mark.spark)


@pytest.mark.parametrize("path", [_case(path) for path in FILES])
def test_golden(path: Path) -> None:
    outcome, by_engine = run_file(path), DEFAULTS[COMPUTE.name] == "ENGINE"
    # A file that needs no JVM needs one where the engine computes its rows.
    defects = [defect for defect in outcome.defects if not (by_engine and expects_no_jvm(path))]
    assert not defects, "\n".join(defects)
    assert outcome.expected is not None, f"{path} has no .out file"
    if by_engine:
        # EXPLAIN names the setting as the reason.
        assert _WAYS.sub("", outcome.actual) == _WAYS.sub("", outcome.expected), "\n" + outcome.diff
    else:
        assert outcome.ok, "\n" + outcome.diff


@pytest.mark.spark
@pytest.mark.parametrize(
    "path", [_case(path) for path in FILES if not expects_no_jvm(path) and samples.draws(path.stem, _SHARES)]
)
def test_golden_when_an_engine_computes_all_rows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sixteenth of the files; DELTASQL_TESTS_COMPUTE=ENGINE runs all so."""
    monkeypatch.setitem(DEFAULTS, COMPUTE.name, "ENGINE")
    test_golden(path)
