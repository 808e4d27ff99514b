"""Notebook files as cells, and as statements at their places in the file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deltasql.sql import cells_of, is_notebook, source_of_ipynb, split

SOURCE = """-- Databricks notebook source
-- MAGIC %md
-- MAGIC # A title
-- MAGIC
-- MAGIC text; with a semicolon

-- COMMAND ----------

-- MAGIC %run ../Includes/Setup $a="b c"

-- COMMAND ----------

-- DBTITLE 1,Make it
CREATE TABLE t (a INT);
SELECT 1 -- COMMAND ---------- is no separator here

-- COMMAND ----------
SELECT 2
-- COMMAND ----------
-- MAGIC %python
-- MAGIC for x in range(3):
-- MAGIC   print(x)
-- MAGIC %sql SELECT 5
-- COMMAND ----------

-- COMMAND ----------
-- MAGIC %sh ls;
-- MAGIC %sql is no word here
"""


def test_cells_of_a_source_file() -> None:
    found = [(cell.number, cell.language, cell.argument, cell.title) for cell in cells_of(SOURCE)]
    assert found == [
        (1, "md", "", ""),
        (2, "run", '../Includes/Setup $a="b c"', ""),
        (3, "sql", "", "Make it"),
        (4, "sql", "", ""),
        (5, "python", "", ""),
        (5, "sql", "", ""),
        (7, "sh", "ls;", ""),
    ]
    texts = {cell.language: cell.text for cell in cells_of(SOURCE)}
    assert texts["md"].strip() == "# A title\n\ntext; with a semicolon"
    assert texts["python"].strip("\n") == "for x in range(3):\n  print(x)"
    assert texts["sh"].strip() == "%sql is no word here"


def test_statements_end_with_their_cell_and_have_places() -> None:
    statements = list(split(SOURCE))
    assert [item.text for item in statements] == [
        "CREATE TABLE t (a INT)",
        "SELECT 1 -- COMMAND ---------- is no separator here",
        "SELECT 2",
        "SELECT 5",
    ]
    assert all(SOURCE[item.start :].startswith(item.text) for item in statements)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_other_languages(newline: str) -> None:
    source = "# Databricks notebook source\nx = 1\n# COMMAND ----------\n# MAGIC %sql\n# MAGIC SELECT 1\n# MAGIC , 2\n"
    source = source.replace("\n", newline)
    python, sql = cells_of(source)
    assert (python.language, python.text.strip()) == ("python", "x = 1")
    assert sql.text.split() == ["SELECT", "1", ",", "2"]
    (statement,) = split(source)
    assert source[statement.start :].startswith("SELECT 1")
    scala = "// Databricks notebook source\nval x = 1\n// COMMAND ----------\n// MAGIC %sql SELECT 1"
    assert [cell.language for cell in cells_of(scala)] == ["scala", "sql"]


@pytest.mark.parametrize("text", ["", "SELECT 1", "-- Databricks notebook sources\nSELECT 1", "-- databricks notebook"])
def test_other_scripts(text: str) -> None:
    assert not is_notebook(text)
    assert cells_of(text) == ()
    assert [item.text for item in split(f"{text}\n;SELECT 2")][-1] == "SELECT 2"


def jupyter(*cells: tuple[str, Any], **metadata: Any) -> str:
    return json.dumps(
        {"cells": [{"cell_type": kind, "source": source} for kind, source in cells], "metadata": metadata}
    )


def test_cells_of_jupyter() -> None:
    text = jupyter(
        ("markdown", ["# T\n", "text"]),
        ("code", ["%sql\n", "SELECT 1;\n", "SELECT 2"]),
        ("code", "x = 1\ny = '%sql'"),
        ("code", "\n%%sql\nSELECT 3"),
        ("code", "  \n"),
        ("raw", "%sql SELECT 4"),
    )
    source = source_of_ipynb(text)
    assert [(cell.number, cell.language) for cell in cells_of(source)] == [
        (1, "md"),
        (2, "sql"),
        (3, "python"),
        (4, "sql"),
        (6, "md"),
    ]
    assert [item.text for item in split(source)] == ["SELECT 1", "SELECT 2", "SELECT 3"]


def test_jupyter_with_sql_as_its_language() -> None:
    ours = {"application/vnd.databricks.v1+notebook": {"language": "sql"}}
    source = source_of_ipynb(jupyter(("code", "SELECT 1"), ("code", "%python\nx = 1"), **ours))
    assert [cell.language for cell in cells_of(source)] == ["sql", "python"]


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"cells": 1}', "no JSON"])
def test_files_that_are_no_notebook(text: str) -> None:
    with pytest.raises(ValueError, match=r"no list of cells|JSON|Expecting"):
        source_of_ipynb(text)


def test_words_of_languages_without_marks() -> None:
    cells = "SELECT 1\n", "\n%md\n# Title; x\n", "%sql SELECT 2\n, 3\n"
    source = "-- Databricks notebook source\n" + "-- COMMAND ----------\n".join(cells)
    assert [cell.language for cell in cells_of(source)] == ["sql", "md", "sql"]
    assert [item.text for item in split(source)] == ["SELECT 1", "SELECT 2\n, 3"]
    (first, second) = split("%sql\n-- a comment\nSELECT 1;\nSELECT 5 % 2")
    assert (first.text, second.text) == ("-- a comment\nSELECT 1", "SELECT 5 % 2")


def test_lines_between_cells_make_a_notebook() -> None:
    source = "-- a part\nSELECT 1\n\n-- COMMAND ----------\n\n-- MAGIC %md Title; x\n-- COMMAND -----\r\nSELECT 2"
    assert [item.text for item in split(source)] == ["-- a part\nSELECT 1", "SELECT 2"]
    for other in ("SELECT 1 -- COMMAND ----------\n;SELECT 2", "-- COMMAND\nSELECT 1;", "-- COMMAND --\nSELECT 1;"):
        assert cells_of(other) == ()
