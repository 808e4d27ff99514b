"""SQL text into statement nodes. The grammar is in the folder `grammar`; this is the only package that imports lark."""

from __future__ import annotations

from deltasql.base.errors import EmptyStatementError, ParseSyntaxError
from deltasql.plan import LogicalPlan
from deltasql.schema import DataType, with_default_collation
from deltasql.sql.parser.automaton import grammar_tables
from deltasql.sql.parser.build import read
from deltasql.sql.parser.diagnosis import Expected, expected_keywords, misplaced_word
from deltasql.sql.parser.parameters import has_variables, with_placeholders
from deltasql.sql.parser.unsupported import refused_name
from deltasql.sql.statement_texts import Statement, is_complete, is_script, split, unclosed

__all__ = [
    "EmptyStatementError",
    "Expected",
    "ParseSyntaxError",
    "Statement",
    "expected_keywords",
    "is_complete",
    "is_script",
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
    (see deltasql.base.errors), each with its place. A variable, `${name}` or `{{name}}`, is read as a name
    or a number.
    """
    numbers: set[int] = set()
    has_placeholders = has_variables(sql)
    while True:
        try:
            plan: LogicalPlan = read(with_placeholders(sql, numbers) if has_placeholders else sql, "start")
        except ParseSyntaxError as error:
            at = error.caret.start if has_placeholders and error.caret is not None else -1
            if at in numbers or not sql.startswith(("${", "{{"), at):
                raise
            numbers.add(at)
        else:
            return plan


def parse_type(text: str) -> DataType:
    """The data type that `text` declares; CHAR(n) and VARCHAR(n) are string.

    Raises ParseSyntaxError, UnsupportedDatatypeError, DecimalPrecisionError and DatatypeMissingSizeError.
    """
    data_type: DataType = read(text, "type")
    return with_default_collation(data_type, None)


def keywords() -> frozenset[str]:
    """All keywords of the grammar, in capitals."""
    return frozenset(grammar_tables().keywords)
