"""`deltasql demo`: each statement of the tour works, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.clients import cli

pytestmark = pytest.mark.spark


def test_the_tour(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo"]) == cli.OK
    assert "RESTORE TABLE people" in capsys.readouterr().out
    assert not list(elsewhere.iterdir())
