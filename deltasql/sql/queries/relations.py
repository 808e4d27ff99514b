"""The tables that an SQL text reads, with the offsets of their names. Source: Spark's grammar of queries.

Accepts any text: in one that is no query it finds what looks like a relation. Names that only Spark can compute,
IDENTIFIER(expression), are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deltasql.base import Token, TokenCursor, closing
from deltasql.plan import SqlText, Temporal

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
    *("", "(", ",", "=>", "AS", "ALL", "DISTINCT", "EXPLAIN", "EXTENDED", "CODEGEN", "COST", "FORMATTED", "ANALYZE")
}
CHANGE_FUNCTIONS = frozenset({"table_changes", "table_changes_by_path"})
"""Table functions of deltasql, and not of Spark: `deltasql.planner.change_feed` reads them."""
FILE_FUNCTIONS = frozenset({"read_files", "cloud_files"})
"""Table functions over files of other formats: `deltasql.planner.read_files` reads them."""
EVENT_LOG_FUNCTION = "event_log"
"""The table function over the events of a pipeline: `deltasql.planner.event_log` finds their table."""
_FUNCTIONS = CHANGE_FUNCTIONS | FILE_FUNCTIONS | {EVENT_LOG_FUNCTION}
_STATEMENTS = frozenset({"DESCRIBE", "DESC", "SHOW", "LIST"})
"""Verbs of statements whose rows a query may read."""
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "||", "|", "&", "^", "::", ".", "DIV"})
_UNITS = re.compile(r"(YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND|NANOSECOND)S?")
_TYPED_LITERALS = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME"})
_PATH_SUFFIX = re.compile(r"(?P<path>(?=[^/\\:]*[/\\:]).*)@(?P<suffix>[vV]\d+|\d{17})", re.DOTALL)
_NAME_SUFFIX = re.compile(r"[vV]\d+|\d{17}")


@dataclass(frozen=True, slots=True)
class TableReference:
    """A table as a query names it; `start`/`end` span the name, its `@v1` and its temporal clause.

    `alias` is the explicit one. `alias_at` is the offset where ` AS x` may be put (after TABLESAMPLE), or None where
    the grammar takes no alias (TABLE t). `arguments` are those of a table function, whose name is `parts`.
    `statement` is one in parentheses whose rows are read, (DESCRIBE HISTORY t); `parts` has its verb.
    """

    parts: tuple[str, ...]
    start: int
    end: int
    temporal: Temporal | None = None
    alias: str | None = None
    alias_at: int | None = None
    arguments: tuple[SqlText, ...] | None = None
    statement: SqlText | None = None


def table_references(sql: str) -> list[TableReference]:
    """Tables that a query, an expression or another statement reads rows from, in order of position.

    Left out: names of common table expressions where these are in scope, table-valued functions that are Spark's,
    write targets.
    Path tables come as two parts, `("parquet", "/x")`; the suffix `@v1` of a name or path is its `temporal`.
    """
    finder = _Finder(sql)
    finder.statement()
    return sorted(finder.references, key=lambda reference: reference.start)


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


class _Finder(TokenCursor):
    """Walks the tokens once, level by level. Source: Spark's grammar of `relation`, `ctes` and `queryPrimary`."""

    def __init__(self, sql: str) -> None:
        super().__init__(sql)
        self.sql = sql
        self.references: list[TableReference] = []

    def statement(self) -> None:
        first = self.key
        verbs = {first, *(token.key for token in self.tokens if first == "WITH")}
        self.merges, self.inserts = "MERGE" in verbs, first == "FROM" or "INSERT" in verbs
        self.walk(len(self.tokens), _Level(frozenset(), is_query=first not in _NO_SOURCES))

    def walk(self, end: int, level: _Level) -> None:
        while self.at < end:
            self.step(level)

    def step(self, level: _Level) -> None:
        """Reads the element at the cursor."""
        if self.peek(-1) == ".":
            self.at += 1
        elif level.wants_relation:
            self.relation(level)
        elif self.key == "(":
            self.parentheses(level)
        elif _begins_cte(self):
            level.is_query = True
            self.ctes(level)
        else:
            self.clause(self.key, level)
            self.at += 1

    def clause(self, key: str, level: _Level) -> None:
        """Updates `level` for keyword `key`: whether a relation, or the list of a FROM, follows."""
        if key == "SELECT":
            level.is_query = True
        if key == "TABLE":
            level.wants_relation = self.is_table_query()
        elif not level.is_query:
            return
        elif key == "FROM":
            level.wants_relation = level.in_from = self.peek(-1) != "DISTINCT"
        elif self.begins_source(key, level):
            level.wants_relation = True
        elif key in _FROM_ENDS or (key == "LATERAL" and self.peek(1) == "VIEW"):
            level.in_from = level.in_values = False
        elif key == "AS" or (self.is_name and self.peek(-1) == ")"):
            # The alias of VALUES, where such rows are read.
            level.in_values = False

    def begins_source(self, key: str, level: _Level) -> bool:
        is_next = key == "," and level.in_from and not level.in_values
        return key == "JOIN" or is_next or (key == "USING" and self.merges and not level.in_from)

    def is_table_query(self) -> bool:
        """Whether TABLE means SELECT * FROM, unlike in INSERT INTO TABLE t, CACHE TABLE t …"""
        before = self.peek(-1)
        if self.at and before == "":  # a quoted name: INSERT INTO `t` TABLE s
            return self.inserts
        return before in _BEFORE_TABLE_QUERY or (self.inserts and before not in {"INTO", "OVERWRITE"})

    def parentheses(self, level: _Level, relation: bool = False) -> None:
        """Reads a bracketed query, join or expression with a scope of its own."""
        end = closing(self.tokens, self.at)
        if self.peek(1) in _STATEMENTS and self.begins_statement(end, relation):
            return
        is_query = _begins_query(self, 1)
        inner = _Level(level.ctes, is_query or relation, wants_relation=relation and not is_query)
        inner.in_from = inner.wants_relation
        inner.bare_name = relation and self.peek(-1) == "TABLE"
        self.at += 1
        self.walk(end, inner)
        self.at = end + 1

    def begins_statement(self, end: int, relation: bool) -> bool:
        """Reads a bracketed statement whose rows are a table, (SHOW TABLES), where a relation or a query may stand."""
        opening, first = self.tokens[self.at], self.tokens[self.at + 1]
        is_body = not relation and self.peek(-1) == "AS" and self.at > 1
        after = self.peek(2)
        if (
            end == len(self.tokens)
            or not (relation or is_body)
            or after in {".", ")", ",", "AS"}
            or not after.strip("(")
        ):
            return False
        statement = self.text(self.at + 1, end)
        self.at = end + 1
        start, stop = (opening.start, self.tokens[end].end) if relation else (first.start, self.tokens[end - 1].end)
        alias, alias_at = (self.alias(), stop) if relation else (None, None)
        parts = (first.text.lower(),)
        self.references.append(TableReference(parts, start, stop, None, alias, alias_at, None, statement))
        return True

    def ctes(self, level: _Level) -> None:
        """Reads WITH a AS (…), b AS (…): each name is in scope after its own query, and inside it when RECURSIVE."""
        recursive = self.peek(1) == "RECURSIVE"
        name = _cte_name(self)
        while (body := _cte_body(self.tokens, name)) is not None:
            with_name = level.ctes | {self.tokens[name].name.lower()}
            self.at = body
            self.parentheses(_Level(with_name if recursive else level.ctes, is_query=True))
            level.ctes = with_name
            if self.key != ",":
                break
            name = self.at + 1

    # Relations

    def relation(self, level: _Level) -> None:
        """Reads one item of FROM or JOIN: a name with its clauses, a bracketed relation, a function or VALUES."""
        if self.key in {"LATERAL", "STREAM"} and self.peek(1) != ".":
            self.at += 1
            return
        level.wants_relation = False
        match self.key:
            case "(":
                self.parentheses(level, relation=True)
            case "VALUES" if self.peek(1) != ".":
                level.in_values = level.in_from
                self.at += 1
            case "IDENTIFIER" if self.peek(1) == "(":
                self.identifier_clause(level)
            case "SELECT" | "FROM" | "WITH":
                # A query: the next step reads it.
                return
            case _ if self.is_name:
                self.named(level)
            case _:
                self.at += 1

    def named(self, level: _Level) -> None:
        """Reads a table or a table function; the arguments of one of Spark's are left to the next step."""
        first, parts = self.at, tuple(token.name for token in self.dotted())
        if self.key != "(":
            self.table(parts, first, level)
        elif len(parts) == 1 and parts[0].lower() in _FUNCTIONS:
            self.function(parts, first)

    def function(self, parts: tuple[str, ...], first: int) -> None:
        """Records a table function of deltasql, its name at token `first`; its arguments follow."""
        close = closing(self.tokens, self.at)
        arguments = tuple(self.arguments(close))
        self.at = close + 1
        end = self.tokens[close].end if close < len(self.tokens) else len(self.sql)
        self.references.append(TableReference(parts, self.tokens[first].start, end, None, self.alias(), end, arguments))

    def arguments(self, close: int) -> Iterator[SqlText]:
        """The texts between the commas in the brackets from the cursor to token `close`."""
        self.at += 1
        start = self.at
        while self.at < close:
            if self.key == ",":
                yield self.text(start, self.at)
                start = self.at + 1
            self.group()
        if start < close:
            yield self.text(start, close)

    def text(self, start: int, end: int) -> SqlText:
        if start >= end:
            return SqlText("", self.tokens[start].start)
        begin = self.tokens[start].start
        return SqlText(self.sql[begin : self.tokens[end - 1].end], begin)

    def identifier_clause(self, level: _Level) -> None:
        """Reads IDENTIFIER('a.b') with a constant name; with another expression the name is known to Spark only."""
        first, end = self.at, closing(self.tokens, self.at + 1)
        if end != first + 3 or self.tokens[first + 2].kind != "string":
            self.at = first + 1
            return
        self.at = end + 1
        inner = TokenCursor(self.tokens[first + 2].text[1:-1])
        parts = tuple(token.name for token in inner.dotted()) if inner.left else ()
        if parts and not inner.left:
            self.table(parts, first, level)

    def table(self, parts: tuple[str, ...], first: int, level: _Level) -> None:
        """Records the table named by the tokens from `first` to the cursor, with suffix, temporal clause, alias."""
        is_bare = level.bare_name or (first > 0 and self.tokens[first - 1].key == "TABLE")
        is_cte = len(parts) == 1 and parts[0].lower() in level.ctes
        path = _path_suffix(parts, self.tokens[self.at - 1].start)
        parts, temporal = path or (parts, None)
        temporal = temporal or self.name_suffix() or self.temporal()
        end = self.tokens[self.at - 1].end
        self.sample()
        alias_at = None if is_bare else self.tokens[self.at - 1].end
        alias = None if is_bare else self.alias()
        if not is_cte:
            self.references.append(TableReference(parts, self.tokens[first].start, end, temporal, alias, alias_at))

    def name_suffix(self) -> Temporal | None:
        """Reads `@v1` or `@yyyyMMddHHmmssSSS` that stands right behind a name, with no space around its `@`."""
        if self.key != "@" or self.at + 1 >= len(self.tokens):
            return None
        name, at, suffix = self.tokens[self.at - 1 : self.at + 2]
        if name.end != at.start or at.end != suffix.start or not _NAME_SUFFIX.fullmatch(suffix.text):
            return None
        self.at += 2
        return _suffix_temporal(suffix.text, suffix.start)

    def temporal(self) -> Temporal | None:
        """Reads a temporal clause, where one follows: [FOR] VERSION AS OF n, [FOR] TIMESTAMP AS OF expr."""
        start = self.at
        self.take("FOR")
        if (self.peek(1), self.peek(2)) == ("AS", "OF") and self.at + 3 < len(self.tokens):
            kind, self.at = self.key, self.at + 3
            if kind in {"VERSION", "SYSTEM_VERSION"}:
                digits = self.next().text.strip("'\"")
                if digits.isdecimal():
                    return Temporal(version=int(digits))
            elif kind in {"TIMESTAMP", "SYSTEM_TIME"}:
                value = self.at
                self.expression()
                return Temporal(timestamp=self.text(value, self.at))
        self.at = start
        return None

    def sample(self) -> None:
        """Reads the options and the TABLESAMPLE of a table."""
        if self.key == "WITH" and self.peek(1) == "(":
            self.at += 1
            self.group()
        while self.key in {"TABLESAMPLE", "REPEATABLE"} and self.peek(1) == "(":
            self.at += 1
            self.group()
        self.at = min(self.at, len(self.tokens))

    def alias(self) -> str | None:
        """Reads an alias, where one follows."""
        start = self.at
        self.take("AS")
        if self.is_name and (self.kind == "quoted" or self.key not in _NOT_ALIAS):
            return self.next().name
        self.at = start
        return None

    # Extent of a value expression that no keyword closes

    def expression(self) -> None:
        """Reads a value expression: operands joined by operators, as in TIMESTAMP AS OF a - b x."""
        self.operand()
        while self.key in _OPERATORS or self.key == "[":
            if self.key == "[":
                self.group()
            else:
                self.at += 1
                self.operand()
        self.at = min(self.at, len(self.tokens))

    def operand(self) -> None:
        while self.take("+", "-", "~"):
            pass
        key = self.key
        if key == "(":
            self.group()
        elif key == "CASE":
            self.case()
        else:
            self.at += 1
            if key == "INTERVAL":
                self.interval()
            elif key in _TYPED_LITERALS and self.kind == "string":
                self.at += 1
            elif self.key == "(":
                self.group()

    def interval(self) -> None:
        self.take("+", "-")
        self.at += 1
        while self.key == "TO" or self.kind == "number" or _UNITS.fullmatch(self.key):
            self.at += 1

    def case(self) -> None:
        depth = 0
        while self.left:
            key = self.next().key
            depth += (key == "CASE") - (key == "END")
            if depth == 0:
                return


# Common table expressions


def _begins_query(at: TokenCursor, ahead: int) -> bool:
    key = at.peek(ahead)
    is_values = key == "VALUES" and at.peek(ahead + 1) not in {".", ")", ",", "=", "<", ">"}
    return key in {"SELECT", "FROM", "TABLE", "MAP", "REDUCE"} or is_values or _begins_cte(at, ahead)


def _begins_cte(at: TokenCursor, ahead: int = 0) -> bool:
    return at.peek(ahead) == "WITH" and _cte_body(at.tokens, _cte_name(at, ahead)) is not None


def _cte_name(at: TokenCursor, ahead: int = 0) -> int:
    """The index of the first name of the WITH that stands so far on."""
    recursive = at.peek(ahead + 1) == "RECURSIVE" and at.peek(ahead + 2) not in {"AS", "("}
    return at.at + ahead + (2 if recursive else 1)


def _cte_body(tokens: Sequence[Token], name: int) -> int | None:
    """Index of the parenthesis that opens the query of the named query whose name is at `name`, if it is one."""
    at = TokenCursor(tokens, name)
    if not at.is_name:
        return None
    at.next()
    if at.key == "(" and not _begins_query(at, 1) and at.peek(1) != "(":
        at.group()
    if at.key == "MAX" and at.peek(1) == "RECURSION":
        at.at += 4
    at.take("AS")
    return at.at if at.key == "(" else None


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
