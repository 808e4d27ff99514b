"""Scripts over a session that writes down what it is asked: what runs, in which order, and what is left in the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import pyarrow as pa
import pytest

from deltasql.base.errors import SignalledError, TableNotFoundError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.files.result import Result
from deltasql.schema.types import BOOLEAN, INTEGER, StructField, StructType
from deltasql.session.script.interpreter import run_script
from deltasql.session.script.tree import ExecutedStatement, ResultRows, RunningScript
from deltasql.sql.postfix import BoundStatement

NUMBERS = ResultRows(StructType((StructField("n", INTEGER),)), pa.table({"n": pa.array([1, 2, 3], pa.int32())}))


@dataclass
class Session:
    """A session in Spark's place. `answers` are the values of conditions, one after another; `fails` raises."""

    answers: list[bool] = field(default_factory=list)
    fails: dict[str, BaseException] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    lock: Any = field(default_factory=Lock)
    running: list[RunningScript] = field(default_factory=list)

    def run(self, part: BoundStatement, named: Callable[[str], str] = str) -> ExecutedStatement:
        for text, error in self.fails.items():
            if text in part.sql:
                raise error
        if part.sql.startswith("SELECT ("):
            found = self.answers.pop(0)
            return ExecutedStatement(Result.of(StructType((StructField("c", BOOLEAN),)), ((found,),)), True)
        self.done.append(part.sql)
        rows = ((part.sql,),) if part.sql.startswith("SELECT") else ()
        return ExecutedStatement(Result.of(NUMBERS.schema, rows), bool(rows))

    def rows(self, part: BoundStatement) -> ResultRows:
        self.done.append(part.sql)
        return NUMBERS

    def command(self, sql: str) -> None:
        self.done.append(sql)

    def variables_lock(self) -> Any:
        return self.lock

    def assign(self, variables: Sequence[str], row: ResultRows) -> None:
        self.done.append(f"{', '.join(variables)} = {row.table['n'][0].as_py()}")

    def has_variable(self, name: str) -> bool:
        return False

    def within(self, namespace: tuple[str, str] | None) -> Any:
        return nullcontext()


def run(script: str, **how: Any) -> list[str]:
    """What the session was asked, but for conditions."""
    session = Session(**how)
    run_script(BoundStatement(script), session)
    assert not session.answers
    return session.done


def missing(name: str = "t") -> TableNotFoundError:
    return TableNotFoundError(name, "Look for it.")


@pytest.mark.parametrize(
    ("answers", "ran"),
    [([True], ["SELECT 1"]), ([False, True], ["SELECT 2"]), ([False, False], ["SELECT 3"])],
)
def test_one_branch_runs(answers: list[bool], ran: list[str]) -> None:
    script = "BEGIN IF a THEN SELECT 1; ELSEIF b THEN SELECT 2; ELSE SELECT 3; END IF; END"
    assert run(script, answers=answers) == ran


def test_loops_end_by_their_conditions_and_their_labels() -> None:
    assert run("BEGIN WHILE a DO SELECT 1; END WHILE; END", answers=[True, True, False]) == ["SELECT 1"] * 2
    assert run("BEGIN REPEAT SELECT 1; UNTIL a END REPEAT; END", answers=[False, True]) == ["SELECT 1"] * 2
    nested = """BEGIN
      round: LOOP
        LOOP
          IF a THEN ITERATE round; END IF;
          SELECT 1;
          LEAVE round;
        END LOOP;
      END LOOP;
      SELECT 2;
    END"""
    assert run(nested, answers=[True, True, False]) == ["SELECT 1", "SELECT 2"]


def test_the_result_is_that_of_the_last_query() -> None:
    script = "BEGIN SELECT 1; IF TRUE THEN SELECT 2; END IF; TRUNCATE TABLE t; END"
    assert run_script(BoundStatement(script), Session()).collect() == [("SELECT 2",)]


def test_variables_live_as_long_as_their_block() -> None:
    done = run("BEGIN DECLARE a INT DEFAULT 1; BEGIN DECLARE b INT; SELECT a; END; SELECT 2; END")
    assert [text.partition(" DEFAULT")[0] for text in done] == [
        "DECLARE OR REPLACE VARIABLE a INT",
        "DECLARE OR REPLACE VARIABLE b INT",
        "SELECT a",
        "DROP TEMPORARY VARIABLE IF EXISTS b",
        "SELECT 2",
        "DROP TEMPORARY VARIABLE IF EXISTS a",
    ]


def test_for_gives_each_row_to_its_variables() -> None:
    done = run("BEGIN l: FOR r AS SELECT n FROM t DO IF a THEN LEAVE l; END IF; END FOR; END", answers=[False, True])
    assert done == [
        "SELECT n FROM t",
        "DECLARE OR REPLACE VARIABLE n INT",
        "session.n = 1",
        "session.n = 2",
        "DROP TEMPORARY VARIABLE IF EXISTS n",
    ]


def test_cursors_are_read_row_by_row() -> None:
    script = """BEGIN
      DECLARE n INT;
      DECLARE c CURSOR FOR SELECT n FROM t;
      OPEN c; FETCH c INTO n; FETCH NEXT FROM c INTO n; CLOSE c;
    END"""
    assert [text for text in run(script) if "=" in text] == ["session.n = 1", "session.n = 2"]


@pytest.mark.parametrize(
    ("handler", "goes_on"),
    [
        ("CONTINUE HANDLER FOR SQLEXCEPTION", True),
        ("EXIT HANDLER FOR SQLEXCEPTION", False),
        ("CONTINUE HANDLER FOR TABLE_OR_VIEW_NOT_FOUND", True),
        ("EXIT HANDLER FOR SQLSTATE '42P01'", False),
    ],
)
def test_a_handler_takes_the_error(handler: str, goes_on: bool) -> None:
    script = f"BEGIN BEGIN DECLARE {handler} SELECT 'handled'; DROP TABLE t; SELECT 1; END; SELECT 2; END"
    expected = ["SELECT 'handled'", *(["SELECT 1"] if goes_on else []), "SELECT 2"]
    assert run(script, fails={"DROP TABLE": missing()}) == expected


def test_the_most_specific_handler_of_the_innermost_block_takes_it() -> None:
    script = """BEGIN
      DECLARE EXIT HANDLER FOR TABLE_OR_VIEW_NOT_FOUND SELECT 'outer';
      BEGIN
        DECLARE EXIT HANDLER FOR SQLEXCEPTION SELECT 'any';
        DECLARE EXIT HANDLER FOR SQLSTATE '42P01' SELECT 'state';
        DROP TABLE t;
      END;
      SELECT 2;
    END"""
    assert run(script, fails={"DROP TABLE": missing()}) == ["SELECT 'state'", "SELECT 2"]


def test_an_error_nobody_handles_has_its_place_in_the_script() -> None:
    script = "BEGIN\n  SELECT 1;\n  DROP TABLE t;\n  SELECT 2;\nEND"
    session = Session(fails={"DROP TABLE": missing()})
    with pytest.raises(DeltaSqlError) as caught:
        run_script(BoundStatement(script), session)
    assert caught.value.caret is not None
    assert (caught.value.caret.line, caught.value.caret.column) == (3, 3)
    assert session.done == ["SELECT 1"]


def test_resignal_raises_what_is_handled() -> None:
    script = "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 'seen'; RESIGNAL; END; DROP TABLE t; END"
    session = Session(fails={"DROP TABLE": missing()})
    with pytest.raises(TableNotFoundError):
        run_script(BoundStatement(script), session)
    assert session.done == ["SELECT 'seen'"]


def test_a_condition_of_the_script_is_raised_by_its_name() -> None:
    script = "BEGIN DECLARE late CONDITION FOR SQLSTATE '45123'; SIGNAL late; END"
    with pytest.raises(SignalledError) as caught:
        run(script)
    assert caught.value.sqlstate == "45123"


@pytest.mark.parametrize("where", ["SELECT 2", "DROP TABLE"])
def test_ctrl_c_is_no_error_for_handlers(where: str) -> None:
    script = """BEGIN
      DECLARE a INT;
      DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SELECT 2;
      DROP TABLE t;
      SELECT 3;
    END"""
    session = Session(fails={"DROP TABLE": missing(), where: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        run_script(BoundStatement(script), session)
    # The variables go, and other scripts may have theirs.
    assert session.done == ["DECLARE OR REPLACE VARIABLE a INT", "DROP TEMPORARY VARIABLE IF EXISTS a"]
    assert not session.lock.locked()


def test_names_and_versions_may_come_from_variables() -> None:
    texts = ("DROP TABLE IDENTIFIER(place || '.t')", "RESTORE t TO VERSION AS OF wanted")
    assert run(f"BEGIN {'; '.join(texts)}; END") == list(texts)
    with pytest.raises(DeltaSqlError) as caught:
        run("BEGIN DROP TABLE IDENTIFIER(place || '.t') nonsense; END")
    assert caught.value.caret is not None
    assert caught.value.caret.start == 43
