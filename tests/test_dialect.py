"""Statements of the known dialect: each works, or is refused in a sentence that says what is not here.

To write what becomes of them into the files: python -m tests.dialect.accept
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dialect.script import files, read, run


def _case(path: Path) -> object:
    return pytest.param(path, id=path.stem, marks=pytest.mark.spark if read(path).jvm else ())


@pytest.mark.filterwarnings("ignore::deltasql.plan.base.StatementWarning")
@pytest.mark.parametrize("path", [_case(path) for path in files()])
def test_dialect(path: Path) -> None:
    wrong = [
        f"expected: {outcome.statement.expected}, but: {outcome.told} {outcome.defect}\n"
        f"  {outcome.statement.text}\n  {outcome.message}"
        for outcome in run(read(path))
        if outcome.defect or outcome.told != outcome.statement.expected
    ]
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_of_them() -> None:
    texts = {" ".join(item.text.split()) for path in files() for item in read(path).statements}
    assert len(texts) >= 300
