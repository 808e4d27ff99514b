"""A `.sql` file as statements with their directives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from deltasql.clients.golden.compare import NO_MASK, Mask
from deltasql.clients.golden.directives import Directive, DirectivePosition, directive
from deltasql.sql.parser import split


@dataclass(frozen=True, slots=True)
class ScriptOptions:
    """Options of a statement from directives: its title, whether its log is shown and rows are sorted, hidden values.

    `session` is the session that runs it, "" for the setup; `check` marks the query that reads a schedule's result.
    """

    name: str = ""
    log: bool = True
    sort: bool = True
    mask: Mask = NO_MASK
    session: str = ""
    check: bool = False


@dataclass(frozen=True, slots=True)
class GoldenStatement:
    """One statement without the comments in front of it."""

    text: str
    options: ScriptOptions
    position: DirectivePosition


@dataclass(frozen=True, slots=True)
class ScheduleText:
    """The unparsed value of a `-- schedule:`, with the `-- name:` before it."""

    text: str
    name: str
    position: DirectivePosition


@dataclass(frozen=True, slots=True)
class GoldenScript:
    """The statements of a file. `jvm` is False for `-- expect: no jvm`; `levels` are the values of `${LEVEL}`."""

    statements: tuple[GoldenStatement, ...]
    jvm: bool
    schedules: tuple[ScheduleText, ...] = ()
    levels: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of all statements."""
        return ";\n".join(statement.text for statement in self.statements)

    @property
    def is_scenario(self) -> bool:
        """Whether the file has schedules, sessions or a check."""
        mine = (item.options for item in self.statements)
        return bool(self.schedules) or any(options.session or options.check for options in mine)


@dataclass(slots=True)
class _Reading:
    """State of directives while a file is read."""

    common: ScriptOptions = ScriptOptions()
    options: ScriptOptions = ScriptOptions()
    jvm: bool = True
    schedules: list[ScheduleText] = field(default_factory=list)
    levels: tuple[str, ...] = ()

    def take(self, directive: Directive, *, whole_file: bool = False) -> None:
        match directive.name:
            case "schedule":
                self.schedules.append(ScheduleText(directive.value, self.options.name, directive.position))
                self.options = replace(self.options, name="")
            case "levels":
                self.levels = tuple(level.strip() for level in directive.value.split(","))
            case "session":
                # A session applies until the next one; all other directives apply to one statement.
                self.common = replace(self.common, session=directive.value)
                self.options = replace(self.options, session=directive.value)
            case "expect":
                self.jvm = False
            case "check":
                self.common = replace(self.common, session="")
                self.options = replace(self.options, session="", check=True)
            case _ if whole_file and directive.name != "name":
                self.common = self.options = _applied(self.common, directive, whole_file)
            case _:
                self.options = _applied(self.options, directive, whole_file)

    def end_statement(self) -> ScriptOptions:
        done, self.options = self.options, self.common
        return done


def read_script(path: Path) -> GoldenScript:
    """The statements of a file.

    A directive applies to the next statement; in a first paragraph of comments, to the whole file. `expect` and
    `levels` always apply to the whole file. Raises UnknownDirectiveError.
    """
    script = path.read_text(encoding="utf-8")
    reading = _Reading()
    statements: list[GoldenStatement] = []
    end = 0
    for number, statement in enumerate(split(script)):
        line = script.count("\n", 0, statement.start) + 1
        # Comments before a statement belong to it, but a first paragraph of them belongs to the file.
        head, text = _leading_comments(statement.text)
        paragraph = _first_paragraph(head) if number == 0 else 0
        for offset, item in _directives(head, path, line):
            reading.take(item, whole_file=offset < paragraph)
        statements.append(GoldenStatement(text, reading.end_statement(), DirectivePosition(path, line + len(head))))
        end = statement.start + len(statement.text)
    for _, item in _directives(script[end:].splitlines(), path, script.count("\n", 0, end) + 1):
        reading.take(item)
    return GoldenScript(tuple(statements), reading.jvm, tuple(reading.schedules), reading.levels)


def expects_no_jvm(path: Path) -> bool:
    """Whether the file has the directive `-- expect: no jvm`."""
    return not read_script(path).jvm


def _directives(comments: Iterable[str], path: Path, line: int) -> Iterator[tuple[int, Directive]]:
    for offset, comment in enumerate(comments):
        item = directive(comment, DirectivePosition(path, line + offset))
        if item is not None:
            yield offset, item


def _leading_comments(text: str) -> tuple[list[str], str]:
    lines = text.splitlines()
    count = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("--")), len(lines))
    return lines[:count], "\n".join(lines[count:])


def _first_paragraph(head: list[str]) -> int:
    return head.index("") if "" in head else 0


def _applied(options: ScriptOptions, directive: Directive, whole_file: bool) -> ScriptOptions:
    on = directive.value.lower() == "on"
    match directive.name:
        case "name":
            return replace(options, name=directive.value)
        case "log":
            return replace(options, log=on)
        case "sort":
            return replace(options, sort=on)
        case "mask":
            return replace(options, mask=options.mask.with_directive(directive, whole_file))
        case _:
            raise AssertionError(directive.name)
