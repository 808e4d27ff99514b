"""Every golden file under tests/golden. To accept what comes out: deltasql test tests/golden --accept"""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.golden import run_file
from deltasql.golden.script import expects_no_jvm

ROOT = Path(__file__).parent / "golden"


def _case(path: Path) -> object:
    name = path.relative_to(ROOT).with_suffix("").as_posix()
    return pytest.param(path, id=name, marks=() if expects_no_jvm(path) else pytest.mark.spark)


@pytest.mark.parametrize("path", [_case(path) for path in sorted(ROOT.rglob("*.sql"))])
def test_golden(path: Path) -> None:
    outcome = run_file(path)
    assert not outcome.defects, "\n".join(outcome.defects)
    assert outcome.expected is not None, f"{path} has no .out file"
    assert outcome.ok, "\n" + outcome.diff
