"""Metric views: their YAML, the SQL of their rows and measures, and calls of MEASURE in queries.

The rows of a metric view are its source, joined and filtered, with its dimensions as columns. Where a query calls
MEASURE, one more column has the columns of the source and of the joins, for the aggregates of the measures. Nodes of
YAML are read without conversion, so that the key `on` stays a text, and each has its place for errors.

Source: Databricks, YAML reference of metric views, versions 0.1, 1.0 and 1.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from deltasql.base import Caret, Token, TokenCursor, closest, closing, errors
from deltasql.plan import hidden
from deltasql.schema import quote_name as quote
from deltasql.sql.references import column_references, has_aggregate
from deltasql.sql.statement_texts import Replacement, is_whole_column

VERSIONS = ("0.1", "1.0", "1.1")
SOURCE = "source"
COLUMNS = hidden("metrics")
"""The column that has the columns of the source and of the joins, a field for each."""
_VIEW = {"version", "source", "filter", "dimensions", "fields", "measures", "joins", "comment", "materialization"}
_ITEM = {"name", "expr", "comment", "display_name", "synonyms", "format"}
_JOIN = {"name", "source", "on", "using", "joins", "rely", "cardinality"}
_WINDOW = {"order", "range", "semiadditive", "offset"}
_MATERIALIZATION = {"schedule", "mode", "materialized_views"}
_UNIT = r"(?:year|quarter|month|week|day|hour|minute|second)"
_RANGE = re.compile(
    r"(?P<kind>current|cumulative|all)|(?P<moving>trailing|leading)\s+(?P<count>\d+)"
    rf"(?:\s+(?P<unit>{_UNIT})s?)?(?:\s+(?P<ends>inclusive|exclusive))?",
    re.IGNORECASE,
)
_OFFSET = re.compile(rf"(?P<count>[+-]?\d+)(?:\s+(?P<unit>{_UNIT})s?)?", re.IGNORECASE)
_MULTIPLES = {"QUARTER": (3, "MONTH"), "WEEK": (7, "DAY")}
_QUERY_WORDS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "("})


@dataclass(frozen=True, slots=True)
class MetricWindow:
    """A window of a measure: which rows around an anchor, a value of the dimension `order`, it has.

    `range` is CURRENT, CUMULATIVE, ALL, TRAILING or LEADING. `length` and `offset` are a number and a unit, "" for
    steps of numbers. `is_inclusive`: a moving range has the anchor. `is_first`: the anchor is the first of several
    values, and not the last.
    """

    order: str
    range: str
    length: tuple[int, str] = (0, "")
    is_inclusive: bool = False
    is_first: bool = False
    offset: tuple[int, str] | None = None

    def limits(self, order: str, anchor: str) -> list[str]:
        """The conditions on the rows, by the SQL of their order and of the anchor."""
        at = anchor if self.offset is None else _moved(anchor, *self.offset)
        count, unit = self.length
        match self.range:
            case "CURRENT":
                return [f"{order} <=> {at}"]
            case "CUMULATIVE":
                return [f"{order} <= {at}"]
            case "TRAILING":
                low = _moved(at, -count, unit)
                return (
                    [f"{order} > {low}", f"{order} <= {at}"]
                    if self.is_inclusive
                    else [f"{order} >= {low}", f"{order} < {at}"]
                )
            case "LEADING":
                high = _moved(at, count, unit)
                return (
                    [f"{order} >= {at}", f"{order} < {high}"]
                    if self.is_inclusive
                    else [f"{order} > {at}", f"{order} <= {high}"]
                )
            case _:
                return []


def _moved(value: str, count: int, unit: str) -> str:
    """The SQL of a value moved by a number of units, forwards or back."""
    times, plain = _MULTIPLES.get(unit, (1, unit))
    size = abs(count) * times
    return f"({value} {'-' if count < 0 else '+'} {f'INTERVAL {size} {plain}' if plain else size})"


@dataclass(frozen=True, slots=True)
class MetricItem:
    """A dimension or a measure: `expression` is SQL, at the offset `start` of the YAML."""

    name: str
    expression: str
    start: int
    comment: str | None = None
    windows: tuple[MetricWindow, ...] = ()

    @property
    def column(self) -> str:
        """The column that has the values of a measure with windows."""
        return hidden(f"window of {self.name}")


@dataclass(frozen=True, slots=True)
class MetricJoin:
    """A join: `condition` is SQL, None where `using` names columns. `parent` is the relation that it is joined to."""

    name: str
    source: str
    condition: str | None
    using: tuple[str, ...]
    parent: str


@dataclass(frozen=True, slots=True)
class MetricView:
    """The parsed YAML of a metric view. `joins` have those that are nested behind their parents."""

    source: str
    condition: str | None
    dimensions: tuple[MetricItem, ...]
    measures: tuple[MetricItem, ...]
    joins: tuple[MetricJoin, ...]
    comment: str | None = None

    def rows(self, *, measured: bool) -> str:
        """The query of its rows; `measured` adds the column that measures need."""
        columns = [f"{self._qualified(item.expression)} AS {quote(item.name)}" for item in self.dimensions]
        if measured or not columns:
            relations = [SOURCE, *(join.name for join in self.joins)]
            fields = ", ".join(f"'{_escaped(name)}', struct({quote(name)}.*)" for name in relations)
            columns.append(f"named_struct({fields}) AS {COLUMNS}")
        lines = [f"SELECT {', '.join(columns)}", f"FROM {_relation(self.source)} AS {SOURCE}"]
        for join in self.joins:
            equal = (f"{quote(join.parent)}.{quote(name)} = {quote(join.name)}.{quote(name)}" for name in join.using)
            on = " AND ".join(equal) if join.condition is None else self._qualified(join.condition, hidden=False)
            lines.append(f"LEFT JOIN {_relation(join.source)} AS {quote(join.name)} ON {on}")
        if self.condition is not None:
            lines.append(f"WHERE {self._qualified(self.condition, hidden=False)}")
        return "\n".join(lines)

    def measure(self, name: str, alias: str, inside: tuple[str, ...] = (), *, has_columns: bool = True) -> str | None:
        """The aggregate of a measure over the rows that are called `alias`; None for an unknown name.

        A measure with windows is a column of the rows, if there are such: see `windowed_rows`.
        """
        item = next((each for each in self.measures if each.name.lower() == name.lower()), None)
        if item is None or item.name in inside:
            return None
        if item.windows and has_columns:
            return f"any_value({quote(alias)}.{quote(item.column)})"
        return self.aggregate(item, alias, inside, has_columns=has_columns)

    def aggregate(self, item: MetricItem, alias: str, inside: tuple[str, ...] = (), *, has_columns: bool = True) -> str:
        """The aggregate of a measure over the rows that are called `alias`, whatever its windows."""
        calls = list(measure_calls(item.expression))
        within = (*inside, item.name)
        measured = [self.measure(call.name, alias, within, has_columns=has_columns) or "NULL" for call in calls]
        edits = [(call.start, call.end, text) for call, text in zip(calls, measured, strict=True)]
        edits += [
            (found.start, found.end, self._measured(found.parts, alias))
            for found in column_references(item.expression)
            if not any(call.start <= found.start < call.end for call in calls)
        ]
        return f"({_edited(item.expression, edits)})"

    def windowed(self, name: str) -> list[str]:
        """The measures with windows that a measure is, or calls."""
        by_name = {item.name.lower(): item for item in self.measures}
        called = {key: [call.name.lower() for call in measure_calls(item.expression)] for key, item in by_name.items()}
        reached = {name.lower()} | _reached(called.get(name.lower(), ()), called)
        return [item.name for key, item in by_name.items() if key in reached and item.windows]

    def columns_of(self, name: str, inside: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        """The columns of the source and of the joins from which a dimension is computed, in lower case."""
        by_name = {item.name.lower(): item for item in self.dimensions}
        item = by_name.get(name.lower())
        if item is None or item.name in inside:
            return
        for found in column_references(item.expression):
            other = found.parts[0].lower()
            if len(found.parts) == 1 and other in by_name and other != item.name.lower():
                yield from self.columns_of(other, (*inside, item.name))
            else:
                yield tuple(part.lower() for part in self._place(found.parts))

    def _measured(self, parts: Sequence[str], alias: str) -> str:
        """A column in a measure: a dimension, or one of the source or of a join."""
        dimensions = {each.name.lower() for each in self.dimensions}
        if len(parts) == 1 and parts[0].lower() in dimensions:
            return ".".join(map(quote, (alias, parts[0])))
        return ".".join(map(quote, (alias, COLUMNS, *self._place(parts))))

    def _qualified(self, expression: str, *, hidden: bool = True) -> str:
        """An expression with the relation before each column. A dimension may use those before it (`hidden`)."""
        known = {item.name.lower() for item in self.dimensions if item.expression is not expression} if hidden else ()
        edits = [
            (found.start, found.end, ".".join(map(quote, self._place(found.parts))))
            for found in column_references(expression)
            if len(found.parts) > 1 or found.parts[0].lower() not in known
        ]
        return f"({_edited(expression, edits)})"

    def _place(self, parts: Sequence[str]) -> tuple[str, ...]:
        """The relation of a column, and its name there: behind a join the joins that are nested in it may stand."""
        relation, rest = SOURCE, tuple(parts)
        if len(rest) > 1 and rest[0].lower() == SOURCE:
            return (SOURCE, *rest[1:])
        names = {join.name.lower(): join for join in self.joins}
        while len(rest) > 1 and rest[0].lower() in names:
            join = names[rest[0].lower()]
            if relation not in {SOURCE, join.parent}:
                break
            relation, rest = join.name, rest[1:]
        return (relation, *rest)


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'")


def _relation(source: str) -> str:
    """A table by its name, or a query in brackets."""
    first = TokenCursor(source).key
    return f"(\n{source}\n)" if first in _QUERY_WORDS else source


def _edited(text: str, edits: Iterable[Replacement]) -> str:
    pieces, at = [], 0
    for start, end, new in sorted(edits):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


@dataclass(frozen=True, slots=True)
class MeasureCall:
    """MEASURE(name) or MEASURE(alias.name) in a text: `qualifiers` are the names before the last one.

    `is_column`: it is a whole column of a SELECT.
    """

    name: str
    qualifiers: tuple[str, ...]
    start: int
    end: int
    is_column: bool = False

    @property
    def alias(self) -> str:
        """The name of a whole column; "" for a part of an expression."""
        name = self.name.replace("`", "``")
        return f" AS `measure({name})`" if self.is_column else ""


def measure_calls(sql: str) -> Iterator[MeasureCall]:
    """The calls of MEASURE with a name in a text."""
    if "measure" not in sql.lower():
        return
    tokens = TokenCursor(sql).tokens
    for index, token in enumerate(tokens[:-1]):
        if token.key != "MEASURE" or tokens[index + 1].key != "(" or (index and tokens[index - 1].key == "."):
            continue
        end = closing(tokens, index + 1)
        inside = tokens[index + 2 : end]
        if end < len(tokens) and _is_path(inside):
            parts = tuple(item.name for item in inside[::2])
            is_column = is_whole_column(tokens, index, end)
            yield MeasureCall(parts[-1], parts[:-1], token.start, tokens[end].end, is_column)


def _is_path(tokens: Sequence[Token]) -> bool:
    names, dots = tokens[::2], tokens[1::2]
    return len(tokens) % 2 == 1 and all(item.is_name for item in names) and all(dot.key == "." for dot in dots)


def metric_view(text: str) -> MetricView:
    """Parses the YAML of a metric view. Raises MetricViewError, placed in `text`."""
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        start = min(mark.index if mark is not None else 0, max(0, len(text.rstrip()) - 1))
        reason = f"{error.problem or 'it is no YAML'}."
        raise errors.MetricViewError(reason[0].upper() + reason[1:]).at(Caret(text, start, start + 1)) from None
    except yaml.YAMLError:
        raise errors.MetricViewError("It has characters that YAML does not allow.").at(Caret(text, 0, 1)) from None
    return _Reader(text).view(node)


def _reached(names: Sequence[str], called: Mapping[str, Sequence[str]]) -> set[str]:
    """The measures that some call, in themselves or in those that they call."""
    seen, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += called.get(name, ())
    return seen


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def view(self, node: Any) -> MetricView:
        values = self.mapping(node, _VIEW, "a metric view")
        version = self.scalar(self.needed(values, "version", node))
        if version not in VERSIONS:
            reason = f"Its version is {version!r}, and the known ones are {', '.join(VERSIONS)}."
            self.refuse(values["version"], reason)
        source = self.scalar(self.needed(values, "source", node)).rstrip().rstrip(";")
        joins = tuple(self.joins(values.get("joins"), SOURCE))
        self.once([(join.name, item) for join, item in joins], "join")
        dimensions = tuple(self.items(self.dimensions(values), "dimension"))
        measures = tuple(self.items(values.get("measures"), "measure"))
        self.once([(item.name, place) for item, place in (*dimensions, *measures)], "dimension or measure")
        if not dimensions and not measures:
            self.refuse(node, "It has neither dimensions nor measures.")
        found = MetricView(
            source,
            self.text_of(values, "filter"),
            tuple(item for item, _ in dimensions),
            tuple(item for item, _ in measures),
            tuple(join for join, _ in joins),
            self.text_of(values, "comment"),
        )
        self.check_measures(found, [place for _, place in measures])
        return found

    def dimensions(self, values: Mapping[str, Any]) -> Any:
        """The list of dimensions, which may be called fields. A materialization beside them is only looked at."""
        if "materialization" in values:
            self.mapping(values["materialization"], _MATERIALIZATION, "a materialization")
        if "dimensions" in values and "fields" in values:
            self.refuse(values["fields"], "Dimensions stand below dimensions or below fields, not below both.")
        return values.get("dimensions", values.get("fields"))

    def check_measures(self, view: MetricView, places: Sequence[Any]) -> None:
        """Each measure aggregates, or calls measures that exist and do not call it; dimensions order its windows."""
        called = {
            item.name.lower(): [call.name.lower() for call in measure_calls(item.expression)] for item in view.measures
        }
        for item, place in zip(view.measures, places, strict=True):
            self.check_windows(view, item, place)
            names = called[item.name.lower()]
            unknown = next((name for name in names if name not in called), None)
            if unknown is not None:
                self.refuse(place, f"The measure {item.name} calls MEASURE({unknown}), which is not there.")
            if not names and not has_aggregate(item.expression):
                self.refuse(place, f"The measure {item.name} has no aggregate function, such as SUM(…) or COUNT(…).")
            if item.name.lower() in _reached(names, called):
                self.refuse(place, f"The measure {item.name} calls itself.")

    def check_windows(self, view: MetricView, item: MetricItem, place: Any) -> None:
        """Each window of a measure is ordered by a dimension."""
        dimensions = {dimension.name.lower() for dimension in view.dimensions}
        for window in item.windows:
            if window.order.lower() not in dimensions:
                reason = f"A window of the measure {item.name} has the order {window.order}, which is no dimension."
                self.refuse(place, reason)

    def items(self, node: Any, kind: str) -> Iterator[tuple[MetricItem, Any]]:
        """The dimensions or measures, each with its node."""
        for item in self.sequence(node, f"{kind}s"):
            known = _ITEM | {"window"} if kind == "measure" else _ITEM
            values = self.mapping(item, known, f"a {kind}")
            name = self.scalar(self.needed(values, "name", item))
            expression = self.needed(values, "expr", item)
            text = self.scalar(expression).strip()
            comment = self.text_of(values, "comment")
            windows = tuple(self.windows(values.get("window")))
            yield MetricItem(name, text, expression.start_mark.index, comment, windows), item

    def windows(self, node: Any) -> Iterator[MetricWindow]:
        """The windows of a measure, each with a dimension that orders it, and a range."""
        for window in self.sequence(node, "windows"):
            values = self.mapping(window, _WINDOW, "a window")
            order = self.scalar(self.needed(values, "order", window))
            extent = self.needed(values, "range", window)
            match = _RANGE.fullmatch(self.scalar(extent).strip())
            if match is None:
                self.refuse(extent, "A range is current, cumulative, all, trailing n unit or leading n unit.")
            ends = (self.text_of(values, "semiadditive") or "last").lower()
            if ends not in {"first", "last"}:
                self.refuse(values["semiadditive"], "The key semiadditive is first or last.")
            kind, length = (
                (match["kind"] or match["moving"]).upper(),
                (int(match["count"] or 0), (match["unit"] or "").upper()),
            )
            is_inclusive = (match["ends"] or "").lower() == "inclusive"
            yield MetricWindow(order, kind, length, is_inclusive, ends == "first", self.offset(values))

    def offset(self, values: Mapping[str, Any]) -> tuple[int, str] | None:
        """The number and the unit by which a window is moved; None where it is not."""
        text = self.text_of(values, "offset")
        if text is None:
            return None
        match = _OFFSET.fullmatch(text)
        if match is None:
            self.refuse(values["offset"], "An offset is a number with or without a unit, such as -1 month.")
        return int(match["count"]), (match["unit"] or "").upper()

    def joins(self, node: Any, parent: str) -> Iterator[tuple[MetricJoin, Any]]:
        """The joins to a relation, each followed by those that are nested in it."""
        for item in self.sequence(node, "joins"):
            values = self.mapping(item, _JOIN, "a join")
            name = self.scalar(self.needed(values, "name", item))
            if name.lower() == SOURCE:
                self.refuse(values["name"], "A join cannot have the name source, which the source of the view has.")
            condition = self.text_of(values, "on")
            using: tuple[str, ...] = ()
            if "using" in values:
                using = tuple(self.scalar(column) for column in self.sequence(values["using"], "columns"))
            if (condition is None) == (not using):
                self.refuse(item, f"The join {name} needs a condition: on, or using with columns, and not both.")
            source = self.scalar(self.needed(values, "source", item)).rstrip().rstrip(";")
            yield MetricJoin(name, source, condition, using, parent), item
            yield from self.joins(values.get("joins"), name)

    def mapping(self, node: Any, known: set[str], what: str) -> Mapping[str, Any]:
        """The values of a mapping by their keys."""
        if node is None or node.id != "mapping":
            self.refuse(node, f"Keys with values are expected here, for {what}.")
        values: dict[str, Any] = {}
        for key, value in node.value:
            name = self.scalar(key)
            if name not in known:
                similar = closest(name, known)
                hint = f"Did you mean {similar}?" if similar else f"Known ones are {', '.join(sorted(known))}."
                self.refuse(key, f"The key {name} is none of {what}. {hint}")
            if name in values:
                self.refuse(key, f"The key {name} stands twice.")
            values[name] = value
        return values

    def sequence(self, node: Any, what: str) -> Sequence[Any]:
        if node is None or (node.id == "scalar" and not node.value):
            return ()
        if node.id != "sequence":
            self.refuse(node, f"A list of {what} is expected here.")
        items: Sequence[Any] = node.value
        return items

    def scalar(self, node: Any) -> str:
        if node.id != "scalar":
            self.refuse(node, "A text is expected here.")
        return str(node.value)

    def text_of(self, values: Mapping[str, Any], key: str) -> str | None:
        """The text of a key, None without one."""
        text = self.scalar(values[key]).strip() if key in values else ""
        return text or None

    def needed(self, values: Mapping[str, Any], key: str, node: Any) -> Any:
        if key not in values or (values[key].id == "scalar" and not values[key].value.strip()):
            self.refuse(values.get(key, node), f"The key {key} is missing, or has no value.")
        return values[key]

    def once(self, names: Sequence[tuple[str, Any]], kind: str) -> None:
        seen = set[str]()
        for name, node in names:
            if name.lower() in seen:
                self.refuse(node, f"Another {kind} is called {name}.")
            seen.add(name.lower())

    def refuse(self, node: Any, reason: str) -> NoReturn:
        """Raises MetricViewError, at the first line of a node."""
        start = 0 if node is None else node.start_mark.index
        end = len(self.text) if node is None else max(node.end_mark.index, start + 1)
        line = self.text.find("\n", start)
        end = min(end, line if line > start else end)
        raise errors.MetricViewError(reason).at(Caret(self.text, start, end))
