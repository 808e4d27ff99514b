"""Schedules as they are read, and run over metadata: no rows, no JVM."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from deltasql import Session, connect
from deltasql.base.errors import ScheduleError, UnknownDirectiveError
from deltasql.clients.golden import GoldenOutcome, run_file
from deltasql.clients.golden.compare import DirectivePosition
from deltasql.clients.golden.parallel import run_suite
from deltasql.clients.golden.record import ScheduleText
from deltasql.clients.golden.schedules.schedule import interleavings, read_schedules
from deltasql.log.commit import transaction

HEAD = "-- log: off\n\nCREATE TABLE t (id INT) TBLPROPERTIES ('delta.isolationLevel' = '{level}');\n"
BODY = """
-- session: A
ALTER TABLE t SET TBLPROPERTIES ('who' = 'a');
-- session: B
ALTER TABLE t SET TBLPROPERTIES ('who' = 'b');
-- check:
SHOW TBLPROPERTIES t;
"""
PLACE = DirectivePosition(Path("x.sql"), 7)


def golden(tmp_path: Path, text: str) -> GoldenOutcome:
    path = tmp_path / "x.sql"
    path.write_text(text)
    return run_file(path)


def scenario(tmp_path: Path, *schedules: str, level: str = "WriteSerializable", body: str = BODY) -> GoldenOutcome:
    lines = "".join(f"-- schedule: {schedule}\n" for schedule in schedules)
    return golden(tmp_path, HEAD.format(level=level) + body + lines)


def outcomes(outcome: GoldenOutcome) -> list[str]:
    found = (line for line in outcome.actual.splitlines() if line.startswith("-- outcome: "))
    return [line.removeprefix("-- outcome: ") for line in found]


def outcome_of(tmp_path: Path, schedule: str, **more: str) -> str:
    outcome = scenario(tmp_path, schedule, **more)
    assert not outcome.defects
    return outcomes(outcome)[0]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("begin A, commit A, begin B, commit B", "A ok v1 | B ok v2 | as A, B"),
        ("BEGIN B, Commit B, begin A, commit A", "B ok v1 | A ok v2 | as B, A"),
        ("begin A, begin B, commit B, commit A", "B ok v1 | A DELTA_METADATA_CHANGED needed | as B"),
        ("begin A, abort A", "A aborted | as set up"),
        ("begin A, begin B, abort A, commit B", "A aborted | B ok v1 | as B"),
        ("begin A, begin B, crash A, commit B", "A crashed | B ok v1 | as B"),
        ("begin A, commit A unanswered", "A ok v1 | as A"),
        ("begin A, commit A unsent, begin B, commit B", "A ok v1 | B ok v2 | as A, B"),
        ("begin A, begin B, commit A unanswered, commit B", "A ok v1 | B DELTA_METADATA_CHANGED needed | as A"),
        ("begin A, begin B, commit A behind B", "B ok v1 | A DELTA_METADATA_CHANGED needed | as B"),
    ],
)
@pytest.mark.parametrize("level", ["WriteSerializable", "Serializable"])
def test_outcomes(tmp_path: Path, schedule: str, expected: str, level: str) -> None:
    assert outcome_of(tmp_path, schedule, level=level) == expected


def test_each_schedule_starts_from_the_setup(tmp_path: Path) -> None:
    outcome = scenario(tmp_path, "begin A, commit A", "begin B, commit B")
    assert outcomes(outcome) == ["A ok v1 | as A", "B ok v1 | as B"]
    assert outcome.actual.count("who | a") == outcome.actual.count("who | b") == 1


def test_all_is_every_interleaving() -> None:
    assert [len(list(interleavings(steps))) for steps in ({"A": 1}, {"A": 1, "B": 1}, {"A": 1, "B": 1, "C": 1})] == [
        1,
        6,
        90,
    ]
    moves = [" ".join(map(str, moves)) for moves in interleavings({"A": 2})]
    assert moves == ["begin A commit A begin A commit A"]
    assert len({str(item) for item in read_schedules(ScheduleText("ALL", "", PLACE), {"A": 1, "B": 2})}) == 15


def test_too_many_interleavings_are_refused_with_their_number() -> None:
    with pytest.raises(ScheduleError, match="all comes to 2520 schedules, and 100 is the most") as caught:
        read_schedules(ScheduleText("all", "", PLACE), dict.fromkeys("ABCD", 1))
    assert (caught.value.condition, caught.value.sqlstate) == ("INVALID_GOLDEN_SCHEDULE", "42601")
    assert "x.sql, line 7" in caught.value.message


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("begin A, begin X", "There is no session X in 'begin X'. Sessions are: A, B"),
        ("begin A, commit A behind X", "There is no session X"),
        ("begin a", "There is no session a"),
        ("commit A", "'commit A' comes without 'begin A'"),
        ("begin A, commit A, abort A", "'abort A' comes without 'begin A'"),
        ("begin A, commit A behind B", "comes without 'begin B'"),
        ("begin A, commit A behind A", "cannot be behind itself"),
        ("begin A", "'begin A' is without an end"),
        ("begin A, begin A", "comes before the end of what A has begun"),
        ("begin A, commit A, begin A, commit A", "finds no statement left: session A has 1"),
        ("begin A, abort A unsent", "only a commit can be unsent"),
        ("begin A, comit A", "'comit A' is no move. Moves are: begin A, commit A"),
        ("begin A; commit A", "'begin A; commit A' is no move"),
        ("begin A,, commit A", "'' is no move"),
    ],
)
def test_schedules_that_cannot_be(tmp_path: Path, schedule: str, problem: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        scenario(tmp_path, schedule)
    assert problem in caught.value.message
    assert "x.sql, line 11" in caught.value.message


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("CREATE TABLE t (id INT);\n-- schedule: all\n", "need one query, after '-- check:'"),
        (HEAD + BODY, "'-- schedule: …'"),
        ("-- check:\nSHOW TABLES;\n-- schedule: all\n", "needs statements after '-- session: A'"),
        (HEAD + BODY + "SHOW TABLES;\n-- schedule: all\n", "The statement belongs to no session"),
        (HEAD + BODY + "-- check:\nSHOW TABLES;\n-- schedule: all\n", "need one query"),
        ("-- levels: Serializable\n" + HEAD + BODY + "-- schedule: all\n", "no statement has ${LEVEL}"),
    ],
)
def test_scenarios_that_lack_something(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        golden(tmp_path, text.replace("{level}", "Serializable"))
    assert problem in caught.value.message


@pytest.mark.parametrize(
    "directive",
    ["shedule: all", "sessions: A", "session: A B", "Checks:", "schedule:", "level: x", "logs: off", "check: t"],
)
def test_a_misspelt_directive_is_no_comment(tmp_path: Path, directive: str) -> None:
    with pytest.raises(UnknownDirectiveError) as caught:
        scenario(tmp_path, f"all\n-- {directive}")
    assert caught.value.line == 12
    assert "schedule: all | begin <session>" in caught.value.message


def test_prose_with_a_colon_stays_a_comment(tmp_path: Path) -> None:
    assert len(outcomes(scenario(tmp_path, "begin A, commit A\n-- Note: so it is.\n-- todo: more"))) == 1


def test_levels_run_everything_once_each(tmp_path: Path) -> None:
    text = "-- levels: Serializable, writeserializable\n" + HEAD.format(level="${LEVEL}") + BODY
    outcome = golden(tmp_path, text + "-- name: alone\n-- schedule: begin A, commit A\n")
    assert outcome.actual.count("-- schedule: alone (Serializable)\nbegin A, commit A\n") == 1
    assert outcome.actual.count("delta.isolationLevel | WriteSerializable") == 1
    assert "-- statement (writeserializable)\nCREATE TABLE t (id INT)" in outcome.actual
    assert outcome.statements == 4


def test_a_setup_that_fails_is_a_defect(tmp_path: Path) -> None:
    outcome = scenario(tmp_path, "all", level="SnapshotIsolation")
    assert "DELTA_INVALID_ISOLATION_LEVEL" in outcome.defects[0]


def test_sessions_with_several_statements(tmp_path: Path) -> None:
    body = BODY.replace("-- session: B", "ALTER TABLE t UNSET TBLPROPERTIES ('who');\n-- session: B")
    schedule = "begin A, commit A, begin B, begin A, commit A, commit B"
    assert outcome_of(tmp_path, schedule, body=body).startswith("A1 ok v1 | A2 ok v2 | B DELTA_METADATA_CHANGED")


def test_a_statement_that_fails_at_its_begin_leaves_the_rest_alone(tmp_path: Path) -> None:
    body = BODY.replace("ALTER TABLE t SET TBLPROPERTIES ('who' = 'a')", "ALTER TABLE nope DROP COLUMN x")
    schedule = "begin A, begin B, commit A, commit B"
    assert outcome_of(tmp_path, schedule, body=body) == "A TABLE_OR_VIEW_NOT_FOUND at begin | B ok v1 | as B"


def test_commits_to_several_tables_are_not_judged(tmp_path: Path) -> None:
    body = BODY.replace("-- session: A", "CREATE TABLE o (id INT);\n-- session: A").replace(
        "TABLE t SET", "TABLE o SET", 1
    )
    schedule = "begin A, begin B, commit A, commit B"
    assert outcome_of(tmp_path, schedule, body=body) == "A ok v1 | B ok v1 | not checked: commits to 2 tables"


def test_many_statements_are_not_judged(tmp_path: Path) -> None:
    more = "".join(f"ALTER TABLE t SET TBLPROPERTIES ('n' = '{number}');\n" for number in range(5))
    body = BODY.replace("-- session: B", f"{more}-- session: B")
    schedule = ", ".join(["begin A, commit A"] * 5)
    assert outcome_of(tmp_path, schedule, body=body).endswith("A5 ok v5 | as A1, A2, A3, A4, A5")
    assert outcome_of(tmp_path, f"begin B, {schedule}, abort B", body=body).endswith(
        "B aborted | as A1, A2, A3, A4, A5"
    )
    assert outcome_of(tmp_path, f"begin B, {schedule}, commit B", body=body).endswith("not checked: 6 statements")


def test_a_fault_that_meets_no_put_is_a_defect(tmp_path: Path) -> None:
    body = BODY.replace("ALTER TABLE t SET TBLPROPERTIES ('who' = 'a')", "DESCRIBE TABLE t")
    outcome = scenario(tmp_path, "begin A, commit A unsent", body=body)
    assert "'commit A unsent': it put no commit" in outcome.defects[0]


@pytest.fixture
def blind_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that finds no conflicts."""
    monkeypatch.setattr(transaction, "table_conflict", lambda *_: None)


@pytest.mark.usefixtures("blind_checker")
def test_rows_of_no_serial_order_fail_the_file_whatever_it_expects(tmp_path: Path) -> None:
    """Both commit their whole metadata, so that the first one's column is lost."""
    body = """
-- session: A
ALTER TABLE t ADD COLUMN a INT;
-- session: B
ALTER TABLE t ADD COLUMN b INT;
-- check:
DESCRIBE TABLE t;
"""
    outcome = scenario(tmp_path, "begin A, begin B, commit A, commit B", body=body)
    assert outcomes(outcome) == ["A ok v1 | B ok v2 | as no serial order"]
    assert "no serial order that WriteSerializable allows" in outcome.defects[0]
    outcome.accept()
    again = run_file(outcome.path)
    assert again.expected == again.actual
    assert not again.ok
    told = io.StringIO()
    assert not run_suite(tmp_path, accept=True, out=told)
    assert "FAIL" in told.getvalue()


def test_a_golden_file_is_written_and_held_against(tmp_path: Path) -> None:
    outcome = scenario(tmp_path, "all")
    assert run_suite(tmp_path, accept=True, out=io.StringIO())
    assert run_file(outcome.path).ok
    text = outcome.path.with_suffix(".out").read_text()
    outcome.path.with_suffix(".out").write_text(text.replace("A ok v1 | B ok v2", "B ok v1 | A ok v2", 1))
    diff = run_file(outcome.path).diff
    assert "-begin" not in diff
    assert "- -- outcome" not in diff
    assert "--- outcome: B ok v1 | A ok v2 | as A, B" in diff
    assert "+-- outcome: A ok v1 | B ok v2 | as A, B" in diff


def test_sessions_are_all_closed(tmp_path: Path) -> None:
    opened: list[Session] = []

    def factory(warehouse: str) -> Session:
        opened.append(connect(warehouse=warehouse))
        return opened[-1]

    path = tmp_path / "x.sql"
    path.write_text(HEAD.format(level="Serializable") + BODY + "-- schedule: begin A, crash A, begin B, commit B\n")
    assert not run_file(path, factory).defects
    assert opened
    assert not any(session.spark_started for session in opened)
