"""Parts of a query that are found without an engine: filters by table, plain columns, unknown columns, constant rows.

Filters by table, from sqlglot's tree, allow data files to be skipped; a query that sqlglot cannot parse has none, nor
has a condition over two tables. A plain projection of one table gives one row or none for each row: no joins, samples,
sub-queries, aggregates, windows or functions that make rows. A query with anything that may make new columns has no
unknown ones. Queries of constants alone are typical sources of a small MERGE; Spark evaluates those whose result may
differ.

An outline is a statement as one line of its first thousands of tokens, for patterns over texts that the grammar does
not take.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from types import MappingProxyType
from typing import NamedTuple

from deltasql.base import LeftToEngineError, Token, TokenCursor, closing, exp, tokenize, tokens_from
from deltasql.plan import Literals, Operator, SqlQuery
from deltasql.schema import BOOLEAN, STRING, VOID, StructField, StructType
from deltasql.sql.constants import Constant
from deltasql.sql.expressions import type_at
from deltasql.sql.postfix import json_paths
from deltasql.sql.queries.relations import TableReference, table_references
from deltasql.sql.references import ColumnReference, free_names, has_aggregate, parse_expression, parse_statement
from deltasql.sql.row_literals import LiteralReader, as_type, common_columns, is_special

_INNER = frozenset({"", "INNER", "CROSS"})


def scan_filters(sql: str) -> dict[int, str]:
    """Predicates on single tables, by the offset of the table's name in `sql`; only those that every row must satisfy.

    A predicate is SQL for analysis, its columns qualified as in the query. A query that sqlglot cannot parse has none.
    """
    if "where" not in sql.lower():
        return {}
    tree = parse_statement(_before_other_pipes(sql) if "|>" in sql else sql)
    if tree is None:
        return {}
    return {position: text for select in tree.find_all(exp.Select) for position, text in _select_filters(select)}


def scan_limits(sql: str) -> dict[int, int]:
    """The number of rows of a table that suffice for SELECT … FROM t LIMIT n, by the offset of the table's name.

    All of WHERE, if there is one, is then in `scan_filters`. A query that sqlglot cannot parse has none, nor has a
    pipeline.
    """
    if "limit" not in sql.lower() or "|>" in sql:
        return {}
    tree = parse_statement(sql)
    if tree is None:
        return {}
    limits = (_select_limit(select) for select in tree.find_all(exp.Select))
    return dict(item for item in limits if item is not None)


def _select_limit(select: exp.Select) -> tuple[int, int] | None:
    """The offset of the only table of a SELECT, and the number of its rows that suffice."""
    parts = {name: part for name, part in select.args.items() if part}
    if not parts.keys() <= _EACH_ROW_ALONE or not all(map(_keeps_rows, select.expressions)):
        return None
    table = _only_table(select)
    if table is None:
        return None
    position, limit = _position(table), _number(parts.get("limit"), exp.Limit)
    offset = _number(parts["offset"], exp.Offset) if "offset" in parts else 0
    return None if position is None or limit is None or offset is None else (position, limit + offset)


def _only_table(select: exp.Select) -> exp.Table | None:
    """The one table of a SELECT, where WHERE, if there is one, refers to nothing else."""
    sources, where = _sources(select), select.args.get("where")
    table = sources[0][0] if len(sources) == 1 else None
    if not isinstance(table, exp.Table) or _makes_rows(table):
        return None
    conjuncts = [] if where is None else _conjuncts(where.this)
    return table if all(_only(_qualifiers(item), table, True) for item in conjuncts) else None


_EACH_ROW_ALONE = frozenset({"expressions", "from", "from_", "where", "limit", "offset", "hint"})
"""Clauses of a SELECT that process its rows one by one, in their order."""


def _keeps_rows(item: exp.Expression) -> bool:
    """Whether an expression gives one value for each row: no aggregate, generator or window, and nothing unknown."""
    return not any(
        isinstance(node, (exp.Func, exp.Window, exp.Query)) and not isinstance(node, exp.Cast) for node in item.walk()
    )


def _number(clause: exp.Expression | None, kind: type[exp.Expression]) -> int | None:
    value = clause.expression if isinstance(clause, kind) else None
    return int(value.name) if isinstance(value, exp.Literal) and value.is_int else None


def _before_other_pipes(sql: str) -> str:
    """The part of a pipeline FROM … |> WHERE … before its first other operator; "" for one elsewhere in a query.

    sqlglot would put a WHERE behind LIMIT, EXTEND or AGGREGATE before them, where it filters other rows.
    """
    tokens = tokenize(sql)
    if not tokens or tokens[0].key != "FROM":
        return ""
    for token, after in pairwise(tokens):
        is_other = token.key == "|>" and after.key != "WHERE"
        # FROM t SELECT …, and a pipeline in brackets.
        if is_other or token.key == "SELECT" or token.key in {"(", ")"}:
            head = sql[: token.start] if is_other else ""
            return head if "|>" in head else ""
    return sql


def _select_filters(select: exp.Select) -> Iterator[tuple[int, str]]:
    """The filters of one SELECT, as far as WHERE decides alone which rows of a table are used."""
    where = select.args.get("where")
    if where is None or select.args.get("laterals"):
        return
    sources = _sources(select)
    conjuncts = _filter_text(where.this)
    for table, filtered in sources:
        if not filtered or not isinstance(table, exp.Table) or _makes_rows(table):
            continue
        position, alone = _position(table), len(sources) == 1
        filters = [item.sql(dialect="databricks") for item, names in conjuncts if _only(names, table, alone)]
        if position is not None and filters:
            yield position, " AND ".join(f"({text})" for text in filters)


def _makes_rows(table: exp.Table) -> bool:
    """Whether a table's rows are changed before WHERE sees them; the rows of a sample must not depend on WHERE."""
    return any(table.args.get(key) for key in ("pivots", "sample"))


def _sources(select: exp.Select) -> list[tuple[exp.Expression, bool]]:
    """The relations of FROM and JOIN, each with whether WHERE filters its own rows.

    The side of an outer join that may be missing is read before the join turns its rows into NULLs.
    """
    start = select.args.get("from_") or select.args.get("from")
    if start is None:
        return []
    joins = select.args.get("joins") or []
    sides = {_word(join, "side") for join in joins}
    # An outer join further right may make any relation left of it NULL.
    outer = bool(sides & {"RIGHT", "FULL"})
    joined = ((join.this, not outer and not _word(join, "side") and _word(join, "kind") in _INNER) for join in joins)
    return [(start.this, sides <= {"", "LEFT"}), *joined]


def _word(join: exp.Expression, name: str) -> str:
    """The side or the kind of a join in capitals, "" where it has none."""
    return (join.args.get(name) or "").upper()


def _conjuncts(condition: exp.Expression) -> list[exp.Expression]:
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def _filter_text(condition: exp.Expression) -> list[tuple[exp.Expression, list[str | None]]]:
    """The conjuncts of a condition, each with its `_qualifiers`."""
    return [(item, _qualifiers(item)) for item in _conjuncts(condition)]


def _qualifiers(conjunct: exp.Expression) -> list[str | None]:
    """The qualifier of each column in a condition, in lower case, None for unqualified ones; [] beside a sub-query."""
    if conjunct.find(exp.Query) is not None:
        return []
    columns = (column.parts for column in conjunct.find_all(exp.Column))
    return [parts[0].name.lower() if len(parts) > 1 else None for parts in columns]


def _only(qualifiers: list[str | None], table: exp.Table, alone: bool) -> bool:
    """Whether a condition with these qualifiers refers to this table alone."""
    # Beside no other table, what stands before a name may as well be a struct of this one.
    return bool(qualifiers) and (alone or set(qualifiers) == {table.alias_or_name.lower()})


def _position(table: exp.Table) -> int | None:
    """The offset of the first part of the table's name."""
    starts = [part.meta.get("start") for part in table.parts]
    known_starts = [start for start in starts if start is not None]
    return min(known_starts) if len(known_starts) == len(starts) else None


# From a bracket to the first one of its number that closes, so that there is one way only to match.
_GROUP = r"\((?P<{0}>\d+) (?:(?!\)(?P={0}) )\S+ )*\)(?P={0}) "
_PART = r"(?:\w+|`x`) "
_ELEMENTS = {
    "name": rf"(?:{_PART}(?:\. {_PART})*(?:@ {_PART})?|'x' )",
    "part": _PART,
    "string": "'x' ",
    "number": r"\d{1,16} ",
    "[name]": rf"\[\d+ [A-Z_`](?:\w*|x`) (?:{_PART})*\]\d+ ",
    "(": r"\(\d+ ",
    "()": _GROUP,
    # Not what begins a name: neither an opening bracket nor a comma.
    "~": r"[^(,\s]\S* ",
    "…": rf"(?:{_GROUP}|[^()\s]\S* )*?",
    "⋯": r"(?:\S+ )*?",
    "end": "(?:; )*$",
    "GT": "> ",
    "<": "(?P<caret>",
    ">": ")",
}


# Patterns with two gaps take the square of the length.
_MOST_ELEMENTS = 3000
_QUOTED = {"string": "'x'", "quoted": "`x`"}
_EXPLAIN = re.compile(r"(?:EXPLAIN (?:EXTENDED |FORMATTED |CODEGEN |COST |ANALYZE (?!TABLE))?)?")


class Outline(NamedTuple):
    """A statement as one line of its tokens: words in capitals, `x` and 'x' for what is quoted, numbered brackets.

    `offsets` are the offsets of the tokens, (start, end).
    """

    line: str
    offsets: tuple[tuple[int, int], ...]

    @property
    def verb(self) -> str:
        """The first word of the statement that is explained."""
        first = _EXPLAIN.match(self.line)
        assert first is not None
        return self.line[first.end() :].split(maxsplit=1)[0]


def outline(text: str) -> Outline:
    """The first tokens of `text`, without blanks and comments."""
    elements, positions, depth = [], [], 0
    for shown, start, end in islice(_elements(text), _MOST_ELEMENTS):
        numbered = shown
        if shown in {"(", "["}:
            depth += 1
            numbered = f"{shown}{depth}"
        elif shown in {")", "]"}:
            numbered = f"{shown}{depth}"
            depth -= 1
        elements.append(numbered)
        positions.append((start, end))
    return Outline("".join(f"{element} " for element in elements), tuple(positions))


def _elements(text: str) -> Iterator[tuple[str, int, int]]:
    """The tokens of `text` as they are shown, with their places; of an operator each character is one."""
    for token in tokens_from(text, 0):
        if token.kind == "symbol":
            yield from ((char, at, at + 1) for at, char in enumerate(token.text, token.start))
        else:
            yield _QUOTED.get(token.kind, token.text.upper()), token.start, token.end


def find(pattern: str, statement: Outline) -> tuple[int, int] | None:
    """Where in the text stands what `pattern` has between < and >, if the statement begins as the pattern says.

    A pattern is words with blanks between: `A|B` is a choice, `[A|B]` may be missing, `!A|B` must not follow, `name` is
    a name with its dots and `part` one of its parts, `string` a string, `number` a whole number that is too short for
    the time behind @, `(` an opening bracket and `()` a group, `[name]` words in square brackets, `~` any token that is
    no bracket or comma, `…` anything outside of brackets, `⋯` anything at all, `end` the end. EXPLAIN and WITH may
    stand before it.
    """
    match = _compiled(pattern).match(statement.line)
    if match is None:
        return None
    first, last = (statement.line.count(" ", 0, edge) for edge in match.span("caret"))
    if first == len(statement.offsets):
        end = statement.offsets[-1][1]
        return end, end
    return statement.offsets[first][0], statement.offsets[max(first, last - 1)][1]


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = [_EXPLAIN.pattern, "(?:WITH " + _ELEMENTS["…"].format("w") + ")?"]
    for number, element in enumerate(pattern.split()):
        compiled = _ELEMENTS.get(element)
        if compiled is not None:
            parts.append(compiled.replace("{0}", f"g{number}"))
        elif element.startswith("!"):
            parts.append(f"(?!{_choice(element[1:])} )")
        elif element.startswith("["):
            parts.append(f"(?:{_choice(element[1:-1])} )?")
        else:
            parts.append(f"{_choice(element)} ")
    return re.compile("".join(parts))


def _choice(words: str) -> str:
    return "(?:" + "|".join(re.escape(word) for word in words.split("|")) + ")"


_PLAIN_CLAUSES = frozenset({"expressions", "where", "kind", "hint"})


def end_of_plain_projection(sql: str) -> int | None:
    """The offset of FROM in a SELECT of one table whose rows each give a row, if at all; None for any other query."""
    tree = parse_expression(f"({sql})")
    select = tree.this if isinstance(tree, (exp.Subquery, exp.Paren)) else tree
    if not isinstance(select, exp.Select) or has_aggregate(sql) or not _has_plain_clauses(select):
        return None
    tables = list(select.find_all(exp.Table))
    makes_rows = next(select.find_all(exp.Window, exp.Explode, exp.Inline), None) is not None
    return None if len(tables) != 1 or makes_rows else _index_of_from(tokenize(sql))


def _has_plain_clauses(select: exp.Select) -> bool:
    """Whether a SELECT has no more than a list, a plain table and WHERE."""
    parts = {key: value for key, value in select.args.items() if value}
    clause = parts.pop("from", None) or parts.pop("from_", None)
    return clause is not None and parts.keys() <= _PLAIN_CLAUSES and _is_plain_table(clause.this)


def _index_of_from(tokens: Sequence[Token]) -> int | None:
    """The offset of a query's own FROM; None for FROM t SELECT …, and for a query in parentheses."""
    depth = 0
    for index, token in enumerate(tokens):
        if index == 0 and token.key != "SELECT":
            return None
        depth += (token.key in {"(", "[", "CASE"}) - (token.key in {")", "]", "END"})
        if depth == 0 and token.key == "FROM":
            return token.start
    return None


def _is_plain_table(source: object) -> bool:
    """Whether a FROM clause has a table with at most an alias: no sample of it, and no query in its place."""
    allowed = {"this", "db", "catalog", "alias"}
    return isinstance(source, exp.Table) and {key for key, value in source.args.items() if value} <= allowed


NO_ALIAS = frozenset(
    {
        *("ANTI", "CROSS", "EXCEPT", "FULL", "INNER", "INTERSECT", "JOIN", "LATERAL", "LEFT", "MINUS", "NATURAL", "ON"),
        *(
            "RIGHT",
            "SEMI",
            "SETMINUS",
            "UNION",
            "USING",
            "WHERE",
            "GROUP",
            "HAVING",
            "ORDER",
            "SORT",
            "CLUSTER",
            "FROM",
        ),
        *("DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY", "TABLESAMPLE", "PIVOT", "UNPIVOT", "VERSION", "SELECT"),
        *("TIMESTAMP", "FOR", "AS"),
    }
)
"""Words that begin a clause, or that Spark takes for no alias."""
_TAIL = frozenset({"WHERE", "ORDER", "LIMIT"})
"""Words that may follow a relation of which rows are chosen."""
_NO_COLUMN = frozenset({"ALL", "DISTINCT", "NULL", "TRUE", "FALSE", "FROM", "SELECT", "CASE"})
"""Words that mean something else, even where a column is called so."""


def plain_columns(sql: str, relation: str) -> tuple[tuple[str, str], ...] | None:
    """The columns that a query of a relation asks for as they are, each with the name that it gets: SELECT a, r.b AS c.

    () for SELECT *, None for any other query.
    """
    try:
        reader = PlainSelect(inner_query(sql))
        columns, _ = reader.columns(relation)
        reader.end()
    except LeftToEngineError:
        return None
    return columns


def inner_query(sql: str) -> str:
    """The query whose columns another one has all, SELECT * FROM (SELECT a FROM t) AS q; any other one itself."""
    tokens = tokenize(sql)
    while [token.key for token in tokens[:4]] == ["SELECT", "*", "FROM", "("]:
        last = closing(tokens, 3)
        alias = [token for token in tokens[last + 1 :] if token.key != "AS"]
        if len(alias) > 1 or any(token.kind != "quoted" and token.key in NO_ALIAS | _TAIL for token in alias):
            break
        tokens = tokens[4:last]
    return sql[tokens[0].start : tokens[-1].end] if tokens else sql


class PlainSelect(TokenCursor):
    """A SELECT of one relation, read as far as its columns are chosen as they are. Raises LeftToEngineError."""

    def __init__(self, sql: str) -> None:
        super().__init__(sql)

    def columns(self, relation: str) -> tuple[tuple[tuple[str, str], ...], str]:
        """See `plain_columns`; and what the relation goes by."""
        self.need("SELECT")
        chains = [] if self.take("*") else self.listed(self._item)
        alias = self._source(relation)
        if any(len(chain) > 1 and chain[0].lower() != alias.lower() for chain, _ in chains):
            # A field of a struct.
            raise LeftToEngineError
        return tuple((chain[-1], name) for chain, name in chains), alias

    def _source(self, relation: str) -> str:
        """FROM relation [[AS] alias]: the alias, or the name of the relation."""
        self.need("FROM")
        if self.name() != relation:
            raise LeftToEngineError
        return self._alias() if self.left and self.key not in _TAIL else relation

    def _item(self) -> tuple[list[str], str]:
        if not self.is_name or self.key in _NO_COLUMN:
            raise LeftToEngineError
        chain = [token.name for token in self.dotted()]
        if len(chain) > 2:
            raise LeftToEngineError
        return chain, self._alias() if self.key not in {",", "FROM"} else chain[-1]

    def _alias(self) -> str:
        self.take("AS")
        if self.key in NO_ALIAS:
            raise LeftToEngineError
        return self.name()


_MAKES_COLUMNS = frozenset(
    {
        *("LATERAL", "PIVOT", "UNPIVOT", "VALUES", "EXPLODE", "EXPLODE_OUTER", "POSEXPLODE", "POSEXPLODE_OUTER"),
        *("INLINE", "INLINE_OUTER", "STACK", "JSON_TUPLE", "TRANSFORM", "IDENTIFIER", "|>", "RANGE", "TABLE"),
    }
)
_VALUES_WITHOUT_BRACKETS = frozenset(
    {
        *("current_date", "current_timestamp", "current_time", "current_user", "session_user", "user"),
        *("localtimestamp", "current_catalog", "current_schema", "current_database", "default", "_metadata"),
        *("grouping__id", "_row_id", "_change_type", "_commit_version", "_commit_timestamp"),
    }
)
_UNITS = frozenset(
    {
        *("year", "quarter", "month", "week", "day", "dayofyear", "hour", "minute", "second", "millisecond"),
        *("microsecond", "nanosecond", "years", "months", "weeks", "days", "hours", "minutes", "seconds"),
    }
)
Columns = Callable[[TableReference], "StructType | None"]
"""The columns of a table; None where they are not known."""


def unknown_columns(
    text: str, columns_of: Columns, outer: Mapping[str, StructType] = MappingProxyType({})
) -> Iterator[tuple[ColumnReference, tuple[str, ...]]]:
    """The names of a query, or an expression, that no column of its tables has, each with the columns of these.

    `outer` are the tables around an expression, by their aliases.
    """
    references = table_references(text)
    known = [*outer.values(), *map(columns_of, references)]
    tokens = tokenize(text)
    if not known or None in known or _MAKES_COLUMNS & {token.key for token in tokens}:
        return
    names = {field.name.lower(): field.name for columns in known for field in columns or ()}
    aliases = {*outer, *((reference.alias or reference.parts[-1]).lower() for reference in references)}
    allowed = names.keys() | _fields(tokens) | _VALUES_WITHOUT_BRACKETS | _UNITS
    for name in free_names(text, aliases):
        if allowed.isdisjoint(_columns(name, aliases)):
            yield name, tuple(names.values())


def _fields(tokens: Sequence[Token]) -> set[str]:
    """The last fields of paths, `raw:a.b`: by them columns without a name are called, so in ORDER BY."""
    return {path.name.lower() for path in json_paths(tokens)}


def _columns(name: ColumnReference, aliases: Collection[str]) -> set[str]:
    """The parts of a name that may be its column, in lower case: `a`, or the one behind a table as in `c.s.t.a`."""
    parts = [part.lower() for part in name.parts]
    behind = {parts[at + 1] for at in range(min(3, len(parts) - 1)) if parts[at] in aliases}
    return behind if parts[0] in aliases and behind else {parts[0], *behind}


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
        """A constant and its name: one without an alias is named by its value, or "" where only Spark knows how."""
        start = self.at
        value = self.cast() if self.key == "CAST" else self.literal()
        if self.take("AS") or (self.is_name and self.key not in NO_ALIAS):
            return self.name(), value
        return _shown("".join(token.text for token in self.tokens[start : self.at]), value), value

    def cast(self) -> Constant:
        self.need("CAST")
        self.need("(")
        value = self.literal()
        self.need("AS")
        target = type_at(self)
        self.need(")")
        return Constant(target, as_type(value.value, value.type, target, None))


_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")


def _shown(text: str, constant: Constant) -> str:
    """The name of a column that is a plain literal; "" for any other constant."""
    if constant.type == VOID:
        return "NULL"
    if constant.type == BOOLEAN or _PLAIN_NUMBER.fullmatch(text):
        return text.lower()
    return str(constant.value) if constant.type == STRING and text[:1] in {"'", '"'} else ""


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
