"""Calls of geospatial functions, and of those of IP addresses, as SQL of Spark, which calls functions of Python.

Two files are the table, by the packages that a function needs. A signature has the names of the arguments, brackets
around those that may be left out, and the type of the result in SQL: `*` is the type of the first argument, `srid` the
number of the coordinate system that the argument of this name says. `SHAPE` is a GEOGRAPHY where the first argument is
one, else a GEOMETRY, and `WRITTEN` a BINARY or a STRING: there are two functions of Python, between which `IDENTIFIER`
decides by the type of the argument. A call is translated in two steps: `marker` stands in place of its name first,
while the texts of its arguments are bound, and `with_calls` makes SQL of it, in which an argument may stand twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

from deltasql.base import Token, closing, comma_separated, errors, tokenize
from deltasql.schema import HIDDEN_PREFIX
from deltasql.sql.statement_texts import Replacement

_FILES = tuple(Path(__file__).with_name(name) for name in ("address_functions.json", "geospatial_functions.json"))
_MARKER = f"{HIDDEN_PREFIX}call_"
_NAME = f"{HIDDEN_PREFIX}added_"
_OTHER = f"{_NAME}other_"
HIDDEN_FUNCTION = re.compile(rf"`?{_NAME}(?:other_)?(\w+)`?")
"""The name of a function of Python in a text of Spark's; its group is the name that users know."""
_BY_TYPE = {"SHAPE": ("GEOMETRY(ANY)", "GEOGRAPHY(4326)"), "WRITTEN": ("STRING", "BINARY")}
"""The types of results that have two functions of Python. The second stands for arguments whose type is called so."""
_CHOSEN = re.compile(rf"IDENTIFIER\(if\(typeof\(.*?'{_OTHER}\w+', '({_NAME}\w+)'\)\)", re.DOTALL)
_MARKED = re.compile(rf"{_MARKER}\w+\(")
_COLLECTED = "list of "
"""Before an argument that is the list of the values of a group."""
_GENERATORS = frozenset({"explode", "explode_outer", "inline", "inline_outer", "posexplode", "posexplode_outer"})
_NO_ITEM_END = frozenset(
    {"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "MINUS"}
)
_ITEM_END = frozenset(
    {*_NO_ITEM_END, "LATERAL", "WINDOW", "QUALIFY", "CLUSTER", "SORT", "DISTRIBUTE", "OFFSET", ";", "|>"}
)
_OPERATORS = (
    frozenset("+-*/%=<>!|&^~,([{:")
    | {"::", "||", "<>", "<=", ">=", "!=", "=="}
    | {"AND", "OR", "NOT", "IS", "IN", "LIKE", "BETWEEN", "END", "DIV"}
)

_called = set[str]()


@dataclass(frozen=True, slots=True)
class AddedFunction:
    """A function by its `name`: the `packages` that it needs, its `arguments` by name, and the type that it `returns`.

    The last `optional` arguments may be left out.
    """

    name: str
    packages: tuple[str, ...]
    arguments: tuple[str, ...]
    optional: int
    returns: str

    @property
    def signature(self) -> str:
        """The call as it is written, with its type."""
        needed = len(self.arguments) - self.optional
        written = ", ".join(self.arguments[:needed]) + "".join(f"[, {name}]" for name in self.arguments[needed:])
        return f"{self.name}({written.replace(_COLLECTED, '')})"

    @property
    def is_aggregate(self) -> bool:
        return self.arguments[0].startswith(_COLLECTED)

    @property
    def hidden(self) -> str:
        """The name of the function of Python in Spark."""
        return f"{_NAME}{self.name}"

    @property
    def by_type(self) -> Mapping[str, str]:
        """The names of its functions of Python by the types of their results."""
        if self.returns in _BY_TYPE:
            return dict(zip(_BY_TYPE[self.returns], (self.hidden, f"{_OTHER}{self.name}"), strict=True))
        return {self.returns: self.hidden}


@cache
def added_functions() -> Mapping[str, AddedFunction]:
    """The functions by name."""
    return {
        name: _function(name, packages, signature)
        for file in _FILES
        for packages, functions in json.loads(file.read_text(encoding="utf-8")).items()
        for name, signature in functions.items()
    }


def _function(name: str, packages: str, signature: str) -> AddedFunction:
    written, _, returns = signature.partition(" -> ")
    arguments = tuple(part.strip(" ]") for part in re.split(r"\[?, ", written))
    return AddedFunction(name, tuple(packages.split()), arguments, written.count("["), returns)


def called_functions() -> frozenset[str]:
    """The functions that texts of this process have called until now, for the engine, which must know them."""
    return frozenset(_called)


def marker(name: str, arguments: int) -> str:
    """The text in place of the name and the bracket of a call with so many arguments.

    Raises SparkError for a wrong number of them, PythonPackagesError.
    """
    function = added_functions()[name]
    most = len(function.arguments)
    if not most - function.optional <= arguments <= most:
        expected = str(most) if not function.optional else f"{most - function.optional} to {most}"
        plural = "s" * (most > 1)
        text = f"The call is {function.signature}, with {expected} argument{plural}, and this one has {arguments}."
        raise errors.SparkError("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605", text)
    missing = tuple(package for package in function.packages if find_spec(package) is None)
    if missing:
        raise errors.PythonPackagesError(name, missing, "'deltasql[geo]'")
    return f"{_MARKER}{name}("


def with_calls(sql: str) -> str:
    """`sql` with calls of functions of Python in place of those that are marked."""
    if _MARKED.search(sql) is None:
        return sql
    return _Expansion(sql, tokenize(sql)).text(0, None)


def as_called(sql: str) -> str:
    """The reverse of `with_calls` for messages: calls of functions of Python as users write them."""
    while (found := next(_readers(sql), None)) is not None:
        start, inner, end = found
        sql = f"{sql[:start]}{inner}{sql[end:]}"
    return HIDDEN_FUNCTION.sub(r"\1", _CHOSEN.sub(r"\1", sql))


def _readers(sql: str) -> Iterator[tuple[int, str, int]]:
    """The places of calls of `from_json` around a function of Python, each with the call inside."""
    tokens = tokenize(sql) if HIDDEN_FUNCTION.search(sql) else ()
    for index, token in enumerate(tokens[:-4]):
        if token.key == "FROM_JSON" and tokens[index + 2].text.startswith(_NAME):
            close, inner = closing(tokens, index + 1), closing(tokens, index + 3)
            yield token.start, sql[tokens[index + 2].start : tokens[inner].end], tokens[close + 2].end


class _Column(NamedTuple):
    """A column of VALUES: a call of `name`, or a value alone if that is empty.

    `arguments` are texts, or None where they differ from row to row; `given` has the texts of each of these, by row.
    """

    name: str
    arguments: Sequence[str | None]
    given: list[list[str]]

    def sql(self, names: Iterable[str]) -> str:
        """The column over columns of these names."""
        left = iter(names)
        texts = [next(left) if text is None else text for text in self.arguments]
        return with_calls(f"{self.name}({', '.join(texts)})") if self.name else texts[0]


_Call: TypeAlias = "tuple[str, list[str]]"
"""The marked name of a function, and its arguments."""


def _shared(calls: Sequence[_Call | None]) -> _Column | None:
    """The one call over the rows of VALUES, where None is NULL; None where they call several functions, or none."""
    found = [call for call in calls if call is not None]
    if len({(name, len(arguments)) for name, arguments in found}) != 1 or not found[0][0]:
        return None
    shown = tuple(_common(column) for column in zip(*(arguments for _, arguments in found), strict=True))
    if None in calls and None not in shown:
        return None
    return _Column(found[0][0], shown, [_given(calls, at) for at, text in enumerate(shown) if text is None])


def _given(calls: Sequence[_Call | None], at: int) -> list[str]:
    """The argument at one place, by row."""
    return [call[1][at] if call else "NULL" for call in calls]


def _common(texts: Sequence[str]) -> str | None:
    """The text that all are; None if they differ."""
    return texts[0] if len(set(texts)) == 1 else None


def _select(values: Iterable[str]) -> str:
    return "SELECT " + ", ".join(f"{value} AS col{number}" for number, value in enumerate(values, start=1))


@dataclass(frozen=True, slots=True)
class _Expansion:
    sql: str
    tokens: Sequence[Token]

    def text(self, first: int, last: int | None) -> str:
        """The tokens from `first` to before `last` (None: all of the text) with their calls expanded."""
        tokens = self.tokens
        at = tokens[first].start if last is not None else 0
        pieces, index, end = list[str](), first, len(tokens) if last is None else last
        while index < end:
            token = tokens[index]
            if token.text.startswith(_MARKER):
                close = closing(tokens, index + 1)
                pieces += [self.sql[at : token.start], self._call(index, close)]
                at, index = tokens[close].end, close
            elif token.key == "VALUES" and (rows := self._rows(index)):
                pieces += [self.sql[at : token.start], f"({self._query(rows)})"]
                index = rows[-1][1]
                at = tokens[index].end
            index += 1
        return "".join([*pieces, self.sql[at : None if last is None else tokens[end - 1].end]])

    def _rows(self, index: int) -> list[tuple[int, int]]:
        """The brackets of the rows of VALUES, which is at `index`; none where no row has a call.

        Spark evaluates no function of Python in VALUES.
        """
        rows, opening, tokens = list[tuple[int, int]](), index + 1, self.tokens
        while opening < len(tokens) and tokens[opening].key == "(":
            rows.append((opening, closing(tokens, opening)))
            after = tokens[rows[-1][1] + 1 :][:2]
            opening = rows[-1][1] + 2 if [token.key for token in after] == [",", "("] else len(tokens)
        inside = tokens[index : rows[-1][1]] if rows else ()
        return rows if any(token.text.startswith(_MARKER) for token in inside) else []

    def _query(self, rows: Sequence[tuple[int, int]]) -> str:
        """The query of rows of VALUES: over their arguments where all rows call the same functions, else a union."""
        items = [list(self._items(opening + 1, close)) for opening, close in rows]
        columns = [self._column(places) for places in zip(*items, strict=False)]
        values, names, given = list[str](), list[str](), list[list[str]]()
        for column in columns if len(set(map(len, items))) == 1 else ():
            if column is not None:
                new = [f"{HIDDEN_PREFIX}value_{len(names) + number}" for number in range(len(column.given))]
                values.append(column.sql(new))
                names, given = names + new, given + column.given
        if not names or len(values) < len(columns):
            return " UNION ALL ".join(_select([self.text(*place) for place in row]) for row in items)
        lines = ", ".join(f"({', '.join(line)})" for line in zip(*given, strict=True))
        return f"{_select(values)} FROM VALUES {lines} AS {HIDDEN_PREFIX}rows({', '.join(names)})"

    def _column(self, places: Sequence[tuple[int, int]]) -> _Column | None:
        """A column of VALUES, whose places are those of its rows; None where these do not call one function.

        NULL in place of a call is a call with NULL, whose result is NULL.
        """
        texts = [self._written(first, last) for first, last in places]
        if not any(_MARKER in text for text in texts):
            return _Column("", (None,), [texts])
        return _shared([self._whole_call(*place) for place in places])

    def _whole_call(self, first: int, last: int) -> _Call | None:
        """The call that is all of a text, without calls inside; without a name for any other text; None for NULL."""
        if self.tokens[first].key == "NULL" and last == first + 1:
            return None
        if not self.tokens[first].text.startswith(_MARKER) or closing(self.tokens, first + 1) != last - 1:
            return "", []
        arguments = [self._written(*place) for place in self._parts(first, last - 1)]
        is_plain = _MARKER not in "".join(arguments) and not self._function(first).is_aggregate
        return (self.tokens[first].text if is_plain else "", arguments)

    def _written(self, first: int, last: int) -> str:
        """The text of some tokens, as it is."""
        return self.sql[self.tokens[first].start : self.tokens[last - 1].end]

    def _call(self, index: int, close: int) -> str:
        """The call whose name is at `index` and whose bracket closes at `close`."""
        function = self._function(index)
        _called.add(function.name)
        parts = list(self._parts(index, close))
        texts = [self.text(first, last) for first, last in parts]
        if "(srid)" in function.returns:
            has_srid = len(texts) == len(function.arguments)
            srid = texts[-1] if has_srid else "0"
            inner = texts if function.name == "st_transform" or not has_srid else texts[:-1]
            return f"st_setsrid({function.hidden}({', '.join(inner)}), {srid})"
        if function.is_aggregate:
            texts[0] = f"collect_list({texts[0]})"
        if function.returns in _BY_TYPE:
            return f"{self._chosen(function, *parts[0])}({', '.join(texts)})"
        call = f"{function.hidden}({', '.join(texts)})"
        if "*" not in function.returns:
            return call
        kinds = [f"'value {function.returns.replace('*', kind)}'" for kind in ("STRING", "BIGINT")]
        return f"from_json({call}, if({self._kind(*parts[0])} LIKE '%string%', {kinds[0]}, {kinds[1]})).value"

    def _kind(self, first: int, last: int) -> str:
        """SQL for the type of the tokens from `first` to before `last`, without what does not matter to it."""
        called = self._called(first, last)
        if called is not None and ("*" in called.returns or called.returns in _BY_TYPE):
            return self._kind(*next(self._parts(first, last - 1)))
        return f"typeof({self.text(first, last)})"

    def _chosen(self, function: AddedFunction, first: int, last: int) -> str:
        """The name of the function of Python for the type of its argument, which Spark finds where it is not known."""
        one, other = function.by_type.values()
        word = _BY_TYPE[function.returns][1].partition("(")[0]
        called = self._called(first, last)
        if called is not None and called.returns not in _BY_TYPE and "*" not in called.returns:
            return other if called.returns.startswith(word) else one
        return f"IDENTIFIER(if({self._kind(first, last)} LIKE '%{word.lower()}%', '{other}', '{one}'))"

    def _called(self, first: int, last: int) -> AddedFunction | None:
        """The function whose call is all of the tokens from `first` to before `last`; None for another text."""
        is_call = self.tokens[first].text.startswith(_MARKER) and closing(self.tokens, first + 1) + 1 == last
        return self._function(first) if is_call else None

    def _function(self, index: int) -> AddedFunction:
        return added_functions()[self.tokens[index].text.removeprefix(_MARKER)]

    def _parts(self, index: int, close: int) -> Iterator[tuple[int, int]]:
        """The places of the arguments of a call."""
        return self._items(index + 2, close)

    def _items(self, at: int, close: int) -> Iterator[tuple[int, int]]:
        """The places between the commas from `at` to the closing bracket."""
        for item in comma_separated(self.tokens[at:close]):
            if item:
                yield at, at + len(item)
            at += len(item) + 1


def column_names(sql: str, names: Collection[str]) -> Iterator[Replacement]:
    """Insertions of aliases behind columns of SELECT lists that call a function of `names` and have no alias.

    Spark would name such a column by the SQL that it is given.
    """
    tokens = tokenize(sql)
    for index, token in enumerate(tokens):
        if token.key == "SELECT":
            for first, last in _items(tokens, index + 1):
                if _is_unnamed(tokens, first, last, names):
                    shown = " ".join(sql[tokens[first].start : tokens[last - 1].end].split()).replace("`", "")
                    yield tokens[last - 1].end, tokens[last - 1].end, f" AS `{shown}`"


def _items(tokens: Sequence[Token], at: int) -> Iterator[tuple[int, int]]:
    """The places of the columns of a SELECT list that begins at an index."""
    while at < len(tokens) and tokens[at].key in {"DISTINCT", "ALL"}:
        at += 1
    first = at
    while at < len(tokens) and tokens[at].key not in _ITEM_END and tokens[at].key not in {")", "]"}:
        if tokens[at].key == ",":
            yield first, at
            first = at + 1
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    if first < at <= len(tokens):
        yield first, at


def _is_unnamed(tokens: Sequence[Token], first: int, last: int, names: Collection[str]) -> bool:
    inside = tokens[first:last]
    calls = any(token.is_name and token.name.lower() in names and after.key == "(" for token, after in pairwise(inside))
    if not calls or inside[0].name.lower() in _GENERATORS or inside[-1].key == "*":
        return False
    before, end = inside[-2], inside[-1]
    # A field gives its name to the column.
    is_named = end.is_name and end.key != "END" and before.key not in _OPERATORS
    return not is_named and not _has_alias(inside)


def _has_alias(inside: Sequence[Token]) -> bool:
    """Whether AS stands outside of brackets."""
    at = 0
    while at < len(inside):
        if inside[at].key == "AS":
            return True
        at = closing(inside, at) + 1 if inside[at].key in {"(", "["} else at + 1
    return False
