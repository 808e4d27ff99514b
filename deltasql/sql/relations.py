"""Which tables an SQL text reads from, and where it names them. Source: Spark's grammar of queries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deltasql.plan.base import SqlText, Temporal
from deltasql.sql.tokens import Token, closing, tokenize

_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS", "SETMINUS"})
_FROM_ENDS = _SET_OPERATORS | {
    *("WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"),
    *("SELECT", "MAP", "REDUCE", "INSERT", "SET", "WHEN", "|>", ";"),
}
_NOT_ALIAS = _FROM_ENDS | {
    *("JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "NATURAL", "OUTER", "ON", "USING"),
    *("LATERAL", "PIVOT", "UNPIVOT", "TABLESAMPLE", "WITH", "FOR", "AS", "TIMESTAMP", "VERSION", "ASOF", "WATERMARK"),
}
# Statements whose own FROM or TABLE names no source of rows.
_NO_SOURCES = frozenset(
    {
        *("SHOW", "USE", "SET", "RESET", "DROP", "ALTER", "REFRESH", "ADD", "LIST", "CLEAR", "UNCACHE", "COMMENT"),
        *("GRANT", "REVOKE", "ANALYZE", "LOAD", "MSCK", "TRUNCATE"),
    }
)
_BEFORE_TABLE_QUERY = _SET_OPERATORS | {
    *("", "(", ",", "=>", "AS", "ALL", "DISTINCT", "EXPLAIN", "EXTENDED", "CODEGEN", "COST", "FORMATTED")
}
CHANGE_FUNCTIONS = frozenset({"table_changes", "table_changes_by_path"})
"""Table functions that are no function of Spark's: `deltasql.planner.change_feed` reads them."""
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "||", "|", "&", "^", "::", ".", "DIV"})
_UNITS = re.compile(r"(YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND|NANOSECOND)S?")
_TYPED_LITERALS = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME"})
_PATH_SUFFIX = re.compile(r"(?P<path>.*[/\\:].*)@(?P<suffix>[vV]\d+|\d{17})", re.DOTALL)
_NAME_SUFFIX = re.compile(r"[vV]\d+|\d{17}")


@dataclass(frozen=True, slots=True)
class TableReference:
    """A table as a query names it; `start`/`end` span the name, its `@v1` and its temporal clause.

    `alias` is the explicit one. `alias_at` is the offset where ` AS x` may be put (after TABLESAMPLE), or None where
    the grammar takes no alias (TABLE t). `arguments` are those of a table function, whose name is `parts`.
    """

    parts: tuple[str, ...]
    start: int
    end: int
    temporal: Temporal | None = None
    alias: str | None = None
    alias_at: int | None = None
    arguments: tuple[SqlText, ...] | None = None


def table_references(sql: str) -> list[TableReference]:
    """Tables that a query, an expression or another statement reads rows from, in order of position.

    Left out: names of common table expressions where these are in scope, table-valued functions that are Spark's,
    write targets.
    Path tables come as two parts, `("parquet", "/x")`; the suffix `@v1` of a name or path is its `temporal`.
    """
    finder = _Finder(sql, tokenize(sql))
    finder.statement()
    return sorted(finder.found, key=lambda reference: reference.start)


@dataclass(slots=True)
class _Level:
    """State of one pair of parentheses (or the whole text), while its tokens are read from left to right.

    In `TABLE (t)` the name stands bare: it takes no alias.
    """

    ctes: frozenset[str]
    is_query: bool
    wants_relation: bool = False
    in_from: bool = False
    in_values: bool = False
    bare_name: bool = False


class _Finder:
    """Walks the tokens once, level by level. Source: Spark's grammar of `relation`, `ctes` and `queryPrimary`."""

    def __init__(self, sql: str, tokens: list[Token]) -> None:
        self.sql = sql
        self.tokens = tokens
        self.found: list[TableReference] = []

    def statement(self) -> None:
        first = self.key(0)
        verbs = {first, *(token.key for token in self.tokens if first == "WITH")}
        self.merges, self.inserts = "MERGE" in verbs, first == "FROM" or "INSERT" in verbs
        self.walk(0, len(self.tokens), _Level(frozenset(), is_query=first not in _NO_SOURCES))

    def key(self, index: int) -> str:
        return self.tokens[index].key if 0 <= index < len(self.tokens) else ""

    def walk(self, index: int, end: int, level: _Level) -> None:
        while index < end:
            index = self.step(index, level)

    def step(self, index: int, level: _Level) -> int:
        """Reads what begins at `index` and returns the index after it."""
        key = self.key(index)
        if self.key(index - 1) == ".":
            return index + 1
        if level.wants_relation:
            return self.relation(index, level)
        if key == "(":
            return self.parentheses(index, level)
        if key == "WITH" and self.is_cte(index):
            level.is_query = True
            return self.ctes(index, level)
        self.clause(index, key, level)
        return index + 1

    def clause(self, index: int, key: str, level: _Level) -> None:
        """What keyword `key` says of the tokens that follow it."""
        if key == "SELECT":
            level.is_query = True
        if key == "TABLE":
            level.wants_relation = self.is_table_query(index)
        elif not level.is_query:
            return
        elif key == "FROM":
            level.wants_relation = level.in_from = self.key(index - 1) != "DISTINCT"
        elif self.begins_source(key, level):
            level.wants_relation = True
        elif key in _FROM_ENDS or (key == "LATERAL" and self.key(index + 1) == "VIEW"):
            level.in_from = level.in_values = False
        elif level.in_values and self.begins_alias(index):
            level.in_values = False

    def begins_source(self, key: str, level: _Level) -> bool:
        is_next = key == "," and level.in_from and not level.in_values
        return key == "JOIN" or is_next or (key == "USING" and self.merges and not level.in_from)

    def begins_alias(self, index: int) -> bool:
        return self.key(index) == "AS" or (self.tokens[index].is_name and self.key(index - 1) == ")")

    def is_table_query(self, index: int) -> bool:
        """Whether TABLE at `index` stands for SELECT * FROM, and not in INSERT INTO TABLE t, CACHE TABLE t …"""
        before = self.tokens[index - 1].key if index else ""
        if index and before == "":  # a quoted name: INSERT INTO `t` TABLE s
            return self.inserts
        return before in _BEFORE_TABLE_QUERY or (self.inserts and before not in {"INTO", "OVERWRITE"})

    def parentheses(self, index: int, level: _Level, relation: bool = False) -> int:
        """Reads a bracketed query, join or expression with a scope of its own."""
        end = closing(self.tokens, index)
        is_query = self.begins_query(index + 1)
        inner = _Level(level.ctes, is_query or relation, wants_relation=relation and not is_query)
        inner.in_from = inner.wants_relation
        inner.bare_name = relation and self.key(index - 1) == "TABLE"
        self.walk(index + 1, end, inner)
        return end + 1

    def begins_query(self, index: int) -> bool:
        key = self.key(index)
        is_values = key == "VALUES" and self.key(index + 1) not in {".", ")", ",", "=", "<", ">"}
        return key in {"SELECT", "FROM", "TABLE", "MAP", "REDUCE"} or is_values or self.is_cte(index)

    # Common table expressions

    def is_cte(self, index: int) -> bool:
        return self.key(index) == "WITH" and self.cte_body(self.cte_name(index)) is not None

    def cte_name(self, index: int) -> int:
        recursive = self.key(index + 1) == "RECURSIVE" and self.key(index + 2) not in {"AS", "("}
        return index + (2 if recursive else 1)

    def cte_body(self, index: int) -> int | None:
        """Index of the parenthesis that opens the query of the named query whose name is at `index`, if it is one."""
        if not (index < len(self.tokens) and self.tokens[index].is_name):
            return None
        index += 1
        if self.key(index) == "(" and not self.begins_query(index + 1) and self.key(index + 1) != "(":
            index = closing(self.tokens, index) + 1
        if self.key(index) == "MAX" and self.key(index + 1) == "RECURSION":
            index += 4
        if self.key(index) == "AS":
            index += 1
        return index if self.key(index) == "(" else None

    def ctes(self, index: int, level: _Level) -> int:
        """Reads WITH a AS (…), b AS (…): each name is in scope after its own query, and inside it when RECURSIVE."""
        recursive = self.key(index + 1) == "RECURSIVE"
        name = self.cte_name(index)
        while (body := self.cte_body(name)) is not None:
            with_name = level.ctes | {self.tokens[name].name.lower()}
            index = self.parentheses(body, _Level(with_name if recursive else level.ctes, is_query=True))
            level.ctes = with_name
            if self.key(index) != ",":
                break
            name = index + 1
        return index

    # Relations

    def relation(self, index: int, level: _Level) -> int:
        """Reads one item of FROM or JOIN: a name with its clauses, a bracketed relation, a function or VALUES."""
        key = self.key(index)
        if key in {"LATERAL", "STREAM"} and self.key(index + 1) != ".":
            return index + 1
        level.wants_relation = False
        if key == "(":
            return self.parentheses(index, level, relation=True)
        if key == "VALUES" and self.key(index + 1) != ".":
            level.in_values = level.in_from
            return index + 1
        if key == "IDENTIFIER" and self.key(index + 1) == "(":
            return self.identifier_clause(index, level)
        if key in {"SELECT", "FROM", "WITH"}:
            return index
        if not self.tokens[index].is_name:
            return index + 1
        parts, after = self.name(index)
        if self.key(after) == "(":
            is_ours = len(parts) == 1 and parts[0].lower() in CHANGE_FUNCTIONS
            return self.function(parts, index, after) if is_ours else after
        return self.table(parts, index, after, level)

    def function(self, parts: tuple[str, ...], first: int, bracket: int) -> int:
        """Records a table function of ours, its name at token `first` and its arguments behind `bracket`."""
        close = closing(self.tokens, bracket)
        after = close + 1
        alias = self.alias(after)
        end = self.tokens[close].end if close < len(self.tokens) else len(self.sql)
        arguments = tuple(self.arguments(bracket + 1, close))
        self.found.append(TableReference(parts, self.tokens[first].start, end, None, alias, end, arguments))
        return after if alias is None else after + 1 + (self.key(after) == "AS")

    def arguments(self, index: int, end: int) -> Iterator[SqlText]:
        """The texts between the commas from token `index` up to `end`."""
        start = index
        while index < end:
            if self.key(index) == ",":
                yield self.text(start, index)
                start = index + 1
            index = closing(self.tokens, index) + 1 if self.key(index) == "(" else index + 1
        if start < end:
            yield self.text(start, end)

    def text(self, start: int, end: int) -> SqlText:
        if start >= end:
            return SqlText("", self.tokens[start].start)
        begin = self.tokens[start].start
        return SqlText(self.sql[begin : self.tokens[end - 1].end], begin)

    def name(self, index: int) -> tuple[tuple[str, ...], int]:
        parts = [self.tokens[index].name]
        index += 1
        while self.key(index) == "." and index + 1 < len(self.tokens) and self.tokens[index + 1].is_name:
            parts.append(self.tokens[index + 1].name)
            index += 2
        return tuple(parts), index

    def identifier_clause(self, index: int, level: _Level) -> int:
        """Reads IDENTIFIER('a.b') with a constant name; with another expression the name is known to Spark only."""
        end = closing(self.tokens, index + 1)
        if end != index + 3 or self.tokens[index + 2].kind != "string":
            return index + 1
        inner = tokenize(self.tokens[index + 2].text[1:-1])
        parts, after = _Finder("", inner).name(0) if inner else ((), 0)
        if not parts or after != len(inner):
            return end + 1
        return self.table(parts, index, end + 1, level)

    def table(self, parts: tuple[str, ...], first: int, after: int, level: _Level) -> int:
        """Records the table whose name is at tokens `first` … `after`, with its suffix, temporal clause and alias."""
        is_bare = level.bare_name or self.key(first - 1) == "TABLE"
        is_cte = len(parts) == 1 and parts[0].lower() in level.ctes
        path = _path_suffix(parts, self.tokens[after - 1].start)
        parts, temporal = path or (parts, None)
        if temporal is None:
            temporal, after = self.name_suffix(after)
        if temporal is None:
            temporal, after = self.temporal(after)
        end = self.tokens[after - 1].end
        after = self.sample(after)
        alias_at = None if is_bare else self.tokens[after - 1].end
        alias = None if is_bare else self.alias(after)
        if not is_cte:
            self.found.append(TableReference(parts, self.tokens[first].start, end, temporal, alias, alias_at))
        return after if alias is None else after + 1 + (self.key(after) == "AS")

    def name_suffix(self, index: int) -> tuple[Temporal | None, int]:
        """The temporal of `t@v1` or `t@yyyyMMddHHmmssSSS` when its `@` is at `index` with no space around it."""
        if self.key(index) != "@" or index + 1 >= len(self.tokens):
            return None, index
        at, suffix = self.tokens[index], self.tokens[index + 1]
        glued = self.tokens[index - 1].end == at.start and at.end == suffix.start
        if not glued or not _NAME_SUFFIX.fullmatch(suffix.text):
            return None, index
        return _suffix_temporal(suffix.text, suffix.start), index + 2

    def temporal(self, index: int) -> tuple[Temporal | None, int]:
        """The temporal clause at `index` and the index after it: [FOR] VERSION AS OF n, [FOR] TIMESTAMP AS OF expr."""
        start = index + (self.key(index) == "FOR")
        if (self.key(start + 1), self.key(start + 2)) != ("AS", "OF") or start + 3 >= len(self.tokens):
            return None, index
        value = start + 3
        if self.key(start) in {"VERSION", "SYSTEM_VERSION"}:
            digits = self.tokens[value].text.strip("'\"")
            return (Temporal(version=int(digits)), value + 1) if digits.isdecimal() else (None, index)
        if self.key(start) not in {"TIMESTAMP", "SYSTEM_TIME"}:
            return None, index
        end = self.expression(value)
        begin, stop = self.tokens[value].start, self.tokens[end - 1].end
        return Temporal(timestamp=SqlText(self.sql[begin:stop], begin)), end

    def sample(self, index: int) -> int:
        if self.key(index) == "WITH" and self.key(index + 1) == "(":
            index = closing(self.tokens, index + 1) + 1
        while self.key(index) in {"TABLESAMPLE", "REPEATABLE"} and self.key(index + 1) == "(":
            index = closing(self.tokens, index + 1) + 1
        return min(index, len(self.tokens))

    def alias(self, index: int) -> str | None:
        index += self.key(index) == "AS"
        if index >= len(self.tokens):
            return None
        token = self.tokens[index]
        return token.name if token.is_name and (token.kind == "quoted" or token.key not in _NOT_ALIAS) else None

    # Extent of a value expression that no keyword closes

    def expression(self, index: int) -> int:
        """Index after the value expression at `index`: operands joined by operators, as in TIMESTAMP AS OF a - b x."""
        index = self.operand(index)
        while self.key(index) in _OPERATORS or self.key(index) == "[":
            index = closing(self.tokens, index) + 1 if self.key(index) == "[" else self.operand(index + 1)
        return min(index, len(self.tokens))

    def operand(self, index: int) -> int:
        while self.key(index) in {"+", "-", "~"}:
            index += 1
        key = self.key(index)
        if key == "INTERVAL":
            return self.interval(index + 1)
        if key == "CASE":
            return self.case_end(index) + 1
        if key == "(":
            return closing(self.tokens, index) + 1
        after = index + 1
        if key in _TYPED_LITERALS and after < len(self.tokens) and self.tokens[after].kind == "string":
            return after + 1
        return closing(self.tokens, after) + 1 if self.key(after) == "(" else after

    def interval(self, index: int) -> int:
        index += 1 + (self.key(index) in {"+", "-"})
        while _UNITS.fullmatch(self.key(index)) or (
            self.key(index) == "TO" or (index < len(self.tokens) and self.tokens[index].kind == "number")
        ):
            index += 1
        return index

    def case_end(self, index: int) -> int:
        depth = 0
        for at in range(index, len(self.tokens)):
            depth += (self.key(at) == "CASE") - (self.key(at) == "END")
            if depth == 0:
                return at
        return len(self.tokens)


def _path_suffix(parts: tuple[str, ...], start: int) -> tuple[tuple[str, ...], Temporal] | None:
    match = _PATH_SUFFIX.fullmatch(parts[-1]) if len(parts) == 2 and parts[0].lower() == "delta" else None
    if match is None:
        return None
    return (parts[0], match["path"]), _suffix_temporal(match["suffix"], start + 1 + match.start("suffix"))


def _suffix_temporal(suffix: str, start: int) -> Temporal:
    """v12 is a version; 17 digits are a timestamp to the millisecond in the session's zone, given as they stand."""
    if suffix[0] in "vV":
        return Temporal(version=int(suffix[1:]))
    return Temporal(timestamp=SqlText(suffix, start))
