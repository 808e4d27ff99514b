"""The page of all statements of the SQL reference says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import deltasql
from deltasql.base import DeltaSqlError
from docs.site import statement_index
from tests.source_trees import ROOT

ROWS = statement_index.rows()


def test_the_page_is_made_from_the_data() -> None:
    """`python -m docs.site.statement_index` renews it."""
    assert statement_index.PAGE.read_text(encoding="utf-8") == statement_index.page()


@pytest.mark.parametrize("row", [row for row in ROWS if row.state != "refused"], ids=lambda row: row.statement)
def test_its_golden_file_has_the_statement(row: statement_index.Row) -> None:
    text = (ROOT / "tests" / "golden" / f"{row.golden}.sql").read_text(encoding="utf-8")
    words = r"\b[^;]*?\b".join(map(re.escape, row.statement.split()))
    assert re.search(rf"\b{words}\b", text, re.IGNORECASE), row


@pytest.mark.parametrize("row", [row for row in ROWS if row.state == "refused"], ids=lambda row: row.statement)
def test_it_is_refused(row: statement_index.Row, tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (a INT)")
        with pytest.raises(DeltaSqlError) as caught:
            session.sql(row.golden).collect()
    assert caught.value.condition != "PARSE_SYNTAX_ERROR"
