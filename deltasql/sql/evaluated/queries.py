"""Queries of constants alone, read without Spark: SELECT 1 AS id UNION ALL …, SELECT * FROM VALUES (1) AS q (id).

They are typical sources of a small MERGE. Where the result may differ from Spark's, the query is left to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.base.errors.base import LeftToEngineError
from deltasql.plan.operators import Literals, Operator, SqlQuery
from deltasql.schema.types import StructField, StructType
from deltasql.sql.constants import Constant
from deltasql.sql.expression_types import type_at
from deltasql.sql.literal_rows import LiteralReader, as_type, common_columns, is_special
from deltasql.sql.queries.query_filters import NO_ALIAS


def constant_rows(query: str) -> Literals | None:
    """The rows of a query that has no other than constants, under its names; None for any other query."""
    if is_special(query):
        return None
    reader = _Reader(query, zone=None)
    try:
        names, rows = reader.query()
        reader.end()
        columns = common_columns(rows)
    except (LeftToEngineError, ValueError, RecursionError):
        return None
    distinct = {name.lower() for name in names}
    if len(distinct) < len(names) or len(names) != len(columns):
        return None
    fields = (
        StructField(name, item.type, nullable=None in item.values) for name, item in zip(names, columns, strict=True)
    )
    return Literals(StructType(tuple(fields)), tuple(item.values for item in columns))


Named = tuple[Sequence[str], list[list[Constant]]]
"""The names of columns, and rows."""


class _Reader(LiteralReader):
    """Each method reads the element of its name. Raises LeftToEngineError."""

    def query(self) -> Named:
        if self.key == "VALUES":
            return self.values()
        names, rows = self.select()
        if not all(names):
            # Spark makes up a name of the text.
            raise LeftToEngineError
        while self.take("UNION"):
            self.need("ALL")
            rows = rows + self.select()[1]
            # Spark brings the columns of a union to one type by other rules than those of VALUES.
            if len({tuple(item.type for item in row) for row in rows}) > 1:
                raise LeftToEngineError
        return names, rows

    def select(self) -> Named:
        self.need("SELECT")
        if self.take("*"):
            self.need("FROM")
            return self.relation()
        items = self.listed(self.item)
        return [name for name, _ in items], [[constant for _, constant in items]]

    def relation(self) -> Named:
        if self.key == "VALUES":
            return self.values()
        self.need("(")
        names, rows = self.query()
        self.need(")")
        return self.aliased(names), rows

    def values(self) -> Named:
        rows = self.rows()
        return self.aliased([f"col{number}" for number in range(1, len(rows[0]) + 1)]), rows

    def aliased(self, names: Sequence[str]) -> Sequence[str]:
        """The names of columns, which an alias may have others for."""
        if not self.take("AS") and (not self.is_name or self.key in NO_ALIAS):
            return names
        self.name()
        if not self.take("("):
            return names
        aliases = self.listed(self.name)
        self.need(")")
        if len(aliases) != len(names):
            raise LeftToEngineError
        return aliases

    def item(self) -> tuple[str, Constant]:
        """A constant and its name, "" where it has none."""
        value = self.cast() if self.key == "CAST" else self.literal()
        is_named = self.take("AS") or (self.is_name and self.key not in NO_ALIAS)
        return self.name() if is_named else "", value

    def cast(self) -> Constant:
        self.need("CAST")
        self.need("(")
        value = self.literal()
        self.need("AS")
        target = type_at(self)
        self.need(")")
        return Constant(target, as_type(value.value, value.type, target, None))


def constants_of(operator: Operator) -> Literals | None:
    """The rows of a query of constants alone; None for anything else."""
    if isinstance(operator, Literals):
        return operator
    if not (isinstance(operator, SqlQuery) and _is_alone(operator)):
        return None
    return constant_rows(operator.sql)


def _is_alone(query: SqlQuery) -> bool:
    """Whether a query is over nothing of ours, and is read as it stands."""
    return not (query.relations or query.settings or query.view or query.renames)
