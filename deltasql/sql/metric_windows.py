"""Measures with a window of metric views: their values for each group of a query, as columns beside the view's rows.

A group has one anchor for each window: the last, or the first, value of its order in the rows of the group. The value
of the measure is its aggregate over the rows that the window has around the anchor. These rows have the group's other
dimensions; dimensions that are computed from the order, as a month is from a day, do not limit them, and neither do
conditions on the order. Source: Databricks, advanced techniques for metric views.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deltasql.base import Token, TokenCursor, comma_separated, errors, tokenize
from deltasql.plan import hidden
from deltasql.schema import quote_name as quote
from deltasql.sql.metric_views import MetricItem, MetricView, measure_calls
from deltasql.sql.queries.query_parts import NO_ALIAS
from deltasql.sql.references import column_references, has_aggregate, has_subquery, split_conjuncts

_ROWS = hidden("metric_rows")
_GROUPS = hidden("groups")
_VALUE = hidden("value")
_CLAUSES = (
    "WHERE",
    "GROUP",
    "HAVING",
    "QUALIFY",
    "WINDOW",
    "ORDER",
    "SORT",
    "CLUSTER",
    "DISTRIBUTE",
    "LIMIT",
    "OFFSET",
)
_ENDS = frozenset({")", "UNION", "EXCEPT", "INTERSECT", "MINUS", "SETMINUS", ";"})
_SEVERAL = frozenset({"GROUPING", "CUBE", "ROLLUP", "WITH"})
"""Words of GROUP BY with several sets of groups."""
_VALUES = frozenset({"END", "NULL", "TRUE", "FALSE"})
"""Words that end an expression, and are no alias."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a SELECT over one relation: the SQL of their keys, and its WHERE. `alias` is the relation's."""

    alias: str
    keys: tuple[str, ...]
    conditions: tuple[str, ...]


def windowed_rows(view: MetricView, sql: str, start: int, end: int, alias: str) -> str | None:
    """The rows of a metric view with a column for each measure with a window that a text calls; None without any.

    The view's name is at [start, end) of `sql`. Raises UnsupportedStatementError for a query whose groups are not those
    of a plain SELECT over the view.
    """
    items = _called(view, sql, alias)
    if not items:
        return None
    groups = _groups(view, sql, start, end, alias)
    if groups is None or any(map(has_subquery, (*groups.keys, *groups.conditions))):
        advice = "Write SELECT … FROM the view alone, with WHERE and GROUP BY of columns, and join its rows outside."
        raise errors.UnsupportedStatementError("MEASURE with a window over several relations or sets of groups", advice)
    return _Rows(view, groups).text(items)


def _called(view: MetricView, sql: str, alias: str) -> list[MetricItem]:
    """The measures with a window that a text calls. Raises UnsupportedStatementError for a window over a window."""
    names = set[str]()
    for call in measure_calls(sql):
        if not call.qualifiers or call.qualifiers[-1].lower() == alias.lower():
            names.update(view.windowed(call.name))
    found = [item for item in view.measures if item.name in names]
    for item in found:
        if any(view.windowed(call.name) for call in measure_calls(item.expression)):
            advice = "Write the aggregate in its expression, or combine the measures in one that has no window."
            raise errors.UnsupportedStatementError(f"MEASURE of {quote(item.name)}, a window over a window,", advice)
    return found


def _groups(view: MetricView, sql: str, start: int, end: int, alias: str) -> Groups | None:
    """The groups of the SELECT around the view's name; None where they are not those of a plain one."""
    tokens = tokenize(sql)
    at = next((index for index, token in enumerate(tokens) if token.start == start), 0)
    first = _select(tokens, at - 1) if at and tokens[at - 1].key == "FROM" else None
    parts = None if first is None else _clauses(tokens, end)
    if first is None or parts is None or _SEVERAL & {token.key for token in parts.get("GROUP", ())}:
        return None
    keys = _Keys(view, sql, tokens[first + 1 : at - 1]).read(parts.get("GROUP", [])[1:])
    where = split_conjuncts(_text(sql, parts["WHERE"])) if "WHERE" in parts else ()
    return Groups(alias, tuple(keys), tuple(item.text for item in where))


def _select(tokens: Sequence[Token], index: int) -> int | None:
    """The SELECT that the FROM at `index` belongs to."""
    depth = 0
    for at in range(index - 1, -1, -1):
        depth += (tokens[at].key in {")", "]"}) - (tokens[at].key in {"(", "["})
        if depth < 0:
            return None
        if depth == 0 and tokens[at].key == "SELECT":
            return at
    return None


def _clauses(tokens: Sequence[Token], end: int) -> dict[str, list[Token]] | None:
    """The clauses behind a relation, whose name ends at `end`, and its alias; None where other relations follow."""
    cursor = TokenCursor(tokens, next((at for at, token in enumerate(tokens) if token.start >= end), len(tokens)))
    if cursor.take("AS") or (cursor.is_name and (cursor.kind == "quoted" or cursor.key not in NO_ALIAS)):
        cursor.next()
    if cursor.left and cursor.key not in _ENDS.union(_CLAUSES):
        return None
    parts, current = dict[str, list[Token]](), ""
    while cursor.left and cursor.key not in _ENDS:
        key = cursor.take(*_CLAUSES)
        if key:
            current = key
            parts[current] = []
        else:
            parts[current] += cursor.group()
    return parts


class _Keys:
    """Reads the keys of GROUP BY, whose items may be numbers, names or all columns of the SELECT."""

    def __init__(self, view: MetricView, sql: str, selected: Sequence[Token]) -> None:
        self._sql, self._dimensions = sql, {item.name.lower() for item in view.dimensions}
        self._items = [_named(item) for item in comma_separated([t for t in selected if t.key != "DISTINCT"])]

    def read(self, group: Sequence[Token]) -> list[str]:
        """The SQL of each key of the tokens behind GROUP BY."""
        if [token.key for token in group] == ["ALL"]:
            texts = [_text(self._sql, item) for item, _ in self._items]
            return [text for text in texts if not has_aggregate(text) and next(measure_calls(text), None) is None]
        return [self._key(item) for item in comma_separated(group)] if group else []

    def _key(self, tokens: Sequence[Token]) -> str:
        text = _text(self._sql, tokens)
        if text.isdecimal() and 0 < int(text) <= len(self._items):
            return _text(self._sql, self._items[int(text) - 1][0])
        name = tokens[0].name.lower() if len(tokens) == 1 and tokens[0].is_name else ""
        # A column of the view comes before a column of the SELECT.
        if not name or name in self._dimensions:
            return text
        named = (item for item, alias in self._items if alias is not None and alias.lower() == name)
        return _text(self._sql, next(named, tokens))


def _named(item: Sequence[Token]) -> tuple[Sequence[Token], str | None]:
    """A column of a SELECT without its alias, and the alias."""
    if len(item) > 2 and item[-2].key == "AS":
        return item[:-2], item[-1].name
    if len(item) > 1 and item[-1].is_name and item[-1].key not in _VALUES:
        before = item[-2]
        if before.key in {")", "]"} or before.kind in {"word", "quoted", "string", "number"}:
            return item[:-1], item[-1].name
    return item, None


def _text(sql: str, tokens: Sequence[Token]) -> str:
    return sql[tokens[0].start : tokens[-1].end] if tokens else ""


@dataclass(frozen=True, slots=True)
class _Rows:
    view: MetricView
    groups: Groups

    @property
    def _alias(self) -> str:
        return quote(self.groups.alias)

    @property
    def _keys(self) -> list[str]:
        return [f"{key} AS {_key(number)}" for number, key in enumerate(self.groups.keys)]

    def text(self, items: Sequence[MetricItem]) -> str:
        """The query of the rows with the values of `items`."""
        inner = f"(SELECT {', '.join([f'{self._alias}.*', *self._keys])} FROM {_ROWS} AS {self._alias}) AS {_GROUPS}"
        columns, joins = [f"{_GROUPS}.*"], list[str]()
        for number, item in enumerate(items):
            name = hidden(f"window_{number}")
            # Of a window without rows the value is that of the aggregate without rows: 0 of COUNT, NULL of SUM.
            empty = f"SELECT {self.view.aggregate(item, self.groups.alias)} FROM {_ROWS} AS {self._alias} WHERE FALSE"
            columns.append(f"coalesce({name}.{_VALUE}, ({empty})) AS {quote(item.column)}")
            equal = (f"{_GROUPS}.{_key(at)} <=> {name}.{_key(at)}" for at in range(len(self.groups.keys)))
            joins.append(f"LEFT JOIN (\n{self._values(item)}\n) AS {name} ON {' AND '.join(equal) or 'TRUE'}")
        rows = self.view.rows(measured=True)
        return "\n".join([f"WITH {_ROWS} AS (\n{rows}\n)", f"SELECT {', '.join(columns)}", f"FROM {inner}", *joins])

    def _values(self, item: MetricItem) -> str:
        """The value of a measure for each group: its keys and the value."""
        keys = self.groups.keys
        of_order = frozenset(column for window in item.windows for column in self.view.columns_of(window.order))
        ends = [
            f"{'min' if window.is_first else 'max'}({self._alias}.{quote(window.order)}) AS {_anchor(number)}"
            for number, window in enumerate(item.windows)
        ]
        others = [text for text in self.groups.conditions if of_order.isdisjoint(self._columns(text))]
        anchors = f"SELECT {', '.join([*self._keys, *ends])} {self._from(self.groups.conditions)}{_grouped(keys)}"
        rows = f"SELECT {', '.join([f'{self._alias}.*', *self._keys])} {self._from(others)}"
        limits = [
            f"{_GROUPS}.{_key(number)} <=> {self._alias}.{_key(number)}"
            for number, key in enumerate(keys)
            if not self._depends(key, of_order)
        ]
        for number, window in enumerate(item.windows):
            limits += window.limits(f"{self._alias}.{quote(window.order)}", f"{_GROUPS}.{_anchor(number)}")
        outer = [f"{_GROUPS}.{_key(number)}" for number in range(len(keys))]
        value = f"{self.view.aggregate(item, self.groups.alias)} AS {_VALUE}"
        joined = f"(\n{anchors}\n) AS {_GROUPS}\nJOIN (\n{rows}\n) AS {self._alias} ON {' AND '.join(limits) or 'TRUE'}"
        return f"SELECT {', '.join([*outer, value])}\nFROM {joined}{_grouped(outer)}"

    def _from(self, conditions: Sequence[str]) -> str:
        where = f"\nWHERE {' AND '.join(f'({text})' for text in conditions)}" if conditions else ""
        return f"FROM {_ROWS} AS {self._alias}{where}"

    def _columns(self, text: str) -> Iterator[tuple[str, ...]]:
        """The columns of the source and of the joins from which an expression of the query is computed."""
        for found in column_references(text):
            behind = found.parts[0].lower() == self.groups.alias.lower() and len(found.parts) > 1
            yield from self.view.columns_of(found.parts[int(behind)])

    def _depends(self, key: str, columns: frozenset[tuple[str, ...]]) -> bool:
        """Whether a key is computed from these columns alone."""
        used = {*self._columns(key)}
        return bool(used) and used <= columns


def _grouped(keys: Sequence[str]) -> str:
    return f"\nGROUP BY {', '.join(keys)}" if keys else ""


def _key(number: int) -> str:
    return hidden(f"key_{number}")


def _anchor(number: int) -> str:
    return hidden(f"anchor_{number}")
