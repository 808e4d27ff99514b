"""The SQL texts in a plan."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.plan.operators import Operator, Project, Rewrite, SqlFunction, SqlQuery, children


def evaluated_texts(operator: Operator) -> Iterator[str]:
    """The queries, conditions and values that an operator and those below it evaluate."""
    yield from texts_of(operator)
    for child in children(operator):
        yield from evaluated_texts(child)


def texts_of(operator: Operator) -> Iterator[str]:
    """Those of an operator alone."""
    match operator:
        case SqlQuery():
            yield operator.sql
        case SqlFunction():
            yield operator.text
        case Project():
            yield from (sql for _, sql in operator.columns)
        case Rewrite():
            if operator.join is not None:
                yield operator.join.on
            yield from (sql for action in operator.actions for sql in action.values)
            yield from (action.condition for action in operator.actions if action.condition is not None)
