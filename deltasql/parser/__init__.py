"""SQL text into statement nodes. The grammar is in the folder `grammar`; this is the only package that imports lark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltasql.errors.syntax import EmptyStatementError, ParseSyntaxError
from deltasql.parser.advice import misplaced_word
from deltasql.parser.automaton import Automaton, NoParseError
from deltasql.parser.build import build
from deltasql.parser.completion import Expected, expected_keywords
from deltasql.parser.diagnosis import syntax_error
from deltasql.parser.tables import grammar_tables
from deltasql.parser.unsupported import refusal, refused_name
from deltasql.sql.extents import skip_blanks
from deltasql.sql.splitting import Statement, is_complete, split, unclosed

if TYPE_CHECKING:
    from deltasql.plan.base import LogicalPlan
    from deltasql.schema.types import DataType

__all__ = [
    "EmptyStatementError",
    "Expected",
    "ParseSyntaxError",
    "Statement",
    "expected_keywords",
    "is_complete",
    "keywords",
    "misplaced_word",
    "parse",
    "parse_type",
    "refused_name",
    "split",
    "unclosed",
]


def parse(sql: str) -> LogicalPlan:
    """The node of one statement, which may end with `;`.

    All positions are offsets in `sql`. Raises ParseSyntaxError, EmptyStatementError, and the errors of single clauses
    (see deltasql.errors.syntax), each with its place.
    """
    plan: LogicalPlan = _build(sql, "start")
    return plan


def parse_type(text: str) -> DataType:
    """The data type that `text` declares; CHAR(n) and VARCHAR(n) are string.

    Raises ParseSyntaxError, UnsupportedDatatypeError, DecimalPrecisionError and DatatypeMissingSizeError.
    """
    data_type: DataType = _build(text, "type")
    return data_type


def keywords() -> frozenset[str]:
    """All keywords of the grammar, in capitals."""
    return frozenset(grammar_tables().keywords)


def _build(text: str, start: str) -> Any:
    if text[skip_blanks(text, 0) :].strip("; \t\r\n") == "":
        raise EmptyStatementError
    automaton = Automaton(text, start)
    try:
        tree = automaton.parse()
    except NoParseError as error:
        raise refusal(text, error.stuck.position) or syntax_error(text, error.stuck) from None
    return build(tree, text)
