"""The base class of all errors and the one place where their text is made."""

from __future__ import annotations

import linecache
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from types import TracebackType
from typing import Any, ClassVar, TypeVar

from typing_extensions import dataclass_transform

from deltasql.base.errors.secrets import has_secret, without_secrets, without_secrets_of


@dataclass(frozen=True, slots=True)
class Caret:
    """A place in the user's SQL: `sql` is the whole statement, `start`/`end` are character offsets in it.

    The statement may hold secrets, so `repr` leaves it out; `draw` shows it with stars. `owner` names the object of the
    catalog whose text it is, as `PROCEDURE s.p`; "" for the statement that runs.
    """

    sql: str = field(repr=False)
    start: int
    end: int
    owner: str = ""

    @property
    def line(self) -> int:
        """Line number, from 1."""
        return self.sql.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """Column number in its line, from 1."""
        return self.start - (self.sql.rfind("\n", 0, self.start) + 1) + 1

    def draw(self) -> str:
        """The line of SQL that holds the place, with carets below it. Secrets in it are stars.

        A very long line is cut on both sides of the place.
        """
        begin = self.sql.rfind("\n", 0, self.start) + 1
        stop = self.sql.find("\n", self.start)
        stop = len(self.sql) if stop < 0 else stop
        first = begin if stop - begin <= _LONG_LINE else max(begin, self.start - _LONG_LINE // 2)
        last = min(stop, first + _LONG_LINE)
        cut, rest = "…" * (first > begin), "…" * (last < stop)
        width = max(1, min(self.end, last) - self.start)
        # A tab is kept in the padding, so that the carets stand under the text at any tab width.
        padding = "".join("\t" if char == "\t" else " " for char in cut + self.sql[first : self.start])
        line = f"{cut}{without_secrets(self.sql)[first:last]}{rest}"
        owner = f" of {self.owner}" if self.owner else ""
        return f"== SQL{owner} (line {self.line}, position {self.column}) ==\n{line}\n{padding}{'^' * width}"


# Characters of one line that are shown of it.
_LONG_LINE = 1000


class DeltaSqlError(Exception):
    """The base class of all errors of deltasql: catch it to catch every one.

    Attributes: `condition` (Delta's or Spark's name), `sqlstate` (5 characters), `caret` (where, if known), and the
    fields that each subclass declares; `message` is the text without condition, SQLSTATE and caret.
    """

    condition: ClassVar[str] = "DELTA_INTERNAL_ERROR"
    sqlstate: ClassVar[str] = "XXKDS"
    template: ClassVar[str] = ""
    remedy: ClassVar[str] = ""
    """The instruction to the user, for a template without one."""
    caret: Caret | None = None
    note: str = ""
    """Further facts on this failure, appended to the message."""

    def __post_init__(self) -> None:
        self._hide(without_secrets)

    def _hide(self, hidden: Callable[[str], str]) -> None:
        """Removes secrets from the fields, which error reporters print one by one."""
        for name, value in list(vars(self).items()):
            setattr(self, name, _hidden(value, hidden))
        self.args = tuple(_hidden(value, hidden) for value in self.args)

    @property
    def message(self) -> str:
        """One or two sentences: what is wrong with which object, and what to do."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        text = self.template.format(**{name: _Shown(_text(value)) for name, value in values.items()}) + self.note
        text = without_secrets(text)
        return text if self.caret is None else without_secrets_of(self.caret.sql, text)

    @property
    def help(self) -> str:
        """The cause of such errors, their message and the remedy: the text of `help CONDITION` in the shell."""
        return help_text(type(self))

    def at(self, caret: Caret | None) -> DeltaSqlError:
        """This error with its position in the SQL; an existing position stays."""
        self.caret = self.caret or caret
        if self.caret is not None and has_secret(self.caret.sql):
            self._hide(partial(without_secrets_of, self.caret.sql))
        return self

    def moved(self, inner: str, outer: str, start: int) -> DeltaSqlError:
        """This error with its caret in `outer`, if it is in `inner`, the part of `outer` that begins at `start`."""
        if self.caret is not None and self.caret.sql == inner:
            self.caret = Caret(outer, start + self.caret.start, start + self.caret.end)
        return self

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows in place of a traceback."""
        return short_traceback(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes: an exception is pickled by its positional arguments, which ours need not have."""
        return type(self).__new__, (type(self), *self.args), self.__dict__

    def __str__(self) -> str:
        text = f"[{self.condition}] {self.message} SQLSTATE: {self.sqlstate}"
        return text if self.caret is None else f"{text}\n{self.caret.draw()}"


def _hidden(value: Any, hidden: Callable[[str], str]) -> Any:
    """A field's value without secrets: a text, or several."""
    if isinstance(value, str):
        return hidden(value)
    if type(value) is dict:
        return {key: _hidden(item, hidden) for key, item in value.items()}
    if type(value) in {tuple, list}:
        return type(value)(_hidden(item, hidden) for item in value)
    return value


class _Shown(str):
    """A field of a message; in its template `{expected:columns}` is 1 column, or 2 columns."""

    __slots__ = ()

    def __format__(self, things: str) -> str:
        return f"{self!s} {things.removesuffix('s') if self == '1' else things}" if things else str(self)


def counted(number: int, things: str) -> str:
    """A number of `things`, which is a regular plural: 1 column, 2 columns."""
    return format(_Shown(number), things)


def _text(value: object) -> str:
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(str(item) for item in value)
    return str(value)


_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_FIRST = re.compile(r"(.+?[.?])(?:‹\w+›)?\s+(?=[A-Z‹\\'`*])(.*)", re.DOTALL)


def cause_of(error: type[DeltaSqlError]) -> str:
    """The situation in which errors of a class are raised: its docstring, without the sentences about its fields."""
    paragraph = " ".join((vars(error).get("__doc__") or "").split("\n\n")[0].split())
    names = {item.name for item in fields(error)} | {"__cause__"}  # type: ignore[arg-type]
    parts = (part for part in _SENTENCE.split(paragraph) if part)
    return " ".join(part for part in parts if not (part[0] == "`" and part.split("`")[1] in names))


def message_of(error: type[DeltaSqlError]) -> str:
    """The template of a message, with the names of its fields in their places."""
    text = error.template
    for item in fields(error):  # type: ignore[arg-type]
        shown = f"‹{item.name.replace('_', ' ')}›"
        text = re.sub(rf"\{{{item.name}:(\w+)\}}", rf"{shown} \1", text)
        text = re.sub(rf"\{{{item.name}(?:!r)?\}}", shown, text)
    return text.replace("{{", "{").replace("}}", "}")


def problem_and_remedy(error: type[DeltaSqlError]) -> tuple[str, str]:
    """The message, and the instruction to the user: `remedy`, or the sentences of the message after the first one."""
    message = message_of(error)
    match = _FIRST.fullmatch(message)
    return (message, error.remedy) if error.remedy or not match else (match[1], match[2])


def help_text(error: type[DeltaSqlError]) -> str:
    """Condition, cause, message and remedy of a class of errors, a line each."""
    problem, remedy = problem_and_remedy(error)
    parts = {"Cause": cause_of(error), "Message": problem, "What to do": remedy}
    lines = (f"{name}: {text}" for name, text in parts.items() if text)
    return "\n".join((f"{error.condition} (SQLSTATE {error.sqlstate})", *lines))


_Error = TypeVar("_Error", bound=type[DeltaSqlError])


@dataclass_transform(eq_default=False)
def condition(name: str, sqlstate: str, template: str, remedy: str = "") -> Callable[[_Error], _Error]:
    """Class decorator: gives an error class its condition, SQLSTATE and message template.

    The class body declares the typed fields that `template` refers to as `{field}`, and numbers of things, with their
    plural, as `{field:things}`. `remedy` is for a template whose sentences do not say how to correct the statement.
    """

    def declare(cls: _Error) -> _Error:
        cls.condition, cls.sqlstate, cls.template, cls.remedy = name, sqlstate, template, remedy
        # eq=False keeps identity semantics, which raising and chaining rely on.
        return dataclass(eq=False)(cls)  # type: ignore[return-value]

    return declare


# As notebooks show an error: the user's line that raised it, and its text.

MOST_LINES = 10

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120 - a prefix of names, no place on a disk
_RUNS_CELLS = tuple(f"{os.sep}{name}{os.sep}" for name in ("IPython", "ipykernel", "concurrent", "asyncio"))
_MAGIC = "get_ipython().run_"


def short_traceback(error: BaseException) -> list[str]:
    """At most MOST_LINES lines: of a long message the middle is left out, since its end has the caret."""
    lines = [*_user_line(error.__traceback__), *str(error).splitlines()]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 4], "…", *lines[-3:]]
    return lines


def _user_line(trace: TracebackType | None) -> list[str]:
    """The last line of code of the user's own before ours; none for a magic, which has nothing but the statement."""
    lines = list(_user_lines(trace))
    if not lines:
        return []
    file, number = lines[-1]
    code = linecache.getline(file, number).strip()
    if code.startswith(_MAGIC):
        return []
    name = "the cell" if _is_cell(file) else file
    return [f"{name}, line {number}: {code}".rstrip(": ")]


def _user_lines(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(_PACKAGE + os.sep):
            return
        if not any(part in file for part in _RUNS_CELLS):
            yield file, trace.tb_lineno
        trace = trace.tb_next


def _is_cell(file: str) -> bool:
    return file.startswith("<") or "ipykernel_" in file


class LeftToEngineError(Exception):
    """This process does not compute a statement's rows; an engine does. `reason` says why, as part of a sentence."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
