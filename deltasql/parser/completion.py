"""Completion of statements: the keywords that may come next in an unfinished one."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError
from deltasql.parser.automaton import Automaton, NoParseError
from deltasql.parser.runs import QUERY_WORDS, RUNS
from deltasql.parser.tables import grammar_tables


class Expected(frozenset[str]):
    """The keywords that may come next.

    With `name` a name of the user's own, or an expression, may come too; with `expression` an expression, or the rest
    of a query.
    """

    name: bool = False
    expression: bool = False


def expected_keywords(sql_prefix: str) -> Expected:
    """The keywords after `sql_prefix`, whose last word counts as finished. Empty after a syntax error."""
    automaton = Automaton(sql_prefix)
    try:
        automaton.parse()
    except NoParseError:
        pass
    except DeltaSqlError:
        return _expected(frozenset(), name=True, expression=True)
    stuck = automaton.furthest
    if stuck.position < len(sql_prefix):
        return _expected(frozenset(), name=False)
    keywords = frozenset(word for word, name in grammar_tables().keywords.items() if name in stuck.expected)
    if "QUERY_RUN" in stuck.expected:
        keywords |= QUERY_WORDS
    # A run that ends here may as well go on.
    in_run = stuck.previous is not None and stuck.previous.name in RUNS
    expression = in_run or "EXPRESSION_RUN" in stuck.expected
    return _expected(keywords, name=expression or "IDENTIFIER" in stuck.expected, expression=expression)


def _expected(keywords: frozenset[str], *, name: bool, expression: bool = False) -> Expected:
    expected = Expected(keywords)
    expected.name, expected.expression = name, expression
    return expected
