"""The directive `-- mask:`, and the warning for a recorded value that later runs cannot reproduce."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deltasql.errors.usage import GoldenMaskError
from deltasql.golden.directives import Directive
from deltasql.golden.normal import Normalizer
from deltasql.sql.tokens import calls

NONE = "none"

_RANDOM = frozenset({"rand", "random", "randn", "randstr", "uniform", "shuffle"})
_NEW_ID = frozenset({"uuid"})


@dataclass(frozen=True, slots=True)
class Mask:
    """Columns, by lower-case name, and patterns whose values are hidden. `settled` suppresses the warning.

    `statement_columns` are the columns of this statement's own directives: it is an error if the result lacks one.
    """

    columns: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    statement_columns: frozenset[str] = frozenset()
    settled: bool = False

    def with_directive(self, directive: Directive, whole_file: bool) -> Mask:
        """This mask extended by a further directive. Raises GoldenMaskError."""
        if directive.value.lower() == NONE:
            return Mask(settled=True)
        if directive.value.startswith("/"):
            return Mask(self.columns, (*self.patterns, _pattern(directive)), self.statement_columns, True)
        columns = frozenset(name.strip().strip("`").lower() for name in directive.value.split(","))
        statement_columns = self.statement_columns if whole_file else self.statement_columns | columns
        return Mask(self.columns | columns, self.patterns, statement_columns, True)

    def hides(self, column: str) -> bool:
        return column.lower() in self.columns

    def text(self, text: str) -> str:
        """`text` with `<masked>` for the matches of the patterns."""
        for pattern in self.patterns:
            text = re.sub(pattern, "<masked>", text)
        return text

    def missing(self, columns: Sequence[str]) -> str:
        """The defect if the result lacks a column of the mask, or ""."""
        names = {column.lower() for column in columns}
        lost = sorted(name for name in self.statement_columns if name not in names)
        return (
            f"'-- mask: {lost[0]}' hides nothing: the result has {', '.join(columns) or 'no columns'}." if lost else ""
        )


NO_MASK = Mask()


def _pattern(item: Directive) -> str:
    pattern = item.value[1:].removesuffix("/")
    try:
        re.compile(pattern)
    except re.error as error:
        raise GoldenMaskError(file=str(item.position.file), line=item.position.line, reason=str(error)) from None
    return pattern


def warning(sql: str, recorded: str, has_rows: bool, normal: Normalizer) -> str:
    """Why the text recorded for a statement will differ in a later run, as far as can be detected, or "".

    `recorded` is the recorded text without the statement; `has_rows` is whether it read or wrote rows.
    """
    if text := normal.unsettled(recorded):
        return f"it tells the time of this run: {text}"
    if has_rows and calls(sql, _NEW_ID) and (text := normal.foreign_id(recorded)):
        return f"it tells an id that is new in every run: {text}"
    if has_rows and calls(sql, _RANDOM):
        return "it calls a random function"
    return ""
