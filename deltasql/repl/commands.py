"""The commands that begin with a backslash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from deltasql.errors.usage import UnknownCommandError, UnknownFormatError
from deltasql.render import FORMATS

HELP = (
    """\
\\d            tables of the current schema
\\d TABLE      columns of a table
\\dt [LIKE]    tables; LIKE is a pattern of * and |, or a schema and a pattern: s.*
\\l            schemas
\\format [F]   how rows are printed: """
    + ", ".join(FORMATS)
    + """
\\timing       tell how long statements take, or stop telling
\\?            this list (also: help)
\\q            leave (also: exit, quit, Ctrl-D)

A statement may take many lines and ends with ;
Ctrl-C gives up the input, or cancels the statement that runs."""
)


class Shell(Protocol):
    """What a command may change of the shell that runs it."""

    style: str
    timing: bool

    def say(self, text: str) -> None:
        """Prints a line for the user."""


def _stay(_: Shell) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Command:
    """What a command does: `sql` is run and shown first, then `act`, which tells whether the shell goes on."""

    sql: str = ""
    act: Callable[[Shell], bool] = _stay


def command_of(text: str) -> Command | None:
    """The command that `text` is, or None for SQL. Raises UnknownCommandError, UnknownFormatError."""
    stripped = text.strip().rstrip(";").strip()
    if stripped.lower() in {"exit", "quit"}:
        return Command(act=_leave)
    if stripped.lower() == "help":
        return Command(act=_help)
    if not stripped.startswith("\\"):
        return None
    name, _, argument = stripped[1:].partition(" ")
    return _named(name, argument.strip())


def _named(name: str, argument: str) -> Command:
    match name:
        case "q":
            return Command(act=_leave)
        case "?" | "h" | "help":
            return Command(act=_help)
        case "timing":
            return Command(act=_toggle_timing)
        case "format":
            return Command(act=_choose(argument))
        case "l":
            return Command("SHOW SCHEMAS")
        case "d" if argument:
            return Command(f"DESCRIBE TABLE {argument}")
        case "d" | "dt":
            return Command(_show_tables(argument))
        case _:
            raise UnknownCommandError(command="\\" + name)


def _show_tables(pattern: str) -> str:
    """`orders*` searches the current schema, `s.orders*` the schema s."""
    if not pattern:
        return "SHOW TABLES"
    schema, dot, rest = pattern.partition(".")
    if dot and schema and "*" not in schema:
        return f"SHOW TABLES IN {schema} LIKE {_text(rest or '*')}"
    return f"SHOW TABLES LIKE {_text(pattern)}"


def _text(value: str) -> str:
    return "'" + value.strip("'").replace("\\", "\\\\").replace("'", "\\'") + "'"


def _leave(_: Shell) -> bool:
    return False


def _help(shell: Shell) -> bool:
    shell.say(HELP)
    return True


def _toggle_timing(shell: Shell) -> bool:
    shell.timing = not shell.timing
    shell.say(f"Timing is {'on' if shell.timing else 'off'}.")
    return True


def _choose(style: str) -> Callable[[Shell], bool]:
    if style and style not in FORMATS:
        raise UnknownFormatError(style=style, known=FORMATS)

    def choose(shell: Shell) -> bool:
        shell.style = style or shell.style
        shell.say(f"Format is {shell.style}.")
        return True

    return choose
