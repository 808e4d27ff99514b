"""A `.sql` file as statements with their directives."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from deltasql.errors.usage import UnknownDirectiveError

_DIRECTIVE = re.compile(r"--\s*(name|expect|log|sort)\s*:\s*(.*?)\s*$", re.IGNORECASE)
_KNOWN = ("name: <text>", "expect: no jvm", "log: on|off", "sort: on|off")


@dataclass(frozen=True, slots=True)
class Options:
    """What directives say: the title of the next statement, whether its log is shown and its rows are sorted."""

    name: str = ""
    log: bool = True
    sort: bool = True
    jvm: bool = True


@dataclass(frozen=True, slots=True)
class GoldenStatement:
    """One statement without the comments in front of it."""

    text: str
    options: Options


@dataclass(frozen=True, slots=True)
class GoldenScript:
    """`jvm` is False when the file promises to run without one."""

    statements: tuple[GoldenStatement, ...]
    jvm: bool


def read_script(path: Path) -> GoldenScript:
    """The statements of a file.

    A directive holds for the next statement; in a first paragraph of comments, for the whole file. `expect` always
    holds for the whole file. Raises UnknownDirectiveError.
    """
    from deltasql.parser import split

    script = path.read_text(encoding="utf-8")
    common = Options()
    statements: list[GoldenStatement] = []
    for number, statement in enumerate(split(script)):
        line = script.count("\n", 0, statement.start) + 1
        # Comments in front of the statement belong to it, but a first paragraph of them speaks for the file.
        head, text = _leading_comments(statement.text)
        paragraph = _first_paragraph(head) if number == 0 else 0
        for offset, comment in enumerate(head[:paragraph]):
            common = _applied(common, comment, path, line + offset)
        options = replace(common, name="")
        for offset, comment in enumerate(head[paragraph:], paragraph):
            options = _applied(options, comment, path, line + offset)
        common = replace(common, jvm=common.jvm and options.jvm)
        statements.append(GoldenStatement(text, options))
    return GoldenScript(tuple(statements), common.jvm)


def expects_no_jvm(path: Path) -> bool:
    """Whether the file says `-- expect: no jvm`."""
    return not read_script(path).jvm


def _leading_comments(text: str) -> tuple[list[str], str]:
    lines = text.splitlines()
    count = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("--")), len(lines))
    return lines[:count], "\n".join(lines[count:])


def _first_paragraph(head: list[str]) -> int:
    return head.index("") if "" in head else 0


def _applied(options: Options, comment: str, path: Path, line: int) -> Options:
    match = _DIRECTIVE.match(comment)
    if match is None:
        return options
    name, value = match[1].lower(), match[2]
    switch = {"on": True, "off": False}.get(value.lower())
    if name == "name":
        return replace(options, name=value)
    if name == "expect" and value.lower() == "no jvm":
        return replace(options, jvm=False)
    if name == "log" and switch is not None:
        return replace(options, log=switch)
    if name == "sort" and switch is not None:
        return replace(options, sort=switch)
    raise UnknownDirectiveError(file=str(path), line=line, text=comment.strip(), known=_KNOWN)
