"""A statement with the values of its parameters, and its text without them for messages and the history."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from deltasql.base.errors.base import DeltaSqlError
from deltasql.plan.base import SqlText

_TELLING = 6
"""An unquoted value with fewer characters may occur in a text by chance."""


@dataclass(frozen=True, slots=True)
class BoundValue:
    """A literal at [start, end) of the bound text, in place of `marker`: `:name` or `?`."""

    start: int
    end: int
    marker: str
    value: Any = field(repr=False)

    def moved(self, by: int) -> BoundValue:
        """This value, shifted by `by` characters."""
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """`sql` with literals in place of markers; `shifts` are (offset after a literal, characters it added).

    The history and messages have the markers: a value may be a secret.
    """

    sql: str = field(default="", repr=False)
    shifts: tuple[tuple[int, int], ...] = ()
    values: tuple[BoundValue, ...] = ()
    names: tuple[tuple[int, int], ...] = ()
    """Spans of the names that replace IDENTIFIER(…)."""

    def whole_names(self, start: int, end: int) -> tuple[int, int]:
        """The span [start, end) of `sql`, extended to all of a name in which it begins or ends."""
        for first, last in self.names:
            start = first if first <= start < last else start
            end = last if first < end <= last else end
        return start, end

    def to_original(self, offset: int) -> int:
        """The offset in the user's text for an offset in `sql`."""
        return offset - sum(added for after, added in self.shifts if offset >= after)

    def with_names(self, edits: Sequence[tuple[int, int, str]]) -> BoundStatement:
        """This statement with a text in place of each span (start, end) of `sql`, in order.

        Literals within a span are dropped.
        """
        pieces: list[str] = []
        shifts: list[tuple[int, int]] = []
        values: list[BoundValue] = []
        names: list[tuple[int, int]] = []
        at = delta = 0
        for start, end, text in [*edits, (len(self.sql), len(self.sql), "")]:
            shifts += [(after + delta, added) for after, added in self.shifts if at < after <= start]
            values += [item.moved(delta) for item in self.values if at <= item.start and item.end <= start]
            # Of a literal within the span the name takes the place as well.
            within = sum(added for after, added in self.shifts if start < after <= end)
            pieces += [self.sql[at:start], text]
            delta += len(text) - (end - start)
            shifts.append((end + delta, len(text) - (end - start) + within))
            names.append((end + delta - len(text), end + delta))
            at = end
        return BoundStatement("".join(pieces), tuple(shifts), tuple(values), tuple(names[:-1]))

    def within(self, part: SqlText) -> BoundStatement:
        """A part of the statement that is a statement of its own; its offsets count from its own beginning."""
        inside = (item for item in self.values if part.start <= item.start and item.end <= part.end)
        values = (replace(item, start=item.start - part.start, end=item.end - part.start) for item in inside)
        return BoundStatement(part.text, values=tuple(values))

    def text_with_markers(self, part: SqlText) -> str:
        """A part of the statement as it was written, with markers."""
        text = part.text
        if self.sql[part.start : part.end] != text:
            return self.without_values(text)
        pieces, at = [], part.start
        for bound in self.values:
            if part.start <= bound.start and bound.end <= part.end:
                pieces += [self.sql[at : bound.start], bound.marker]
                at = bound.end
        return "".join([*pieces, self.sql[at : part.end]])

    def without_values(self, text: str) -> str:
        """`text`, which is derived from the statement, with markers in place of values that can be recognized.

        Those are values in quotes, and others of six characters or more.
        """
        hidden: str = _hidden(text, self._forms())
        return hidden

    def hide_values(self, error: DeltaSqlError) -> None:
        """Replaces values by markers in the fields of an error, and drops its cause."""
        if not self.values:
            return
        forms = self._forms()
        vars(error).update({name: _hidden(value, forms) for name, value in vars(error).items()})
        error.args = _hidden(error.args, forms)
        # A traceback prints the cause, too, in Spark's words.
        error.__cause__ = None
        error.__suppress_context__ = True

    def _forms(self) -> list[tuple[str, bool, str]]:
        """The texts by which values may occur in a message: (text, whether it must be a whole word, marker).

        The longest value comes first. There may be tens of thousands, each looked for in each text of an error.
        """
        forms: dict[tuple[str, bool], str] = {}
        for bound in sorted(self.values, key=lambda item: item.start - item.end):
            literal = self.sql[bound.start : bound.end]
            if "'" in literal or len(literal) >= _TELLING:
                forms.setdefault((literal, True), bound.marker)
            if isinstance(bound.value, str) and bound.value:
                quoted = ("'" + bound.value + "'", json.dumps(bound.value), json.dumps(bound.value, ensure_ascii=False))
                for text in quoted:
                    forms.setdefault((text, False), bound.marker)
                if len(bound.value) >= _TELLING:
                    forms.setdefault((bound.value, True), bound.marker)
        return [(text, word, marker) for (text, word), marker in forms.items()]


def _hidden(value: Any, forms: Sequence[tuple[str, bool, str]]) -> Any:
    """`value`, a text or a sequence of some, with markers in place of values; anything else as it is."""
    if isinstance(value, (tuple, list)):
        return type(value)(_hidden(item, forms) for item in value)
    if not isinstance(value, str):
        return value
    for text, word, marker in forms:
        # Most are not there, and a pattern takes a hundred times as long to make.
        if text in value:
            pattern = rf"(?<!\w){re.escape(text)}(?!\w)" if word else re.escape(text)
            value = re.sub(pattern, marker.replace("\\", r"\\"), value)
    return value


UNBOUND = BoundStatement()
