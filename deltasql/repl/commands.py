"""The commands that begin with a backslash. A new one is one entry of COMMANDS: help and completion have it then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from deltasql.errors.usage import UnknownCommandError, UnknownFormatError
from deltasql.render import FORMATS


class Shell(Protocol):
    """What a command may change of the shell that runs it."""

    style: str
    timing: bool

    def say(self, text: str) -> None:
        """Prints a line for the user."""


def _stay(_: Shell) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Effect:
    """What a command does: `sql` is run and shown first, then `act`, which tells whether the shell goes on."""

    sql: str = ""
    act: Callable[[Shell], bool] = _stay


@dataclass(frozen=True, slots=True)
class Command:
    r"""One command of the shell: `\name arguments`.

    `does` gives the effect of an argument, "" for none. `words` do the same without a backslash, `aliases` with one;
    `values` are what the argument may be, where that is a list.
    """

    name: str
    arguments: str
    help: str
    does: Callable[[str], Effect]
    aliases: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    def help_line(self) -> str:
        """The command's line in the list of all."""
        return f"{f'{self.typed} {self.arguments}':13} {self.help}"

    @property
    def typed(self) -> str:
        """The command as it is typed."""
        return "\\" + self.name


def command_of(text: str) -> Effect | None:
    """What the command does that `text` is, or None for SQL. Raises UnknownCommandError, UnknownFormatError."""
    stripped = text.strip().rstrip(";").strip()
    for command in COMMANDS:
        if stripped.lower() in command.words:
            return command.does("")
    if not stripped.startswith("\\"):
        return None
    name, _, argument = stripped[1:].partition(" ")
    return _found(name, bool(argument.strip())).does(argument.strip())


def _found(name: str, has_argument: bool) -> Command:
    """The command called `name`; of two, the one that takes an argument where there is one."""
    found = [command for command in COMMANDS if name in {command.name, *command.aliases}]
    if not found:
        raise UnknownCommandError(command="\\" + name)
    return next((command for command in found if bool(command.arguments) == has_argument), found[0])


def _show_tables(pattern: str) -> Effect:
    """`orders*` searches the current schema, `s.orders*` the schema s."""
    if not pattern:
        return Effect("SHOW TABLES")
    schema, dot, rest = pattern.partition(".")
    if dot and schema and "*" not in schema:
        return Effect(f"SHOW TABLES IN {schema} LIKE {_text(rest or '*')}")
    return Effect(f"SHOW TABLES LIKE {_text(pattern)}")


def _text(value: str) -> str:
    return "'" + value.strip("'").replace("\\", "\\\\").replace("'", "\\'") + "'"


def _leave(_: Shell) -> bool:
    return False


def _help(shell: Shell) -> bool:
    lines = [command.help_line() for command in COMMANDS]
    shell.say("\n".join((*lines, "", *_ON_INPUT)))
    return True


def _toggle_timing(shell: Shell) -> bool:
    shell.timing = not shell.timing
    shell.say(f"Timing is {'on' if shell.timing else 'off'}.")
    return True


def _choose(style: str) -> Effect:
    if style and style not in FORMATS:
        raise UnknownFormatError(style=style, known=FORMATS)

    def choose(shell: Shell) -> bool:
        shell.style = style or shell.style
        shell.say(f"Format is {shell.style}.")
        return True

    return Effect(act=choose)


COMMANDS = (
    Command("d", "", "tables of the current schema", lambda _: Effect("SHOW TABLES")),
    Command("d", "TABLE", "columns of a table", lambda table: Effect(f"DESCRIBE TABLE {table}")),
    Command("dt", "[LIKE]", "tables; LIKE is a pattern of * and |, or a schema and a pattern: s.*", _show_tables),
    Command("l", "", "schemas", lambda _: Effect("SHOW SCHEMAS")),
    Command("format", "[F]", f"how rows are printed: {', '.join(FORMATS)}", _choose, values=FORMATS),
    Command("timing", "", "tell how long statements take, or stop telling", lambda _: Effect(act=_toggle_timing)),
    Command("?", "", "this list (also: help)", lambda _: Effect(act=_help), aliases=("h", "help"), words=("help",)),
    Command("q", "", "leave (also: exit, quit, Ctrl-D)", lambda _: Effect(act=_leave), words=("exit", "quit")),
)
"""The commands in the order in which help lists them."""

_ON_INPUT = (
    "A statement may take many lines and ends with ;",
    "Ctrl-C gives up the input, or cancels the statement that runs.",
)
