"""INSERT … VALUES for many sets of parameters as one statement, which is one commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.lazy import pa
from deltasql.sql.parser.parameters import bind_parameters
from deltasql.sql.tokens import Token, tokenize

MANY_ROWS = 500
"""From this number of rows on they are written as Arrow data, not as SQL, which is slow to parse."""

_OTHERWISE = frozenset({"OVERWRITE", "REPLACE", "WITH", "SELECT", "?"})
"""Tokens before VALUES that exclude merging: the statement does more than append, or has a parameter there."""


@dataclass(frozen=True, slots=True)
class BulkInsert:
    """INSERT INTO … VALUES (…), whose only row, `operation[start:end]`, is repeated for each set of parameters."""

    operation: str
    start: int
    end: int

    def statement(self, sets: Iterable[Any]) -> str:
        """One INSERT of all rows. Raises what `bind_parameters` raises, with positions in `operation`."""
        return self.operation[: self.start] + ", ".join(self._rows(sets))

    def target(self) -> tuple[str, tuple[str, ...]] | None:
        """The table and its listed columns, () for none; None if the statement has more before VALUES."""
        tokens = tokenize(self.operation[: self.start])[2:-1]
        if len(tokens) > 1 and tokens[0].key == "TABLE" and tokens[1].is_name:
            tokens = tokens[1:]
        opening = next((index for index, token in enumerate(tokens) if token.key == "("), len(tokens))
        name, listed = tokens[:opening], tokens[opening + 1 : -1]
        if not _alternate(name, ".") or (opening < len(tokens) and not _alternate(listed, ",")):
            return None
        return self.operation[name[0].start : name[-1].end], tuple(token.name for token in listed[::2])

    def rows(self, sets: Sequence[Any], columns: Sequence[str]) -> pa.Table | None:
        """The rows as a table with these or generated names; None if a value is an expression, or types are mixed."""
        markers = _markers(tokenize(self.operation[self.start : self.end])[1:-1])
        if markers is None or (columns and len(columns) != (markers if isinstance(markers, int) else len(markers))):
            return None
        try:
            values = zip(*(_in_order(item, markers) for item in sets), strict=True)
            arrays = [_array(list(column)) for column in values]
        except (LookupError, TypeError, ValueError, OverflowError):
            # The error is raised when the statement is built.
            return None
        return pa.table(arrays, names=list(columns) or [f"c{index}" for index in range(len(arrays))])

    def _rows(self, sets: Iterable[Any]) -> Iterator[str]:
        row = self.operation[self.start : self.end]
        for values in sets:
            try:
                yield bind_parameters(row, values).sql
            except DeltaSqlError as error:
                raise error.moved(row, self.operation, self.start) from None


def _alternate(tokens: Sequence[Token], separator: str) -> bool:
    """Whether the tokens are one or more names with separators between them."""
    named = all(token.is_name for token in tokens[::2])
    return bool(tokens) and len(tokens) % 2 == 1 and named and all(token.key == separator for token in tokens[1::2])


def _markers(tokens: Sequence[Token]) -> list[str] | int | None:
    """The names of the markers in a row, or the number of `?`; None if the row has anything else."""
    keys = [token.key for token in tokens]
    if keys == ["?", *[",", "?"] * (len(keys) // 2)]:
        return len(keys[::2])
    names = tokens[1::3]
    shape = [item for token in names for item in (":", token.key, ",")][:-1]
    return [token.text for token in names] if keys == shape and all(token.kind == "word" for token in names) else None


def _in_order(values: Any, markers: Sequence[str] | int) -> Sequence[Any]:
    """The values of one set, in the order of the markers. Raises TypeError, LookupError, ValueError."""
    if isinstance(markers, int):
        if isinstance(values, Mapping) or len(values) != markers:
            raise ValueError(markers)
        return list(values)
    return [values[name] for name in markers]


_PLAIN = (bool, int, float, Decimal, str, bytes, date, datetime)


def _array(values: Sequence[Any]) -> pa.Array:
    """The values as an array. Raises TypeError or ValueError if they are not of one plain type."""
    # Arrow takes times with a zone and times without one for one type, that of the first.
    kinds = {(type(value), getattr(value, "tzinfo", None) is None) for value in values if value is not None}
    if len(kinds) > 1 or not {kind for kind, _ in kinds} <= {*_PLAIN}:
        raise TypeError(kinds)
    return pa.array(values)


def bulk_insert(operation: str) -> BulkInsert | None:
    """The BulkInsert of `operation`; None if its sets of parameters must be run one by one."""
    tokens = tokenize(operation)
    while tokens and tokens[-1].key == ";":
        tokens.pop()
    values = next((index for index, token in enumerate(tokens) if token.key == "VALUES"), None)
    if values is None or [token.key for token in tokens[:2]] != ["INSERT", "INTO"]:
        return None
    head, row = tokens[:values], tokens[values + 1 :]
    if _is_special(head) or not _is_one_row(row):
        return None
    return BulkInsert(operation, row[0].start, row[-1].end)


def _is_special(head: Sequence[Token]) -> bool:
    named = any(token.key == ":" for token in head)
    return named or any(token.key in _OTHERWISE for token in head)


def _is_one_row(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are exactly one parenthesized row."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.key == "(") - (token.key == ")")
        if depth <= 0:
            return index == len(tokens) - 1 and index > 0 and depth == 0
    return False
