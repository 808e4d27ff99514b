"""The project of docs/migrate-dbt.md: its files are written, and its commands run, as the page has them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from deltasql import connect

pytestmark = [pytest.mark.dbt, pytest.mark.filterwarnings("default")]

PAGE = Path(__file__).parents[2] / "docs" / "migrate-dbt.md"
_FILE = re.compile(r"^```\w+ title=\"([^\"]+)\"\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_project_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dbt.cli.main import dbtRunner

    page = PAGE.read_text(encoding="utf-8")
    for name, text in _FILE.findall(page):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    commands = [line.split()[1:] for block in _COMMANDS.findall(page) for line in block.splitlines()]
    assert len(commands) == 3
    for words in commands:
        done: Any = dbtRunner().invoke([*words, "--quiet"])
        assert done.success, words
    with connect("warehouse") as session:
        rows = session.sql("SELECT customer, orders, CAST(paid AS STRING) AS paid FROM dbt_local.customers").collect()
        assert sorted(map(tuple, rows)) == [("Ada", 1, "9.50"), ("Grace", 1, "3.00")]
        detail = session.sql("DESCRIBE DETAIL dbt_local.customers").collect()[0]
        assert detail["clusteringColumns"] == ["customer"]
        assert session.sql("DESCRIBE DETAIL dbt_local.orders").collect()[0]["partitionColumns"] == ["day"]
        assert len(session.sql("SELECT * FROM dbt_local.orders_history").collect()) == 2
