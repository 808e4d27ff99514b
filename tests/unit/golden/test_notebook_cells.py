"""Golden files that are notebooks: cells of SQL are statements, those of Python run, and their output is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.clients.golden import run_file

NOTEBOOK = """-- Databricks notebook source
-- MAGIC %md
-- MAGIC # A title

-- COMMAND ----------

-- log: off

CREATE TABLE t (id INT, name STRING);
INSERT INTO t VALUES (1, 'a'), (2, 'b')

-- COMMAND ----------
-- MAGIC %python
-- MAGIC names = ["x", "y"]
-- MAGIC for name in names:
-- MAGIC     print(f"name {name}")
-- MAGIC len(names)

-- COMMAND ----------
-- DBTITLE 1,One namespace
-- MAGIC %python
-- MAGIC names.append("z")
-- MAGIC dbutils.widgets.text("which", "b")
-- MAGIC ",".join(names)

-- COMMAND ----------

-- name: a widget of Python
SELECT name FROM t WHERE name = :which

-- COMMAND ----------
-- MAGIC %run ./other $count="1"

-- COMMAND ----------
-- MAGIC %python
-- MAGIC
-- MAGIC 1 / 0

-- COMMAND ----------
-- MAGIC %sh ls

-- COMMAND ----------

SELECT count(*) AS n FROM t;
"""
OTHER = """-- Databricks notebook source
SELECT :count AS given
-- COMMAND ----------
-- MAGIC %python
-- MAGIC shared = 7
"""
RECORDED = """-- statement
CREATE TABLE t (id INT, name STRING)
-- schema: (none)

-- statement
INSERT INTO t VALUES (1, 'a'), (2, 'b')
-- schema: num_affected_rows:bigint, num_inserted_rows:bigint
2 | 2

-- statement
%python
names = ["x", "y"]
for name in names:
    print(f"name {name}")
len(names)
-- output
name x
name y
2

-- statement
%python
names.append("z")
dbutils.widgets.text("which", "b")
",".join(names)
-- output
'x,y,z'

-- statement: a widget of Python
SELECT name FROM t WHERE name = :which
-- schema: name:string
b

-- statement
%run ./other $count="1"
-- output
1

-- statement
%python
1 / 0
-- error CELL_FAILED 38000
The cell failed in line 37: ZeroDivisionError: division by zero

-- statement
%sh ls
-- error CELL_NOT_RUN 0A000
%sh does not run here. It runs programs of this machine. Allow it by --allow-shell, or leave the cell out.

-- statement
SELECT count(*) AS n FROM t
-- schema: n:bigint
2
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    (tmp_path / "other.sql").write_text(OTHER, encoding="utf-8")
    path = tmp_path / "notebook.sql"
    path.write_text(NOTEBOOK, encoding="utf-8")
    return path


def test_cells_are_recorded(notebook: Path) -> None:
    outcome = run_file(notebook)
    assert (outcome.defects, outcome.warnings) == ((), ())
    assert outcome.actual == RECORDED
    outcome.accept()
    assert run_file(notebook).ok


def test_another_output_is_a_failure(notebook: Path) -> None:
    run_file(notebook).accept()
    notebook.write_text(NOTEBOOK.replace("name {name}", "{name}"), encoding="utf-8")
    (failure,) = run_file(notebook).failures
    assert failure.line == 13
    assert "-name x\n-name y\n+x\n+y" in failure.diff


@pytest.mark.spark
def test_cells_have_spark(notebook: Path) -> None:
    notebook.write_text(
        "-- Databricks notebook source\nSELECT 1 AS one\n-- COMMAND ----------\n-- MAGIC %python\n"
        "-- MAGIC display(_sqldf)\n-- MAGIC spark.sql('SELECT 2 AS two').collect()[0].two\n",
        encoding="utf-8",
    )
    outcome = run_file(notebook)
    assert outcome.actual.endswith("-- output\n1\n2\n")
