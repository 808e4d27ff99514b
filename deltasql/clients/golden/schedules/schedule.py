"""Schedules, the order in which the statements of several sessions begin and end, and the scenario of a file.

A scenario is a setup, sessions, a check, and the schedules.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from typing_extensions import assert_never

from deltasql.clients.golden.compare import DirectivePosition
from deltasql.clients.golden.record import GoldenScript, GoldenStatement, ScheduleText

MOST_SCHEDULES = 100
"""Most schedules of `all`: three sessions of one statement have 90, and each runs every statement once."""


class Verb(str, Enum):
    """Step of a session: BEGIN starts its next statement, the others end the one that runs."""

    BEGIN = "begin"
    COMMIT = "commit"
    ABORT = "abort"
    CRASH = "crash"


class Fault(str, Enum):
    """Fault injected into the put of a commit."""

    NONE = ""
    UNSENT = "unsent"
    UNANSWERED = "unanswered"
    BEHIND = "behind"


@dataclass(frozen=True, slots=True)
class Move:
    """BEGIN a | COMMIT a [unsent | unanswered | behind b] | ABORT a | CRASH a

    `unsent`: the put of the commit times out before anything is stored. `unanswered`: after. `behind b`: b commits
    between the last read of the log and the put, so that the version exists already.
    """

    verb: Verb
    session: str
    fault: Fault = Fault.NONE
    winner: str = ""

    @property
    def sessions(self) -> tuple[str, ...]:
        return (self.session, self.winner) if self.winner else (self.session,)

    def __str__(self) -> str:
        return " ".join(part for part in (self.verb.value, self.session, self.fault.value, self.winner) if part)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The moves of one run, in order."""

    moves: tuple[Move, ...]
    name: str
    position: DirectivePosition

    def __str__(self) -> str:
        return ", ".join(map(str, self.moves))


_MOVE = re.compile(r"(begin|commit|abort|crash)\s+(\w+)(?:\s+(?:(unsent|unanswered)|(behind)\s+(\w+)))?", re.IGNORECASE)


def read_schedules(text: ScheduleText, steps: Mapping[str, int]) -> list[Schedule]:
    """The schedules of one directive. `steps` are numbers of statements by session. Raises ScheduleError."""
    if text.text.lower() != "all":
        moves = tuple(_move(part.strip(), text.position) for part in text.text.split(","))
        _check(moves, steps, text.position)
        return [Schedule(moves, text.name, text.position)]
    number = _number_of_interleavings(steps)
    if number > MOST_SCHEDULES:
        problem = f"all comes to {number} schedules, and {MOST_SCHEDULES} is the most. Write down those that matter"
        raise text.position.error(problem)
    return [Schedule(moves, text.name, text.position) for moves in interleavings(steps)]


def interleavings(steps: Mapping[str, int]) -> Iterator[tuple[Move, ...]]:
    """Every order of the begins and commits in which each session runs its statements one after another."""
    left = {session: 2 * number for session, number in steps.items()}
    return _interleaved(left, ())


def _interleaved(left: Mapping[str, int], moves: tuple[Move, ...]) -> Iterator[tuple[Move, ...]]:
    if not any(left.values()):
        yield moves
    for session, number in left.items():
        if number:
            move = Move(Verb.COMMIT if number % 2 else Verb.BEGIN, session)
            yield from _interleaved({**left, session: number - 1}, (*moves, move))


def _number_of_interleavings(steps: Mapping[str, int]) -> int:
    lengths = [2 * number for number in steps.values()]
    return math.factorial(sum(lengths)) // math.prod(map(math.factorial, lengths))


def _move(text: str, position: DirectivePosition) -> Move:
    match = _MOVE.fullmatch(text)
    if match is None:
        raise position.error(
            f"'{text}' is no move. Moves are: begin A, commit A, abort A, crash A, "
            "commit A unsent, commit A unanswered, commit A behind B",
        )
    fault = Fault((match[3] or match[4] or "").lower())
    return Move(Verb(match[1].lower()), match[2], fault, match[5] or "")


def _check(moves: tuple[Move, ...], steps: Mapping[str, int], position: DirectivePosition) -> None:
    """Raises ScheduleError for a sequence of moves that is impossible."""
    begun: Counter[str] = Counter()
    running: dict[str, bool] = {}
    for move in moves:
        for session in move.sessions:
            if session not in steps:
                raise position.error(f"There is no session {session} in '{move}'. Sessions are: {', '.join(steps)}")
        match move.verb:
            case Verb.BEGIN:
                _check_begin(move, running, begun, steps, position)
                begun[move.session] += 1
                running[move.session] = True
            case Verb.COMMIT | Verb.ABORT | Verb.CRASH:
                _check_end(move, running, position)
                running.update(dict.fromkeys(move.sessions, False))
            case _:
                assert_never(move.verb)
    for session, runs in running.items():
        if runs:
            raise position.error(f"'begin {session}' is without an end. Add commit, abort or crash")


def _check_begin(
    move: Move,
    running: Mapping[str, bool],
    begun: Mapping[str, int],
    steps: Mapping[str, int],
    position: DirectivePosition,
) -> None:
    if running.get(move.session):
        raise position.error(f"'{move}' comes before the end of what {move.session} has begun")
    if begun[move.session] == steps[move.session]:
        number = steps[move.session]
        raise position.error(f"'{move}' finds no statement left: session {move.session} has {number}")


def _check_end(move: Move, running: Mapping[str, bool], position: DirectivePosition) -> None:
    if move.fault is not Fault.NONE and move.verb is not Verb.COMMIT:
        raise position.error(f"'{move}': only a commit can be {move.fault.value}")
    for session in move.sessions:
        if not running.get(session):
            raise position.error(f"'{move}' comes without 'begin {session}'")
    if move.session == move.winner:
        raise position.error(f"'{move}': a commit cannot be behind itself")


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
