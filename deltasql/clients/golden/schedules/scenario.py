"""The scenario of a file with schedules: a setup, sessions, a check, and the schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deltasql.clients.golden.schedules.schedule import Schedule, read_schedules
from deltasql.clients.golden.script import GoldenScript, GoldenStatement


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """One statement of a session. `label` is the session's name, with a number where it has several statements."""

    label: str
    statement: GoldenStatement


@dataclass(frozen=True, slots=True)
class Scenario:
    """Statements and schedules to run. `levels` are the values of `${LEVEL}` to run all with; ("",) without any."""

    setup: tuple[GoldenStatement, ...]
    steps: Mapping[str, tuple[ScenarioStep, ...]]
    check: GoldenStatement
    schedules: tuple[Schedule, ...]
    levels: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text of all statements."""
        return ";\n".join(item.text for item in (*self.setup, *self.statements.values(), self.check))

    @property
    def statements(self) -> Mapping[str, GoldenStatement]:
        """The statements of all sessions by their labels."""
        return {step.label: step.statement for mine in self.steps.values() for step in mine}


def read_scenario(script: GoldenScript) -> Scenario:
    """The scenario of a script with schedules or sessions. Raises ScheduleError."""
    setup, mine, checks = _parts(script.statements)
    _refuse_unusable(script, mine, checks)
    counts = {session: len(statements) for session, statements in mine.items()}
    return Scenario(
        tuple(setup),
        {session: _labelled(session, statements) for session, statements in mine.items()},
        checks[0],
        tuple(schedule for text in script.schedules for schedule in read_schedules(text, counts)),
        script.levels or ("",),
    )


def _refuse_unusable(
    script: GoldenScript, mine: Mapping[str, list[GoldenStatement]], checks: Sequence[GoldenStatement]
) -> None:
    """Raises ScheduleError for a script without check, sessions or schedules, or with levels but no `${LEVEL}`."""
    position = (script.statements[0] if script.statements else script.schedules[0]).position
    if len(checks) != 1:
        raise position.error("Schedules need one query, after '-- check:', that tells what they came to")
    if not mine or not script.schedules:
        raise position.error("A scenario needs statements after '-- session: A', and a '-- schedule: …'")
    if script.levels and not any("${LEVEL}" in item.text for item in script.statements):
        raise position.error("There are levels, but no statement has ${LEVEL}")


def _parts(
    statements: Sequence[GoldenStatement],
) -> tuple[list[GoldenStatement], dict[str, list[GoldenStatement]], list[GoldenStatement]]:
    """Setup, statements by session, and statements after `-- check:`. Raises ScheduleError."""
    setup: list[GoldenStatement] = []
    mine: dict[str, list[GoldenStatement]] = {}
    checks: list[GoldenStatement] = []
    for statement in statements:
        if statement.options.check:
            checks.append(statement)
        elif statement.options.session:
            mine.setdefault(statement.options.session, []).append(statement)
        elif mine or checks:
            raise statement.position.error("The statement belongs to no session. The setup comes before the sessions")
        else:
            setup.append(statement)
    return setup, mine, checks


def _labelled(session: str, statements: Sequence[GoldenStatement]) -> tuple[ScenarioStep, ...]:
    if len(statements) == 1:
        return (ScenarioStep(session, statements[0]),)
    return tuple(ScenarioStep(f"{session}{number}", statement) for number, statement in enumerate(statements, 1))
