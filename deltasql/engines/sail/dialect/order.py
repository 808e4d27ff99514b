"""Queries that Sail does not parse, or parses differently from Spark, rewritten to equivalent ones.

- `FROM t SELECT a`, and VALUES with arrays and maps.
- ORDER BY expressions that the SELECT does not return: Sail cannot sort by an aggregate that is no column, nor by an
  expression that may fail, as each guard may. They become columns of an inner query, which the outer one drops.
- `* EXCEPT (…)`, GROUP BY ALL and ORDER BY ALL are expanded to columns.
- The branches of UNION, INTERSECT and EXCEPT are cast, since Sail requires equal types of all.
- Columns without an alias get Spark's names, where the column's text determines them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from deltasql.base import Token, TokenCursor, closing, comma_separated, errors, tokenize, tokens_from
from deltasql.engines.sail.dialect.inlining import SETS, divides, scope_at
from deltasql.engines.sail.guards.exact_types import common_type
from deltasql.schema import VOID, StructType, sql_text
from deltasql.schema import quote_name as quote
from deltasql.sql import derived_type, has_aggregate

_UNIONS_SUSPECT = re.compile(rf"\b(?:{'|'.join(SETS)})\b", re.IGNORECASE)
_UNIONS_BEHIND = frozenset({"ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET"})
"""Keywords behind the last branch whose clauses apply to the whole set operation."""
_UNIONS_BEGINS = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "FROM", "("})


class Branch(NamedTuple):
    """One branch: its offsets in the query, and its text with the WITH clause of the whole."""

    start: int
    end: int
    query: str


def set_operations(sql: str) -> list[list[Branch]]:
    """The branches of each set operation of a query, the innermost last."""
    if not _UNIONS_SUSPECT.search(sql):
        return []
    tokens = tokenize(sql)
    begin = behind_with(tokens)
    prefix = sql[: tokens[begin].start] if 0 < begin < len(tokens) else ""
    groups = [(index + 1, closing(tokens, index)) for index, token in enumerate(tokens) if token.key == "("]
    operations = [
        [
            Branch(tokens[first].start, tokens[end - 1].end, prefix + sql[tokens[first].start : tokens[end - 1].end])
            for first, end in _spans(tokens[start:stop], start)
            if end > first and tokens[first].key in _UNIONS_BEGINS
        ]
        for start, stop in [(begin, len(tokens)), *groups]
    ]
    return [branches for branches in operations if len(branches) > 1]


def is_of_one_kind(sql: str, branches: Sequence[Branch]) -> bool:
    """Whether all branches are joined by the same operator: INTERSECT binds stronger than the others."""
    between = (sql[first.end : second.start] for first, second in pairwise(branches))
    return len({next((token.key for token in tokenize(text) if token.key in SETS), "") for text in between}) == 1


def cast_branch(branch: str, names: Sequence[str], kinds: Sequence[str]) -> str:
    """A branch whose columns have these names, cast to types of SQL; "" leaves a column as it is."""
    tokens = tokenize(branch)
    if tokens[0].key == "(" and closing(tokens, 0) == len(tokens) - 1:
        branch = branch[tokens[0].end : tokens[-1].start]
    columns = [f"c{number}" for number in range(1, len(names) + 1)]
    listed = (
        f"{f'CAST({column} AS {kind})' if kind else column} AS {quote(name)}"
        for column, name, kind in zip(columns, names, kinds, strict=True)
    )
    return f"SELECT {', '.join(listed)} FROM ({branch}) AS branch({', '.join(columns)})"


def _spans(tokens: Sequence[Token], offset: int) -> Iterator[tuple[int, int]]:
    """The range of each branch, as indexes of all tokens."""
    at = first = 0
    while at < len(tokens) and not (tokens[at].key in _UNIONS_BEHIND and at > first):
        if divides(tokens, at):
            yield offset + first, offset + at
            at += 1
            at += at < len(tokens) and tokens[at].key in {"ALL", "DISTINCT"}
            first = at
        else:
            at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    yield offset + first, offset + min(at, len(tokens))


def behind_with(tokens: Sequence[Token]) -> int:
    """The index of the token behind the WITH clause of a query; 0 without one."""
    if not tokens or tokens[0].key != "WITH":
        return 0
    at = 1
    while at < len(tokens):
        if tokens[at].key in {"SELECT", "VALUES", "TABLE", "FROM"}:
            return at
        if tokens[at].key == "(":
            at = closing(tokens, at)
            # Behind the brackets of a common table expression another one, or the query, follows.
            if at + 1 < len(tokens) and tokens[at + 1].key == "(":
                return at + 1
        at += 1
    return 0


_FROM_FIRST = re.compile(r"\bfrom\b", re.IGNORECASE)
_BEHIND = frozenset(
    {"WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"}
    | {"LATERAL", "UNION", "INTERSECT", "EXCEPT", "MINUS"}
)
"""Keywords that may follow the list of a SELECT without FROM."""


_BEGINS = re.compile(r"(?:\(|\A)\s*(?=(?:from|with)\b)", re.IGNORECASE)
_VALUES = re.compile(r"\bvalues\s*\(", re.IGNORECASE)
_PARTS = re.compile(r"\bvalues\s*\(.*\b(?:array|map)\s*\(", re.IGNORECASE | re.DOTALL)


def select_first(sql: str) -> str:
    """A query with FROM before SELECT, at any depth, in the usual order; any other text as it is."""
    if not _FROM_FIRST.search(sql):
        return sql
    for match in reversed(list(_BEGINS.finditer(sql))):
        start = match.end()
        end = _closing_offset(sql, start) if match[0].startswith("(") else len(sql)
        sql = sql[:start] + _turned(sql[start:end]) + sql[end:]
    return sql


def _closing_offset(sql: str, start: int) -> int:
    depth = 1
    for token in tokens_from(sql, start):
        depth += (token.key == "(") - (token.key == ")")
        if depth == 0:
            return token.start
    return len(sql)


def rows_selected(sql: str) -> str:
    """A query whose VALUES hold arrays or maps, with a SELECT for each row: Sail's VALUES require nullable parts."""
    if not _PARTS.search(sql):
        return sql
    tokens, replaced = tokenize(sql), list[tuple[int, int, str]]()
    for index, token in enumerate(tokens):
        if token.key == "VALUES" and index + 1 < len(tokens) and tokens[index + 1].key == "(":
            behind, rows = _rows(sql, tokens, index + 1)
            if any(item.key in {"ARRAY", "MAP"} for item in tokens[index:behind]):
                replaced.append((token.start, tokens[behind - 1].end, f"({' UNION ALL '.join(rows)})"))
    for start, end, text in reversed(replaced):
        sql = sql[:start] + text + sql[end:]
    return sql


def values_alike(sql: str) -> str:
    """A query whose constants in VALUES are cast to the type that Spark gives their column."""
    if not _VALUES.search(sql):
        return sql
    tokens, casts = tokenize(sql), list[tuple[int, int, str]]()
    for index, token in enumerate(tokens[:-1]):
        if token.key == "VALUES" and tokens[index + 1].key == "(":
            rows = list(_cells(tokens, index + 1))
            columns = zip(*rows, strict=True) if len(set(map(len, rows))) == 1 else ()
            casts += [cast for column in columns for cast in _casts(sql, column)]
    for start, end, kind in sorted(casts, reverse=True):
        sql = f"{sql[:start]}CAST({sql[start:end]} AS {kind}){sql[end:]}"
    return sql


def _casts(sql: str, column: Sequence[Sequence[Token]]) -> Iterator[tuple[int, int, str]]:
    """Start, end and type of each cast that cells of a column need; none for cells that are no constants."""
    spans = [(cell[0].start, cell[-1].end) for cell in column]
    kinds = [derived_type(sql[start:end], StructType()) for start, end in spans]
    typed = [kind for kind in kinds if kind is not None]
    common = common_type(typed) if len(typed) == len(kinds) and len(set(typed)) > 1 else None
    for (start, end), kind in zip(spans, kinds, strict=True):
        if common is not None and kind not in {common, VOID}:
            yield start, end, sql_text(common)


def _cells(tokens: Sequence[Token], at: int) -> Iterator[list[Sequence[Token]]]:
    """The cells of each row, from the row whose bracket is token `at`."""
    while at < len(tokens) and tokens[at].key == "(":
        close = closing(tokens, at)
        yield [item for item in comma_separated(tokens[at + 1 : close]) if item]
        if close + 1 >= len(tokens) or tokens[close + 1].key != ",":
            return
        at = close + 2


def _rows(sql: str, tokens: Sequence[Token], at: int) -> tuple[int, list[str]]:
    """The index behind the rows that begin at a bracket, and each row as a SELECT with the column names of VALUES."""
    rows = list[str]()
    while at < len(tokens) and tokens[at].key == "(":
        close = closing(tokens, at)
        items = [item for item in comma_separated(tokens[at + 1 : close]) if item]
        texts = [sql[item[0].start : item[-1].end] for item in items]
        rows.append("SELECT " + ", ".join(f"{text} AS col{number}" for number, text in enumerate(texts, 1)))
        at = close + 1
        if at + 1 >= len(tokens) or tokens[at].key != "," or tokens[at + 1].key != "(":
            break
        at += 1
    return min(at, len(tokens)), rows


def _turned(sql: str) -> str:
    at, positions = TokenCursor(sql), dict[str, int]()
    expected = ["FROM", "SELECT"]
    while at.left:
        token = at.tokens[at.at]
        if expected and token.key in {"SELECT", "VALUES", "TABLE"} and "FROM" not in positions:
            return sql
        if expected and token.key == expected[0]:
            positions[expected.pop(0)] = token.start
        elif not expected and token.key in _BEHIND and not _is_star_except(at):
            positions.setdefault("BEHIND", token.start)
        at.group()
    if expected:
        return sql
    begin, list_begin = positions["FROM"], positions["SELECT"]
    end = positions.get("BEHIND", len(sql))
    chosen, relation = sql[list_begin:end].rstrip(), sql[begin:list_begin].rstrip()
    return f"{sql[:begin]}{chosen}\n{relation}\n{sql[end:]}"


def _is_star_except(at: TokenCursor) -> bool:
    """Whether an EXCEPT belongs to a star: `* EXCEPT (a)`."""
    return at.key == "EXCEPT" and at.peek(-1) == "*" and at.peek(1) == "("


_SUSPECT = re.compile(r"\border\s+by\b.*(?:[-+*/%(]|::|\bcase\b)", re.IGNORECASE | re.DOTALL)
_OTHERS = frozenset({"DISTINCT", "UNION", "INTERSECT", "EXCEPT", "MINUS"})
_COMPUTED = frozenset({"+", "-", "*", "/", "%", "::", "CASE", "DIV", "CAST", "IF"})


def may_sort_by_values(sql: str) -> bool:
    """Whether a query may sort by expressions; `sorted_by_columns` decides."""
    return _SUSPECT.search(sql) is not None


def sorted_by_columns(sql: str, columns: Callable[[str], Sequence[str]]) -> str:
    """`sql` with the expressions of its own ORDER BY as columns of an inner query; `columns` gives those of a query.

    The same text where it has none, or where that is not certain.
    """
    tokens = tokenize(sql)
    begin = behind_with(tokens)
    clauses = {tokens[index].key: index for index in reversed(_outside(tokens, begin))}
    if clauses.get("SELECT") != begin or not {"FROM", "ORDER"} <= clauses.keys() or _OTHERS & clauses.keys():
        return sql
    first, order = clauses["FROM"], clauses["ORDER"]
    end = min(clauses.get("LIMIT", len(tokens)), clauses.get("OFFSET", len(tokens)))
    needed = {"(", *_COMPUTED} if "GROUP" in clauses else _COMPUTED
    if not any(token.key in needed for token in tokens[order + 2 : end]):
        return sql
    names = columns(sql[: tokens[order].start].rstrip())
    sorts, added = _sorts(sql, tokens[order + 2 : end], names, dict(_named(sql, tokens[begin + 1 : first])))
    chosen = sql[tokens[begin].start : tokens[first].start].rstrip()
    behind = sql[tokens[first].start : tokens[order].start].rstrip()
    aliases = [f"c{number + 1}" for number in range(len(names))]
    listed = ", ".join(map("{} AS {}".format, aliases, map(quote, names)))
    aliases += [f"s{number + 1}" for number in range(len(added))]
    inner = f"({', '.join([chosen, *added])} {behind}) AS sorted({', '.join(aliases)})"
    limit = sql[tokens[end].start :] if end < len(tokens) else ""
    return f"{sql[: tokens[begin].start]}SELECT {listed} FROM {inner} ORDER BY {', '.join(sorts)} {limit}".rstrip()


def _named(sql: str, tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Aliases of a SELECT in lower case, and their expressions: behind its FROM they come before columns of it."""
    for item in filter(None, comma_separated(tokens)):
        if len(item) < 2 or not item[-1].is_name or item[-2].key == ".":
            continue
        value = item[: -2 if item[-2].key == "AS" else -1]
        if value[-1].name.lower() != item[-1].name.lower() or len(value) > 1:
            yield item[-1].name.lower(), sql[value[0].start : value[-1].end]


def _sorts(
    sql: str, tokens: Sequence[Token], names: Sequence[str], named: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The ORDER BY items as names of columns, and the expressions to add.

    Names are c1 for the first of the `names`, and s1 for the first added expression.
    """
    sorts, added = list[str](), list[str]()
    folded = list(map(str.lower, names))
    for item in filter(None, comma_separated(tokens)):
        value, how = _split(item)
        text = sql[value[0].start : value[-1].end]
        number = int(text) if text.isdecimal() else 0
        if len(value) == 1 and value[0].is_name and folded.count(value[0].name.lower()) == 1:
            number = folded.index(value[0].name.lower()) + 1
        if not 0 < number <= len(names):
            added.append(_with_values(text, named))
        column = f"c{number}" if 0 < number <= len(names) else f"s{len(added)}"
        sorts.append(column + (f" {sql[how[0].start : how[-1].end]}" if how else ""))
    return sorts, added


def _with_values(text: str, named: Mapping[str, str]) -> str:
    """A text with aliases of a SELECT replaced by their expressions."""
    tokens = tokenize(text)
    for index in reversed(range(len(tokens))):
        token, behind = tokens[index], tokens[index + 1].key if index + 1 < len(tokens) else ""
        is_alone = behind not in {"(", "."} and (index == 0 or tokens[index - 1].key != ".")
        if token.is_name and is_alone and token.name.lower() in named:
            text = f"{text[: token.start]}({named[token.name.lower()]}){text[token.end :]}"
    return text


def _split(item: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """The expression of an ORDER BY item, and its direction: DESC NULLS LAST."""
    end = len(item)
    while end > 1 and item[end - 1].key in {"ASC", "DESC", "NULLS", "FIRST", "LAST"}:
        end -= 1
    return item[:end], item[end:]


def _outside(tokens: Sequence[Token], start: int) -> list[int]:
    positions, at = list[int](), start
    while at < len(tokens):
        positions.append(at)
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    return positions


_EXCEPT = re.compile(r"\*[^,)]*?\bexcept\b", re.IGNORECASE | re.DOTALL)
_ALL = re.compile(r"\border\b.*?\ball\b", re.IGNORECASE | re.DOTALL)
_GROUP_ALL = re.compile(r"\bgroup\b.*?\ball\b", re.IGNORECASE | re.DOTALL)
Columns = Callable[[str], Sequence[str]]
"""Gives the names of the columns of a query."""


def stars_named(sql: str, columns: Columns) -> str:
    """`sql` with column names in place of each star with EXCEPT. Raises NotOnSailError."""
    while _EXCEPT.search(sql):
        tokens = tokenize(sql)
        at = next((index for index in range(len(tokens)) if _stars_is_star_except(tokens, index)), None)
        close = len(tokens) if at is None else closing(tokens, at + 2)
        if at is None or close >= len(tokens):
            return sql
        first = at
        while first > 1 and tokens[first - 1].key == "." and tokens[first - 2].is_name:
            first -= 2
        prefix = sql[tokens[first].start : tokens[at].start]
        names = columns(_probe(sql, tokens, at, f"{prefix}*"))
        listed = ", ".join(prefix + quote(name) for name in _left(names, tokens[at + 3 : close]))
        sql = sql[: tokens[first].start] + (listed or "NULL") + sql[tokens[close].end :]
    return sql


def _left(columns: Sequence[str], excepted: Sequence[Token]) -> Sequence[str]:
    """The columns without the excepted ones; only a missing one if there is any, so that the engine reports it."""
    items = list(filter(None, comma_separated(excepted)))
    left_out = [item[-1].name.lower() for item in items]
    folded = list(map(str.lower, columns))
    if len(set(folded)) < len(columns) or max(map(len, items)) > 3:
        raise errors.NotOnSailError(what="* EXCEPT beside columns of one name, or of fields")
    missing = [name for name in left_out if name not in folded]
    return missing[:1] or [name for name in columns if name.lower() not in left_out]


def _stars_is_star_except(tokens: Sequence[Token], at: int) -> bool:
    return (
        tokens[at].key == "*"
        and [token.key for token in tokens[at + 1 : at + 3]] == ["EXCEPT", "("]
        and len(tokens) > at + 3
        and tokens[at + 3].key not in {"SELECT", "WITH", "VALUES", "FROM", "TABLE", "(", ")"}
    )


def _probe(sql: str, tokens: Sequence[Token], at: int, star: str) -> str:
    """A query of all columns that the SELECT with the star at a token reads."""
    scope = scope_at(sql, tokens, at)
    if not scope.relation:
        raise errors.NotOnSailError(what="* EXCEPT without FROM")
    return f"{scope.before}SELECT {star} {scope.relation}"


def _stars_outside(tokens: Sequence[Token], start: int, end: int) -> list[int]:
    """The indexes of the tokens of a range outside of all brackets in it."""
    positions, at = list[int](), start
    while at < end:
        positions.append(at)
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    return positions


def ordered_by_all(sql: str, columns: Columns) -> str:
    """`sql` with column numbers in place of the ALL of its own ORDER BY ALL."""
    if not _ALL.search(sql):
        return sql
    tokens = tokenize(sql)
    for index in _stars_outside(tokens, 0, len(tokens)):
        if [token.key for token in tokens[index : index + 3]] == ["ORDER", "BY", "ALL"]:
            end = index + 3
            while end < len(tokens) and tokens[end].key in {"ASC", "DESC", "NULLS", "FIRST", "LAST"}:
                end += 1
            if end < len(tokens) and tokens[end].key not in {"LIMIT", "OFFSET", ";"}:
                return sql
            how = sql[tokens[index + 2].end : tokens[end - 1].end]
            count = len(columns(sql[: tokens[index].start].rstrip()))
            listed = ", ".join(f"{number}{how}" for number in range(1, count + 1))
            return f"{sql[: tokens[index + 2].start]}{listed}{sql[tokens[end - 1].end :]}"
    return sql


def grouped_by_all(sql: str) -> str:
    """`sql` with column numbers in place of each GROUP BY ALL: of the columns without an aggregate.

    Raises NotOnSailError beside a star.
    """
    if not _GROUP_ALL.search(sql):
        return sql
    tokens = tokenize(sql)
    for index in range(len(tokens) - 2, 0, -1):
        if [token.key for token in tokens[index - 1 : index + 2]] == ["GROUP", "BY", "ALL"]:
            chosen = _chosen_before(tokens, index)
            numbers = [str(number) for number, item in enumerate(chosen, 1) if _is_grouped(sql, item)]
            clause = f"GROUP BY {', '.join(numbers)}" if numbers else "GROUP BY ALL" * (not chosen)
            sql = sql[: tokens[index - 1].start] + clause + sql[tokens[index + 1].end :]
    return sql


def _chosen_before(tokens: Sequence[Token], at: int) -> list[Sequence[Token]]:
    """The items of the SELECT whose GROUP BY is at a token; none where that is not certain."""
    positions = [position for position in _stars_outside(tokens, _group_begin(tokens, at), at) if position < at]
    select = max((position for position in positions if tokens[position].key == "SELECT"), default=at)
    end = next((position for position in positions if position > select and tokens[position].key == "FROM"), select)
    first = select + 1 + (tokens[select + 1].key in {"ALL", "DISTINCT"})
    return [item for item in comma_separated(tokens[first:end]) if item] if first < end else []


def _is_grouped(sql: str, item: Sequence[Token]) -> bool:
    if item[-1].key == "*":
        raise errors.NotOnSailError(what="GROUP BY ALL beside *")
    return not has_aggregate(sql[item[0].start : item[-1].end])


def _group_begin(tokens: Sequence[Token], at: int) -> int:
    """The index of the first token in the innermost brackets around a token; 0 outside of all."""
    depth = 0
    for index in range(at - 1, -1, -1):
        depth += (tokens[index].key == ")") - (tokens[index].key == "(")
        if depth < 0:
            return index + 1
    return 0


_NAMES_OTHERS = frozenset({"is_null", "is_not_null", "in_list"})


def spark_names(sql: str, names: Sequence[str]) -> list[str]:
    """The names of a query's columns, which Sail calls `names`, as Spark calls them."""
    replaced = list(names)
    if _NAMES_OTHERS.isdisjoint(replaced):
        return replaced
    tokens = tokenize(sql)
    first = behind_with(tokens)
    if first >= len(tokens) or tokens[first].key != "SELECT":
        return replaced
    end = _list_end(tokens, first + 1)
    items = list(comma_separated(tokens[first + 1 : end]))
    if len(items) == len(replaced) and all(items):
        replaced = [
            (_predicate_name(item) or name) if name in _NAMES_OTHERS else name
            for item, name in zip(items, replaced, strict=True)
        ]
    return replaced


def _list_end(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].key not in {"FROM", "WHERE", "ORDER", "LIMIT", ";"}:
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    return min(at, len(tokens))


def _predicate_name(item: Sequence[Token]) -> str:
    """Spark's name for `a IS NULL` and `a IN (1, 'x')`; "" for anything else."""
    end = 1
    while end + 1 < len(item) and item[end].key == ".":
        end += 2
    if not item[end - 1].is_name or not item[0].is_name:
        return ""
    column, rest = item[end - 1].name, [token.key for token in item[end:]]
    if rest in (["IS", "NULL"], ["IS", "NOT", "NULL"]):
        return f"({column} {' '.join(rest)})"
    negated = rest[:1] == ["NOT"]
    if rest[negated : negated + 2] != ["IN", "("] or rest[-1] != ")":
        return ""
    values = _numbers(item[end + negated + 2 : -1])
    text = f"({column} IN ({', '.join(values)}))" if values else ""
    return f"(NOT {text})" if negated and text else text


def _numbers(tokens: Sequence[Token]) -> list[str]:
    """Whole numbers and NULL between commas; none where there is anything else."""
    values = [token.text.upper() for token in tokens[::2]]
    plain = all(text.isdecimal() or text == "NULL" for text in values)
    return values if plain and len(tokens) % 2 and all(token.key == "," for token in tokens[1::2]) else []
