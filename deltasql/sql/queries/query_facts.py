"""Facts on a query from its text and its tables alone: an estimate of its rows, its columns, and use of `_metadata`.

Each function gives up at texts that it does not understand; then Spark is asked, or the worse case assumed. Statements
over few rows are computed in another way than those over many, and a wrong choice costs much more for many; so anything
unknown counts as many rows. The columns of a view's query are found for plain ones, `SELECT a, 1 AS b FROM t WHERE …`,
without any other clause, a second table, an alias without AS, or expressions whose type is not known.

Inner joins, and joins that keep each row of the table, allow the result over all rows to be the sum of results over
parts of them. A join that keeps the other side's rows does not: a row that matches in a later part was added without a
match before. VALUES whose rows contain sub-queries become SELECTs, since Spark supports these only there.

`_metadata` is the file of a row, its row index, and its row id. A query may name it, and `*` does not include it. A
view cannot hide a column: a table whose `_metadata` a query names has it as a plain column, and each `*` over the table
excludes it. A column of the user with this name is taken for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from deltasql.base import Token, TokenCursor, closing, comma_separated, exp, tokenize
from deltasql.plan import METADATA, Scan, SqlQuery
from deltasql.schema import BOOLEAN, DataType, StructField, StructType
from deltasql.sql.expression_types import derived_type
from deltasql.sql.functions import FUNCTIONS
from deltasql.sql.queries.relations import TableReference, table_references
from deltasql.sql.references import has_subquery, parse_statement
from deltasql.sql.statement_texts import Replacement, splice

_NO_FUNCTIONS = frozenset(
    {
        *("SELECT", "FROM", "WHERE", "JOIN", "ON", "USING", "AND", "OR", "NOT", "IN", "EXISTS", "BY", "WHEN", "THEN"),
        *("ELSE", "CASE", "OVER", "AS", "VALUES", "ALL", "ANY", "SOME", "DISTINCT", "UNION", "EXCEPT", "INTERSECT"),
        *("MINUS", "HAVING", "LIMIT", "OFFSET", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "IS", "WITH", "FILTER", "GROUP"),
        *("SETS", "ROLLUP", "ORDER", "PARTITION", "INTERVAL", "LATERAL", "CROSS", "PIVOT", "UNPIVOT", "FOR", "DIV"),
        *("CAST", "TRY_CAST", "IF", "EXTRACT", "TRIM", "POSITION", "OVERLAY", "STRUCT", "ARRAY", "MAP", "NAMED_STRUCT"),
        *("BOOLEAN", "TINYINT", "BYTE", "SMALLINT", "SHORT", "INT", "INTEGER", "BIGINT", "LONG", "FLOAT", "REAL"),
        *("DOUBLE", "DECIMAL", "DEC", "NUMERIC", "STRING", "CHAR", "CHARACTER", "VARCHAR", "BINARY", "DATE"),
        *("TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME", "CHR", "STD", "MOD", "QUALIFY", "WINDOW"),
        *("REPEATABLE", "TABLESAMPLE"),
    }
)
"""Words before a bracket that name no function, and the few functions that PySpark has under another name."""

_UNSUPPORTED = frozenset({"RECURSIVE", "CUBE", "|>", "TRANSFORM", "MAP", "REDUCE"})
"""Recursion, cubes, pipes and scripts; before a bracket MAP and TRANSFORM are functions."""

_MAKE_ROWS = frozenset({"sequence", "array_repeat", "repeat", "space"})
"""Functions whose value may be much longer than their arguments; a generator returns its elements as rows."""

_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})
_ENDS_FROM = _SET_OPERATORS | {
    *("WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"),
    *("SELECT", "ON"),
}


def most_rows(sql: str, relations: Mapping[str, int]) -> int | None:
    """About the most rows that a query or expression processes, or None where that is unknown.

    `relations` has the rows by the names that the planner gave tables and views. A join multiplies, unless columns of
    its two sides are equal; then its rows are assumed to match few others.
    """
    names = [reference.parts for reference in table_references(sql)]
    if any(len(parts) != 1 or parts[0] not in relations for parts in names):
        return None
    joins = _Joins(tokenize(sql))
    joins.walk()
    free = max(0, joins.joins - len(joins.equal))
    # A named query may be joined to itself, and that again.
    if not joins.supported or (joins.has_ctes and free):
        return None
    unions = sum(token.key in _SET_OPERATORS for token in joins.tokens)
    rows = sorted([*(relations[parts[0]] for parts in names), *joins.ranges], reverse=True)
    rows += [_spelled(joins.tokens, unions)] * (joins.joins + 1 - len(rows))
    return _product(rows[: free + 1]) + sum(rows[free + 1 :]) << (unions if joins.has_ctes else 0)


def _spelled(tokens: Sequence[Token], unions: int) -> int:
    """The most rows of literals: those in VALUES, or one for each SELECT."""
    keys = [token.key for token in tokens]
    return 1 + unions + (keys.count("(") if "VALUES" in keys else 0)


def _product(rows: Sequence[int]) -> int:
    product = 1
    for item in rows:
        product *= max(item, 1)
    return product


class _Joins(TokenCursor):
    """The joins and functions that multiply the rows of a query, found in one walk over its tokens.

    `equal` are the joins by equality, `ranges` the rows of calls of range(n).
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self.supported, self.has_ctes, self.joins = True, False, 0
        self.equal: set[frozenset[str]] = set()
        self.ranges: list[int] = []
        # Of each bracket that is open FROM or VALUES where their items are being read.
        self._levels = [""]

    def walk(self) -> None:
        while self.left:
            key = self.key
            self._level(key)
            self.joins += key in {"JOIN", "LATERAL"} or (key == "," and self._levels[-1] == "FROM")
            self.has_ctes |= key == "WITH"
            self.supported &= key not in _UNSUPPORTED or self.peek(1) == "("
            self._equality(key)
            self.at += 1
        if "OR" in {token.key for token in self.tokens}:
            self.equal.clear()

    def _level(self, key: str) -> None:
        levels = self._levels
        if key == "(":
            levels.append(levels[-1] if self._opens_relations() else "")
        elif key == ")":
            self._levels = levels[:-1] or [""]
        elif key == "FROM" or (key == "AS" and levels[-1] == "VALUES"):
            levels[-1] = "FROM"
        elif key in _ENDS_FROM:
            levels[-1] = ""
        elif key == "VALUES" and levels[-1]:
            levels[-1] = "VALUES"

    def _opens_relations(self) -> bool:
        """Whether the bracket at the cursor may hold a list of relations; records a join or a function before it."""
        before = self.peek(-1)
        if self.peek(1) in {"SELECT", "WITH", "FROM", "VALUES", "TABLE"}:
            self.joins += self.at > 0 and before not in {"FROM", "JOIN", ",", "AS", "(", *_SET_OPERATORS}
            if before == "IN" and self.peek(-2) != "NOT":
                self._note_pair()
            return False
        if not self.is_name_at(-1) or before in _NO_FUNCTIONS:
            return self.at == 0 or before in {"FROM", "JOIN", ",", "("}
        if self.peek(-2) not in {"AS", ")"}:
            self.supported &= self._keeps_row_count(self.tokens[self.at - 1].name.lower())
        return False

    def _keeps_row_count(self, function: str) -> bool:
        """Whether the function before the bracket at the cursor makes no rows, or a literal number of them."""
        if function == "range":
            return self._is_range()
        return self.peek(-2) != "." and function not in _MAKE_ROWS and function.upper() in FUNCTIONS

    def _is_range(self) -> bool:
        """Whether the bracket at the cursor holds literal numbers, which are recorded: range(n) or range(n, m, …)."""
        inner = self.tokens[self.at + 1 : closing(self.tokens, self.at)]
        numbers = "".join(token.text for token in inner)
        if re.fullmatch(r"\d+(,\d+){0,3}", numbers) is None:
            return False
        self.ranges.append(max(map(int, numbers.split(",")[:2])))
        return True

    def _equality(self, key: str) -> None:
        """Records a join by equality: USING, NATURAL, or `=` of columns, with its two sides where they are named."""
        if key in {"USING", "NATURAL"}:
            self._note_pair()
        if key not in {"=", "==", "<=>"}:
            return
        left, right = list(self._chain(-1)), list(self._chain(1))
        if len(left) >= 2 and len(right) >= 2 and left[-1] != right[0]:
            self.equal.add(frozenset({left[-1], right[0]}))
        elif len(left) == len(right) == 1 and self.peek(-2) == "ON" and left != right:
            self.equal.add(frozenset({*left, *right}))

    def _note_pair(self) -> None:
        """Records a join by equality whose two sides are not named."""
        self.equal.add(frozenset({f"#{self.at}"}))

    def _chain(self, step: int) -> Iterator[str]:
        """The parts of the name beside the next token, going on in a direction: `a.b` from its first or last part."""
        ahead = step
        while self.is_name_at(ahead):
            yield self.tokens[self.at + ahead].name.lower()
            if self.peek(ahead + step) != ".":
                return
            ahead += 2 * step


_INNER = frozenset({"", "INNER", "CROSS"})
_ON_THE_LEFT = _INNER | {"LEFT", "LEFT OUTER", "LEFT SEMI", "LEFT ANTI", "SEMI", "ANTI", "OUTER"}
"""Joins that may follow the table: each of its rows gives the same result whatever other rows it has."""
_ON_THE_RIGHT = _INNER | {"RIGHT", "RIGHT OUTER"}
_NEED_A_TREE = frozenset({"LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "EXISTS", "IN", "WITH"})


def misplaced(sql: str, table: str) -> str | None:
    """Why a query over all rows of `table` differs from one over parts of them, as part of a sentence; None if not.

    `table` is named once. The clauses of the query are not looked at.
    """
    tree = parse_statement(sql)
    nodes = [] if tree is None else [node for node in tree.find_all(exp.Table) if node.name == table]
    if len(nodes) != 1:
        words = {token.key for token in tokenize(sql)}
        return "it is not understood" if words & _NEED_A_TREE else None
    return next(_reasons(nodes[0]), None)


def calls_by_schema(sql: str, table: str) -> bool:
    """Whether a query calls a column by the schema of this table, as s.t.a; t.a.b may be a field of a struct."""
    tree = parse_statement(sql)
    called = () if tree is None else (column.parts for column in tree.find_all(exp.Column))
    names = ([part.name.lower() for part in parts] for parts in called)
    return any(parts[0] != table.lower() and table.lower() in parts[1:3] for parts in names if len(parts) > 2)


def _reasons(node: exp.Expression) -> Iterator[str]:
    """Reasons against the place of a relation, from the inside of the query to its outside."""
    yield from _joined(node, 0)
    while (parent := node.parent) is not None:
        match parent:
            case exp.CTE():
                yield from _named(parent)
                return
            case exp.Join() if node.arg_key == "this":
                yield from _kind(parent, _ON_THE_RIGHT)
            case exp.Select() if node.arg_key in {"from_", "from", "joins", "laterals"}:
                start = node.index + 1 if node.arg_key == "joins" and node.index is not None else 0
                yield from _joined(parent, start)
            case exp.Subquery() | exp.Paren() | exp.Table():
                yield from _joined(parent, 0)
            case exp.From() | exp.Lateral():
                pass
            case _:
                yield "it reads the stream in a sub-query"
        node = parent


def _joined(node: exp.Expression, start: int) -> Iterator[str]:
    """Reasons against the joins that follow a relation."""
    joins = node.args.get("joins") or []
    for join in joins[start:]:
        yield from _kind(join, _ON_THE_LEFT)


def _kind(join: exp.Join, allowed: frozenset[str]) -> Iterator[str]:
    kind = f"{join.side} {join.kind}".strip().upper()
    if kind not in allowed:
        side = "right" if allowed is _ON_THE_RIGHT else "left"
        yield f"the stream is on the {side} side of {kind} JOIN"


def _named(cte: exp.CTE) -> Iterator[str]:
    """Reasons against the places where a query reads a common table expression."""
    places = [node for node in cte.root().find_all(exp.Table) if node.name.lower() == cte.alias.lower()]
    if len(places) > 1:
        yield f"it reads the stream several times, by {cte.alias}"
    for place in places:
        yield from _reasons(place)


_METADATA_COLUMN_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS", "SETMINUS"})
_QUERY_STARTS = frozenset({"SELECT", "FROM", "WITH", "TABLE", "VALUES", "MAP", "REDUCE"})
_BEFORE_STAR = frozenset({"SELECT", "DISTINCT", "ALL", ",", "."})


@dataclass(slots=True)
class _Block:
    """One SELECT with its clauses: the tables in its FROM (indices of references), names of `_metadata`, stars.

    A name or a star has the qualifier in front of it, "" without one; a star also the index of its token.
    """

    parent: _Block | None
    tables: list[int] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    stars: list[tuple[int, str]] = field(default_factory=list)


class NamedMetadata:
    """The `references`, by index, whose `_metadata` a query names; without a qualifier all tables of its SELECT."""

    def __init__(self, sql: str, references: Sequence[TableReference]) -> None:
        self._references = references
        self._tokens = tokenize(sql) if METADATA in sql.lower() else []
        self._blocks = _blocks(self._tokens, references)
        named = ((block, name) for block in self._blocks for name in block.named)
        self.references = frozenset(index for block, name in named for index in _owners(block, name, references))

    def hidden_from_stars(self, carried: Collection[int]) -> Iterator[Replacement]:
        """Replacements by which stars exclude the `_metadata` of the `carried` references."""
        for block in self._blocks:
            aliases = [_alias(self._references[index]) for index in block.tables if index in carried]
            for at, qualifier in block.stars:
                met = [alias for alias in aliases if qualifier in {"", alias.lower()}]
                if met:
                    yield _narrowed(self._tokens, at, met)


def _blocks(tokens: Sequence[Token], references: Sequence[TableReference]) -> list[_Block]:
    """The SELECTs of a query. A bracketed join is part of the block around it, a set operator begins another."""
    current = _Block(None)
    blocks, around, depths = [current], [], [0]
    starts = {reference.start: index for index, reference in enumerate(references)}
    at = TokenCursor(tokens)
    for index, token in enumerate(tokens):
        at.at = index
        if token.key == "(":
            around.append(current)
            depths.append(depths[-1] + 1)
            if at.peek(1) in _QUERY_STARTS:
                current = _Block(current)
                blocks.append(current)
                depths[-1] = 0
        elif token.key == ")" and around:
            current = around.pop()
            depths.pop()
        elif token.key in _METADATA_COLUMN_SET_OPERATORS and depths[-1] == 0 and not _is_star_clause(at):
            current = _Block(current.parent)
            blocks.append(current)
        if token.start in starts:
            current.tables.append(starts[token.start])
        _note(current, at, depths[-1])
    return blocks


def _note(block: _Block, at: TokenCursor, depth: int) -> None:
    """Records the column's name or a star in its block, with its qualifier."""
    before = at.peek(-1)
    if at.is_name and at.tokens[at.at].name.lower() == METADATA and before != "AS":
        block.named.append(_qualifier(at))
    elif at.key == "*" and depth == 0 and before in _BEFORE_STAR:
        block.stars.append((at.at, _qualifier(at)))


def _qualifier(at: TokenCursor) -> str:
    """The name before the dot in front of the next token, in lower case; "" where there is none."""
    qualified = at.peek(-1) == "." and at.is_name_at(-2)
    return at.tokens[at.at - 2].name.lower() if qualified else ""


def _is_star_clause(at: TokenCursor) -> bool:
    """Whether EXCEPT belongs to a star: `* EXCEPT (a, b)`."""
    return at.key == "EXCEPT" and at.peek(-1) == "*"


def _owners(block: _Block | None, name: str, references: Sequence[TableReference]) -> Iterator[int]:
    """The tables that a name of `_metadata` can mean, from the innermost block that has any."""
    while block is not None:
        tables = [index for index in block.tables if name in {"", _alias(references[index]).lower()}]
        if tables:
            yield from tables
            return
        block = block.parent


def _narrowed(tokens: Sequence[Token], star: int, aliases: Sequence[str]) -> Replacement:
    """Replacement that excludes the column of these tables from a star: by EXCEPT, or more names in the one it has."""
    # In back-ticks always, as the views have their aliases.
    left_out = ", ".join(f"`{alias.replace('`', '``')}`.{METADATA}" for alias in aliases)
    at = TokenCursor(tokens, star + 1)
    if _is_star_clause(at) and at.peek(1) == "(":
        return tokens[star + 2].end, tokens[star + 2].end, f"{left_out}, "
    return tokens[star].end, tokens[star].end, f" EXCEPT ({left_out})"


def _alias(reference: TableReference) -> str:
    return reference.alias if reference.alias is not None else reference.parts[-1]


def derived_columns(text: str, query: SqlQuery) -> StructType | None:
    """The columns of the query in `text`, which `query` has bound; None where only Spark can tell, or object."""
    source = _source(text, query)
    tokens = tokenize(text)
    if source is None or not tokens or tokens[0].key != "SELECT":
        return None
    clauses = _clauses(tokens)
    if [key for key, _ in clauses] not in (["SELECT"], ["SELECT", "FROM"], ["SELECT", "FROM", "WHERE"]):
        return None
    by_key = dict(clauses)
    if ("FROM" in by_key) != bool(query.relations):
        return None
    if "WHERE" in by_key and _type(text, by_key["WHERE"], source) != BOOLEAN:
        return None
    fields: list[StructField] = []
    for item in comma_separated(by_key["SELECT"]):
        derived = _fields(text, item, source)
        if derived is None:
            return None
        fields += derived
    return StructType(tuple(fields))


def _source(text: str, query: SqlQuery) -> StructType | None:
    """The columns of the one table or view that the query names bare, no columns where it names none; else None."""
    references = table_references(text)
    if not references:
        return StructType()
    operators = tuple(query.relations.values())
    if len(references) != 1 or len(operators) != 1 or references[0].alias is not None:
        return None
    match operators[0]:
        case Scan(schema=schema, described=False):
            return schema
        case SqlQuery(view=view) if view is not None:
            return view.schema
        case _:
            return None


def _clauses(tokens: Sequence[Token]) -> list[tuple[str, list[Token]]]:
    """The tokens behind SELECT, FROM and WHERE outside of brackets; none where more than a name stands behind FROM."""
    clauses: list[tuple[str, list[Token]]] = []
    cursor = TokenCursor(tokens)
    while cursor.left:
        key = cursor.take("SELECT", "FROM", "WHERE")
        if key:
            clauses.append((key, []))
        else:
            clauses[-1][1].extend(cursor.group())
    return clauses if all(key != "FROM" or _is_name(part) for key, part in clauses) else []


def _is_name(tokens: Sequence[Token]) -> bool:
    names, dots = tokens[::2], tokens[1::2]
    return bool(names) and all(token.is_name for token in names) and all(token.key == "." for token in dots)


def _fields(text: str, item: Sequence[Token], source: StructType) -> list[StructField] | None:
    if [token.key for token in item] == ["*"] and len(source):
        return [_like(field.name, field) for field in source]
    expression, name = _query_columns_named(item)
    kind = _type(text, expression, source)
    if name is None or kind is None:
        return None
    column = source.find(expression[0].name) if len(expression) == 1 and expression[0].is_name else None
    return [StructField(name, kind) if column is None else _like(name, replace(column, type=kind))]


def _like(name: str, column: StructField) -> StructField:
    """A column of a query that is one of its table, whose comment it keeps."""
    comment = {} if column.comment is None else {"comment": column.comment}
    return StructField(name, column.type, metadata=comment)


def _query_columns_named(item: Sequence[Token]) -> tuple[Sequence[Token], str | None]:
    """The expression of an item, and its name: its alias, or what the item itself is."""
    if len(item) > 2 and item[-2].key == "AS" and item[-1].is_name:
        return item[:-2], item[-1].name
    is_name = len(item) == 1 and (item[0].is_name or item[0].text.isdecimal())
    return item, item[0].name if is_name else None


def _type(text: str, tokens: Sequence[Token], source: StructType) -> DataType | None:
    return derived_type(text[tokens[0].start : tokens[-1].end], source) if tokens else None


_WHOLE = frozenset({"*", "TABLE", "NATURAL", "|>", "STRUCT"})
"""Tokens by which a query may use columns that it does not name."""
_BEFORE_FROM = frozenset({"(", ")", "UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS"})
"""Tokens behind which FROM begins a query, and stands for SELECT * FROM."""


def named_columns(sql: str) -> frozenset[str] | None:
    """All names in a query, in lower case; None where it may use columns that it does not name, as SELECT * does."""
    tokens = tokenize(sql)
    if not tokens or tokens[0].key not in {"SELECT", "WITH", "("} or any(token.key in _WHOLE for token in tokens):
        return None
    if any(after.key == "FROM" and before.key in _BEFORE_FROM for before, after in pairwise(tokens)):
        return None
    return frozenset(token.name.lower() for token in tokens if token.is_name)


def selected_rows(query: str) -> str:
    """VALUES (a, b), (c, d) as SELECT a, b UNION ALL SELECT c, d where a sub-query is among them; else as it is."""
    if query[:6].upper() != "VALUES" or not has_subquery(query[6:]):
        return query
    tokens = tokenize(query)
    edits = list(_edits(tokens))
    return splice(query, edits).sql if edits else query


def _edits(tokens: Sequence[Token]) -> Iterator[Replacement]:
    """The changes of the text; none for rows without parentheses, or with a name behind them."""
    edits: list[Replacement] = [(tokens[0].start, tokens[0].end, "")]
    at = 1
    while at < len(tokens) and tokens[at].key == "(":
        end = closing(tokens, at)
        if end == len(tokens):
            return
        edits += [(tokens[at].start, tokens[at].end, "SELECT "), (tokens[end].start, tokens[end].end, "")]
        at = end + 1
        if at == len(tokens):
            yield from edits
            return
        if tokens[at].key != ",":
            return
        edits.append((tokens[at].start, tokens[at].end, " UNION ALL "))
        at += 1
