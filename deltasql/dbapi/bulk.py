"""INSERT … VALUES for many sets of parameters as one statement, which is one commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from deltasql.errors.base import DeltaSqlError
from deltasql.parser.parameters import bind_parameters
from deltasql.sql.tokens import Token, tokenize

_OTHERWISE = frozenset({"OVERWRITE", "REPLACE", "WITH", "SELECT", "?"})
"""Words before VALUES with which the sets of parameters mean more than rows, or a parameter that is no value."""


@dataclass(frozen=True, slots=True)
class BulkInsert:
    """INSERT INTO … VALUES (…), whose only row, `operation[start:end]`, is there once for each set of parameters."""

    operation: str
    start: int
    end: int

    def statement(self, sets: Iterable[Any]) -> str:
        """One INSERT of all rows. Raises what `bind_parameters` raises, placed in the operation."""
        return self.operation[: self.start] + ", ".join(self._rows(sets))

    def _rows(self, sets: Iterable[Any]) -> Iterator[str]:
        row = self.operation[self.start : self.end]
        for values in sets:
            try:
                yield bind_parameters(row, values).sql
            except DeltaSqlError as error:
                raise error.moved(row, self.operation, self.start) from None


def bulk_insert(operation: str) -> BulkInsert | None:
    """What `operation` is as a BulkInsert; None where its sets of parameters must be run one after another."""
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
    """Whether the tokens are one pair of brackets with what is in it."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.key == "(") - (token.key == ")")
        if depth <= 0:
            return index == len(tokens) - 1 and index > 0 and depth == 0
    return False
