"""Operators of Databricks that Spark lacks, `a?::INT` and `a:b.c[0]`, and statements with bound parameter values.

The operators stand behind an operand, and are rewritten to functions of Spark. Source: Databricks, "?:: (question
double colon sign) operator", "JSON path expression". A statement with bound parameters also has its text without their
values, for messages and the history.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote as percent_encoded

from deltasql.base import AFTER_COLUMNS, Caret, DeltaSqlError, Token, closing, errors, tokenize
from deltasql.plan import SqlText, base
from deltasql.schema import quote_name as quote
from deltasql.schema import text_sql
from deltasql.sql.constants import unquote
from deltasql.sql.stored_expressions import type_end

_TELLING = 6
"""An unquoted value with fewer characters may occur in a text by chance."""


@dataclass(frozen=True, slots=True)
class BoundValue:
    """A literal at [start, end) of the bound text, in place of `marker`: `:name` or `?`."""

    start: int
    end: int
    marker: str
    value: Any = field(repr=False)

    def moved(self, by: int) -> BoundValue:
        """This value, shifted by `by` characters."""
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """`sql` with literals in place of markers; `shifts` are (offset after a literal, characters it added).

    The history and messages have the markers: a value may be a secret.
    """

    sql: str = field(default="", repr=False)
    shifts: tuple[tuple[int, int], ...] = ()
    values: tuple[BoundValue, ...] = ()
    names: tuple[tuple[int, int], ...] = ()
    """Spans of the names that replace IDENTIFIER(…)."""

    def whole_names(self, start: int, end: int) -> tuple[int, int]:
        """The span [start, end) of `sql`, extended to all of a name in which it begins or ends."""
        for first, last in self.names:
            start = first if first <= start < last else start
            end = last if first < end <= last else end
        return start, end

    def to_original(self, offset: int) -> int:
        """The offset in the user's text for an offset in `sql`."""
        return offset - sum(added for after, added in self.shifts if offset >= after)

    def with_names(self, edits: Sequence[tuple[int, int, str]]) -> BoundStatement:
        """This statement with a text in place of each span (start, end) of `sql`, in order.

        Literals within a span are dropped.
        """
        pieces: list[str] = []
        shifts: list[tuple[int, int]] = []
        values: list[BoundValue] = []
        names: list[tuple[int, int]] = []
        at = delta = 0
        for start, end, text in [*edits, (len(self.sql), len(self.sql), "")]:
            shifts += [(after + delta, added) for after, added in self.shifts if at < after <= start]
            values += [item.moved(delta) for item in self.values if at <= item.start and item.end <= start]
            # Of a literal within the span the name takes the place as well.
            within = sum(added for after, added in self.shifts if start < after <= end)
            pieces += [self.sql[at:start], text]
            delta += len(text) - (end - start)
            shifts.append((end + delta, len(text) - (end - start) + within))
            names.append((end + delta - len(text), end + delta))
            at = end
        return BoundStatement("".join(pieces), tuple(shifts), tuple(values), tuple(names[:-1]))

    def within(self, part: SqlText) -> BoundStatement:
        """A part of the statement that is a statement of its own; its offsets count from its own beginning."""
        inside = (item for item in self.values if part.start <= item.start and item.end <= part.end)
        values = (replace(item, start=item.start - part.start, end=item.end - part.start) for item in inside)
        return BoundStatement(part.text, values=tuple(values))

    def text_with_markers(self, part: SqlText) -> str:
        """A part of the statement as it was written, with markers."""
        text = part.text
        if self.sql[part.start : part.end] != text:
            return self.without_values(text)
        pieces, at = [], part.start
        for bound in self.values:
            if part.start <= bound.start and bound.end <= part.end:
                pieces += [self.sql[at : bound.start], bound.marker]
                at = bound.end
        return "".join([*pieces, self.sql[at : part.end]])

    def without_values(self, text: str) -> str:
        """`text`, which is derived from the statement, with markers in place of values that can be recognized.

        Those are values in quotes, and others of six characters or more.
        """
        hidden: str = _hidden(text, self._forms())
        return hidden

    def hide_values(self, error: DeltaSqlError) -> None:
        """Replaces values by markers in the fields of an error, and drops its cause."""
        if not self.values:
            return
        forms = self._forms()
        vars(error).update({name: _hidden(value, forms) for name, value in vars(error).items()})
        error.args = _hidden(error.args, forms)
        # A traceback prints the cause, too, in Spark's words.
        error.__cause__ = None
        error.__suppress_context__ = True

    def _forms(self) -> list[tuple[str, bool, str]]:
        """The texts by which values may occur in a message: (text, whether it must be a whole word, marker).

        The longest value comes first. There may be tens of thousands, each looked for in each text of an error.
        """
        forms: dict[tuple[str, bool], str] = {}
        for bound in sorted(self.values, key=lambda item: item.start - item.end):
            literal = self.sql[bound.start : bound.end]
            if "'" in literal or len(literal) >= _TELLING:
                forms.setdefault((literal, True), bound.marker)
            if isinstance(bound.value, str) and bound.value:
                quoted = ("'" + bound.value + "'", json.dumps(bound.value), json.dumps(bound.value, ensure_ascii=False))
                for text in quoted:
                    forms.setdefault((text, False), bound.marker)
                if len(bound.value) >= _TELLING:
                    forms.setdefault((bound.value, True), bound.marker)
        return [(text, word, marker) for (text, word), marker in forms.items()]


def _hidden(value: Any, forms: Sequence[tuple[str, bool, str]]) -> Any:
    """`value`, a text or a sequence of some, with markers in place of values; anything else as it is."""
    if isinstance(value, (tuple, list)):
        return type(value)(_hidden(item, forms) for item in value)
    if not isinstance(value, str):
        return value
    for text, word, marker in forms:
        # Most are not there, and a pattern takes a hundred times as long to make.
        if text in value:
            pattern = rf"(?<!\w){re.escape(text)}(?!\w)" if word else re.escape(text)
            value = re.sub(pattern, marker.replace("\\", r"\\"), value)
    return value


UNBOUND = BoundStatement()


def is_try_cast(tokens: Sequence[Token], index: int) -> bool:
    """Whether a `?` is the beginning of the operator `?::`, and not a marker that is cast: it follows an operand."""
    if index == 0 or index + 1 == len(tokens):
        return False
    mark, after, before = tokens[index], tokens[index + 1], tokens[index - 1]
    if after.key != "::" or after.start != mark.end:
        return False
    is_operand = before.kind in {"quoted", "string", "dollars", "number"} or before.key in {")", "]", "?"}
    return is_operand or (before.kind == "word" and before.key not in _NO_OPERANDS)


_NO_OPERANDS = frozenset(
    {
        *("SELECT", "WHERE", "AND", "OR", "NOT", "WHEN", "THEN", "ELSE", "CASE", "IN", "ON", "BY", "VALUES", "SET"),
        *("BETWEEN", "IS", "HAVING", "RETURN", "DISTINCT", "ALL", "USING", "DEFAULT", "LIMIT", "OFFSET", "INTERVAL"),
        *("LIKE", "ILIKE", "RLIKE", "REGEXP", "DIV", "QUALIFY", "FROM", "FILTER", "ESCAPE", "UNION", "EXCEPT", "AS"),
    }
)
"""Words that end no operand, and call no function."""
_TYPED = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "X"})


def with_try_casts(bound: BoundStatement) -> BoundStatement:
    """The statement with try_cast(a AS type) in place of a?::type."""
    if "?::" not in bound.sql:
        return bound
    tokens = tokenize(bound.sql)
    edits: dict[tuple[int, int], str] = {}
    for index in range(len(tokens)):
        if tokens[index].key == "?" and is_try_cast(tokens, index):
            if index + 2 == len(tokens) or not tokens[index + 2].is_name:
                caret = Caret(bound.sql, tokens[index].start, tokens[index + 1].end)
                raise errors.ParseSyntaxError("No type stands behind ?::, as in a?::INT.", "?::").at(caret)
            start = tokens[_operand_start(tokens, index - 1)].start
            end = tokens[type_end(tokens, index + 2) - 1].end
            edits[start, start] = "try_cast(" + edits.get((start, start), "")
            edits[tokens[index].start, end] = f" AS {bound.sql[tokens[index + 1].end : end].strip()})"
    return bound.with_names([(start, end, text) for (start, end), text in sorted(edits.items())])


def _operand_start(tokens: Sequence[Token], last: int) -> int:
    """The index of the first token of the operand that ends with token `last`: a.b[0], f(x), CASE … END, a:b::INT."""
    at = last if tokens[last].key not in _OPENED else _opening(tokens, last)
    if tokens[at].key == "[":
        return _operand_start(tokens, at - 1)
    if tokens[at].key == "(" and at > 0 and tokens[at - 1].is_name and tokens[at - 1].key not in _NO_OPERANDS:
        at -= 1
    if at > 1 and tokens[at - 1].key in {".", ":", "::"}:
        return _operand_start(tokens, at - (3 if tokens[at - 2].key == "?" else 2))
    return at - 1 if at > 0 and _belongs_to(tokens, at) else at


def _belongs_to(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token before a literal is a part of it: the sign of -5, the type of DATE '2024-01-31'."""
    before = tokens[at - 1].key
    if tokens[at].kind == "string":
        return before in _TYPED
    return before == "-" and tokens[at].kind == "number" and (at == 1 or not _ends_operand(tokens[at - 2]))


def _ends_operand(token: Token) -> bool:
    return (token.kind != "symbol" and token.key not in _NO_OPERANDS) or token.key in {")", "]"}


_OPENED = {")": "(", "]": "[", "END": "CASE"}


def _opening(tokens: Sequence[Token], last: int) -> int:
    """The index of the bracket, or the CASE, that belongs to the closing one at `last`."""
    closing = tokens[last].key
    opening = _OPENED[closing]
    depth = 0
    for at in range(last, -1, -1):
        depth += (tokens[at].key == closing) - (tokens[at].key == opening)
        if depth == 0:
            return at
    return 0


_TYPES_OF_FIELDS = frozenset({"STRUCT", "ROW"})


@dataclass(frozen=True, slots=True)
class PathBehind:
    """A path behind an operand, as in `raw:a.b[0]`: token indexes of operand and path, and its steps.

    A step is the name of a field in any case (`a`, `` `x y` ``), a field in its exact case (`['a']`), an index, or
    every element (`[*]`).
    """

    first: int
    colon: int
    end: int
    steps: tuple[tuple[str, str], ...]

    @property
    def every(self) -> bool:
        """Whether a step is every element, which a VARIANT does not have."""
        return any(kind == "every" for kind, _ in self.steps)

    @property
    def name(self) -> str:
        """The name of a column with this path: its last field, as for a VARIANT; empty if it has none."""
        return next((text for kind, text in reversed(self.steps) if kind in {"name", "field"}), "")


def json_paths(tokens: Sequence[Token]) -> list[PathBehind]:
    """The paths behind operands in a text, in order; a path behind a path has it in its operand."""
    paths, at = [], 0
    while at < len(tokens):
        if tokens[at].key in _TYPES_OF_FIELDS and tokens[at + 1 : at + 2] and tokens[at + 1].key == "<":
            at = type_end(tokens, at)
            continue
        if tokens[at].key == ":" and at > 0 and _ends_operand(tokens[at - 1]) and not _is_marker(tokens, at - 1):
            steps, end = _steps(tokens, at + 1)
            if steps:
                paths.append(PathBehind(_operand_start(tokens, at - 1), at, end, steps))
                at = end
                continue
        at += 1
    return paths


def _is_marker(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name is that of a parameter without a value, `:p`."""
    return at > 0 and tokens[at - 1].key == ":" and (at == 1 or not _ends_operand(tokens[at - 2]))


def _steps(tokens: Sequence[Token], at: int) -> tuple[tuple[tuple[str, str], ...], int]:
    """The steps of a path from token `at` on, and the index behind them; none if there is no path."""
    steps: list[tuple[str, str]] = []
    while at < len(tokens):
        dot = 1 if steps and tokens[at].key == "." else 0
        step, length = None, dot + 1
        if (dot or not steps) and at + dot < len(tokens) and tokens[at + dot].is_name:
            step = "name", tokens[at + dot].name
        elif tokens[at].key == "[" and [token.key for token in tokens[at + 2 : at + 3]] == ["]"]:
            step, length = _in_brackets(tokens[at + 1]), 3
        if step is None:
            break
        steps.append(step)
        at += length
    return tuple(steps), at


def _in_brackets(token: Token) -> tuple[str, str] | None:
    if token.kind == "string":
        return "field", unquote(token.text)
    if token.key == "*":
        return "every", "*"
    return ("index", token.text) if token.kind == "number" and token.text.isdigit() else None


def with_json_paths(sql: str, texts: Container[int], asked: int | None = None) -> str:
    """`sql` with JSON functions in place of the paths whose numbers are in `texts`, those behind texts.

    Columns of a SELECT without a name are called as for a VARIANT: by the last field of the path. In place of the path
    `asked` stands a function whose refusal names the type of the operand.
    """
    tokens = tokenize(sql)
    prefixes: dict[int, str] = {}
    edits: list[tuple[int, int, str]] = []
    replaced = []
    for number, path in enumerate(json_paths(tokens)):
        if number not in texts and number != asked:
            edits += _spark_quotes(tokens[path.colon : path.end])
            continue
        replaced.append(path)
        prefix, suffix = (f"{ASKING}(", ")") if number == asked else _extraction(path.steps)
        start = tokens[path.first].start
        prefixes[start] = prefix + prefixes.get(start, "")
        edits.append((tokens[path.colon - 1].end, tokens[path.end - 1].end, suffix))
    edits += [(start, start, prefix) for start, prefix in prefixes.items()]
    for first, end in _unnamed_items(tokens) if replaced else ():
        if within := [path for path in replaced if first <= path.first < path.end <= end]:
            named = quote(_name_of_item(sql, tokens, (first, end), within))
            edits.append((tokens[end - 1].end, tokens[end - 1].end, f" AS {named}"))
    pieces, at = [], 0
    for start, end, text in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [sql[at:start], text]
        at = end
    return "".join([*pieces, sql[at:]])


ASKING = "map_keys"
"""A function that takes neither a text nor a VARIANT."""


def _spark_quotes(path: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Edits of a VARIANT's path: Spark has no field in double quotes."""
    for token in path:
        if token.text.startswith('"') and not set(token.text) & set("'\\"):
            yield token.start, token.end, f"'{token.text[1:-1]}'"


def _name_of_item(sql: str, tokens: Sequence[Token], item: tuple[int, int], paths: Sequence[PathBehind]) -> str:
    """The name of a column of SELECT that has paths: its text, with the last field in place of each path.

    Casts are left out, as Spark leaves them out of the name of a VARIANT's field.
    """
    first, end = item
    pieces, at = [], tokens[first].start
    if _is_cast(tokens, paths[-1], first, end):
        return paths[-1].name or "value"
    for path in paths:
        if all(path is other or not other.first <= path.first < path.end <= other.colon for other in paths):
            pieces += [sql[at : tokens[path.first].start], path.name or "value"]
            at = tokens[path.end - 1].end
    return " ".join("".join([*pieces, sql[at : tokens[end - 1].end]]).split())


def _is_cast(tokens: Sequence[Token], path: PathBehind, first: int, end: int) -> bool:
    """Whether the tokens from `first` to `end` are a path, cast or not: raw:a::INT, try_cast(raw:a AS INT)."""
    if tokens[first].key in {"CAST", "TRY_CAST"} and path.first == first + 2:
        return path.end < end and tokens[path.end].key == "AS" and closing(tokens, first + 1) == end - 1
    at = path.end
    while path.first == first and at < end and tokens[at].key == "::":
        at = type_end(tokens, at + 1)
    return path.first == first and at == end


def _unnamed_items(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The columns of each SELECT that have no alias, as ranges of token indexes."""
    starts: dict[int, int] = {}
    depth = 0
    for at, token in enumerate([*tokens, Token("symbol", ";", ";", 0)]):
        if depth in starts and (token.key in {")", "]"} or _ends_item(token, tokens[at - 1].key)):
            start = starts.pop(depth)
            if at > start and not _has_alias(tokens[start:at]):
                yield start, at
            if token.key == ",":
                starts[depth] = at + 1
        elif token.key == "SELECT" or (token.key in {"DISTINCT", "ALL"} and starts.get(depth) == at):
            starts[depth] = at + 1
        depth += (token.key in {"(", "["}) - (token.key in {")", "]"})


def _ends_item(token: Token, before: str) -> bool:
    """Whether a token ends a column of SELECT, and is no field's name, no * EXCEPT and no IS DISTINCT FROM."""
    if token.key not in {",", *AFTER_COLUMNS}:
        return False
    return before not in {".", ":"} and (token.key, before) not in {("FROM", "DISTINCT"), ("EXCEPT", "*")}


def _has_alias(item: Sequence[Token]) -> bool:
    if len(item) < 2 or item[-1].key in {")", "END"}:
        return item[-1].key == ")" and any(token.key == "AS" for token in _outside(item))
    return item[-2].key == "AS" or (item[-1].is_name and _ends_operand(item[-2]))


def _outside(item: Sequence[Token]) -> Iterator[Token]:
    """The tokens of an item outside of brackets."""
    depth = 0
    for token in item:
        depth += (token.key in {"(", "["}) - (token.key in {")", "]"})
        if depth == 0:
            yield token


def _extraction(steps: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The SQL before and behind an operand that gives the value at the end of a path."""
    prefix, suffix, rest = "", "", list(steps)
    while rest:
        group = [rest.pop(0)]
        while rest and (rest[0][0] != "name" or any(kind == "every" for kind, _ in group)):
            group.append(rest.pop(0))
        before, behind = _part(group)
        prefix, suffix = before + prefix, suffix + behind
    return prefix, suffix


def _part(steps: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """As `_extraction`, of steps that one call of get_json_object takes: names in any case are looked up before."""
    if all(kind != "name" for kind, _ in steps):
        return "get_json_object(", f", {text_sql('$' + ''.join(map(_step, steps)))})"
    pieces, every = ["'$'"], False
    for kind, text in steps:
        every = every or kind == "every"
        if kind == "name":
            around = _step(("field", text)).split(text, 1)
            pieces += [text_sql(around[0]), _spelling(text, every), *([text_sql(around[1])] if around[1] else [])]
        else:
            pieces.append(text_sql(_step((kind, text))))
    path = f"concat({', '.join(pieces)})"
    return "element_at(transform(array(", f"), __json -> get_json_object(__json, {path})), 1)"


def _step(step: tuple[str, str]) -> str:
    """A step as get_json_object spells it. Raises ParseSyntaxError for a name that it cannot spell."""
    kind, text = step
    if kind == "every":
        return "[*]"
    if kind == "index":
        return f"[{text}]"
    if text != "*" and text and not set(text) & set(".["):
        return f".{text}"
    if not text or set(text) & set("'?"):
        reason = f"A field of the name {text!r} cannot be looked up: read the text with from_json or parse_json."
        raise errors.ParseSyntaxError(reason, text)
    return f"['{text}']"


def _spelling(name: str, every: bool) -> str:
    """SQL of the spelling that a field `name` has in the object `__json`, or in its elements; NULL if it has none.

    It fails if there are several, as Databricks does: the case then decides.
    """
    wanted, failure = text_sql(name), f"raise_error({text_sql(base.JSON_NAME + percent_encoded(name) + '|')})"
    if every:
        # Elements may differ: all names in the text that are spelled so count.
        found = f"regexp_extract_all(__json, {text_sql(_KEY.format(re.sub(_NO_WORD, _escaped, name)))}, 1)"
        chosen = f"coalesce(try_element_at(__keys, 1), {wanted})"
    else:
        found = f"filter(json_object_keys(__json), __key -> lower(__key) = lower({wanted}))"
        chosen = "try_element_at(__keys, 1)"
    choice = f"CASE WHEN size(__keys) > 1 THEN {failure} ELSE {chosen} END"
    return f"element_at(transform(array(array_distinct({found})), __keys -> {choice}), 1)"


_KEY = r'(?iu)"({})"\s*:'
_NO_WORD = re.compile(r"[^\w\s]", re.ASCII)


def _escaped(symbol: re.Match[str]) -> str:
    return "\\" + symbol[0] if symbol[0].isascii() else symbol[0]
