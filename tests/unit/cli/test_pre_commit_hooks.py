"""The hooks of pre-commit name commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from deltasql.clients import cli

HOOKS = Path(__file__).parents[3] / ".pre-commit-hooks.yaml"


def test_entries_are_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = HOOKS.read_text(encoding="utf-8")
    assert re.findall(r"^- id: (\S+)$", text, re.MULTILINE) == ["deltasql-check", "deltasql-test"]
    file = tmp_path / "f.sql"
    file.write_text("CREATE TABLE t (a INT)", encoding="utf-8")
    for entry in re.findall(r"^  entry: (.+)$", text, re.MULTILINE):
        program, *words = shlex.split(entry)
        assert program == "deltasql"
        with pytest.raises(SystemExit) as ended:
            cli.main([*words, "--help"])
        assert ended.value.code == 0
    assert cli.main(["check", str(file)]) == cli.OK
    capsys.readouterr()
