"""Comments that steer how a golden file is run and recorded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from deltasql.base.errors.suggestion import similar_names
from deltasql.base.errors.usage import ScheduleError, UnknownDirectiveError

_COMMENT = re.compile(r"--\s*([a-z]+)\s*:\s*(.*?)\s*$", re.IGNORECASE)
_SWITCH = re.compile(r"on|off", re.IGNORECASE)
_LEGAL = {
    "name": ("<text>", re.compile(r".*")),
    "expect": ("no jvm", re.compile(r"no jvm", re.IGNORECASE)),
    "log": ("on|off", _SWITCH),
    "sort": ("on|off", _SWITCH),
    "mask": ("<column>, … | /<pattern>/ | none", re.compile(r"/.+/|[^/].*")),
    "levels": ("<isolation level>, …", re.compile(r"\w+(\s*,\s*\w+)*")),
    "session": ("<name>", re.compile(r"\w+")),
    "check": ("", re.compile(r"")),
    "schedule": ("all | begin <session>, commit <session>, …", re.compile(r".+")),
}
_DIRECTIVES = tuple(f"{name}: {legal}".rstrip() for name, (legal, _) in _LEGAL.items())


@dataclass(frozen=True, slots=True)
class DirectivePosition:
    """A line of a golden file, for messages."""

    file: Path
    line: int

    def error(self, problem: str) -> ScheduleError:
        """The error of a schedule that is wrong at this line."""
        return ScheduleError(file=str(self.file), line=self.line, problem=problem)


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment of the form `-- name: value`; the name in lower case."""

    name: str
    value: str
    position: DirectivePosition


def directive(comment: str, position: DirectivePosition) -> Directive | None:
    """The directive in a comment line; None for prose. Raises UnknownDirectiveError.

    A word before a colon that is similar to a directive's name is taken for a misspelling, and raises the error.
    """
    match = _COMMENT.match(comment)
    if match is None:
        return None
    name, value = match[1].lower(), match[2]
    if name in _LEGAL and _LEGAL[name][1].fullmatch(value):
        return Directive(name, value, position)
    if name in _LEGAL or similar_names(name, _LEGAL, cutoff=0.75):
        raise UnknownDirectiveError(
            file=str(position.file), line=position.line, text=comment.strip(), known=_DIRECTIVES
        )
    return None
