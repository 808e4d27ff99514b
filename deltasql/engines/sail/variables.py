"""Session variables for an engine without variables: stored in this process, and put into texts as values.

A name means a column if one exists, and a variable otherwise, as in Spark. Only values with a literal of their type are
supported; a text that names another variable is refused. Statements about variables run in this process.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from deltasql.base import Caret, LeftToEngineError, Token, TokenCursor, comma_separated, errors, tokenize
from deltasql.engines.spark.session.local_rows import frame_schema
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.schema import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    DataType,
    DecimalType,
    is_number,
    sql_literal,
    sql_text,
)
from deltasql.sql import has_subquery, type_end

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_SESSIONS = (["SESSION"], ["SYSTEM", "SESSION"])
_LIST_ENDS = frozenset(
    {"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"}
    | {"QUALIFY", "LATERAL", "UNION", "INTERSECT", "EXCEPT", "MINUS", "VALUES", "SELECT"}
)
"""Keywords that end the list of a SELECT."""
_NO_TYPE = frozenset({"DEFAULT", "="})


@dataclass(frozen=True, slots=True)
class AssignedVariable:
    """The variable that a statement changes, at [start, end) of its text."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Declare:
    """DECLARE [OR REPLACE] [VARIABLE] name, … [type] [DEFAULT expression]"""

    targets: tuple[AssignedVariable, ...]
    replaces: bool
    kind: str | None
    default: str | None


@dataclass(frozen=True, slots=True)
class Assign:
    """SET VARIABLE name = expression, …: None is DEFAULT.

    Of SET VARIABLE (name, …) = (query), `query` has the values.
    """

    targets: tuple[AssignedVariable, ...]
    values: tuple[str | None, ...] = ()
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """DROP TEMPORARY VARIABLE [IF EXISTS] name"""

    target: AssignedVariable
    if_exists: bool


def variable_command(sql: str) -> Declare | Assign | Drop | None:
    """The statement about session variables in a text; None for any other text.

    Raises LeftToEngineError for one that cannot be parsed with certainty.
    """
    at = _Statement(sql)
    if at.take("DECLARE"):
        return at.declare()
    if at.key == "SET" and at.peek(1) in {"VAR", "VARIABLE"}:
        at.at += 2
        return at.assign()
    if at.key == "DROP" and at.peek(1) == "TEMPORARY" and at.peek(2) in {"VAR", "VARIABLE"}:
        at.at += 3
        if_exists = at.key == "IF" and at.peek(1) == "EXISTS"
        at.at += 2 * if_exists
        target = at.target()
        at.end()
        return Drop(target, if_exists)
    return None


class _Statement(TokenCursor):
    def __init__(self, sql: str) -> None:
        tokens = list(tokenize(sql))
        while tokens and tokens[-1].key == ";":
            tokens.pop()
        super().__init__(tokens)
        self.sql = sql

    def declare(self) -> Declare:
        replaces = self.key == "OR" and self.peek(1) == "REPLACE"
        self.at += 2 * replaces
        if self.key in {"VARIABLE", "VAR"} and self.is_name_at(1):
            self.at += 1
        targets = self.listed(self.target)
        kind = None
        if self.left and self.key not in _NO_TYPE:
            start, self.at = self.at, type_end(self.tokens, self.at)
            kind = self.text(start, self.at)
        default = None
        if self.take(*_NO_TYPE):
            default = self.text(self.at, len(self.tokens))
            self.at = len(self.tokens)
        self.end()
        if kind is None and default is None:
            raise LeftToEngineError
        return Declare(tuple(targets), replaces, kind, default)

    def assign(self) -> Assign:
        if self.key == "(":
            names = TokenCursor(self.group()[1:-1])
            targets = names.listed(lambda: _target(names))
            names.end()
            self.need("=")
            query = self.group()
            self.end()
            if len(query) < 3 or query[0].key != "(":
                raise LeftToEngineError
            return Assign(tuple(targets), query=self.sql[query[0].end : query[-1].start])
        targets, values = [], list[str | None]()
        for item in comma_separated(self.tokens[self.at :]):
            one = TokenCursor(item)
            targets.append(_target(one))
            one.need("=")
            if not one.left:
                raise LeftToEngineError
            value = self.sql[item[one.at].start : item[-1].end]
            values.append(None if value.upper() == "DEFAULT" else value)
        return Assign(tuple(targets), tuple(values))

    def target(self) -> AssignedVariable:
        return _target(self)

    def text(self, start: int, end: int) -> str:
        if start >= end:
            raise LeftToEngineError
        return self.sql[self.tokens[start].start : self.tokens[end - 1].end]


def _target(at: TokenCursor) -> AssignedVariable:
    """The variable at the cursor. Raises LeftToEngineError for a name that no session variable can have."""
    if not at.is_name:
        raise LeftToEngineError
    chain = at.dotted()
    if len(chain) > 1 and [token.name.upper() for token in chain[:-1]] not in _SESSIONS:
        raise LeftToEngineError
    return AssignedVariable(chain[-1].name, chain[0].start, chain[-1].end)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at [start, end) of a text that may be a variable; `key` is the variable in capitals.

    `qualified` ones are qualified by `session`. One that is `listed` is a whole column of a SELECT list, with that
    `name`. `nested` ones are in a query within the text; `before` is the key of the token before the name.
    """

    key: str
    start: int
    end: int
    name: str
    qualified: bool
    listed: bool
    nested: bool
    before: str


def mentions(sql: str, keys: Collection[str]) -> list[Mention]:
    """The names in a text that may be the variables `keys`, which are in capitals: columns of that name come first."""
    return list(_mentions(tokenize(sql), keys))


def _mentions(tokens: Sequence[Token], keys: Collection[str]) -> Iterator[Mention]:
    at, around = TokenCursor(tokens), [_Around()]
    while at.left:
        _step(at, around)
        if not at.is_name:
            at.at += 1
            continue
        first = at.at
        chain = at.dotted()
        variable = _variable(chain, keys)
        if variable is None or at.key in {"(", "->", "=>"} or _names(tokens, first):
            continue
        before, last = tokens[first - 1].key if first else "", chain[-1]
        ends = not at.left or at.key in {",", ")", *_LIST_ENDS}
        listed = around[-1].lists and before in {"SELECT", ",", "DISTINCT", "ALL"} and ends
        yield Mention(variable, chain[0].start, last.end, last.name, len(chain) > 1, listed, around[-1].nested, before)


@dataclass(slots=True)
class _Around:
    """A pair of brackets: whether its tokens are in a SELECT list, and whether it is `nested` in an inner query."""

    lists: bool = False
    nested: bool = False


def _step(at: TokenCursor, around: list[_Around]) -> None:
    """Updates the brackets around the next token."""
    if at.key == "(":
        begins = at.peek(1) in {"SELECT", "WITH", "FROM", "VALUES", "TABLE"}
        around.append(_Around(nested=around[-1].nested or begins))
    elif at.key == ")" and len(around) > 1:
        around.pop()
    elif at.key in _LIST_ENDS:
        around[-1].lists = at.key == "SELECT"


def _variable(chain: Sequence[Token], keys: Collection[str]) -> str | None:
    *before, last = (token.name.upper() for token in chain)
    return last if last in keys and (not before or before in _SESSIONS) else None


def _names(tokens: Sequence[Token], at: int) -> bool:
    """Whether the name at a token is an alias or part of a longer name."""
    return at > 0 and tokens[at - 1].key in {"AS", ".", "::", ":"}


def with_values(sql: str, mentions: Sequence[Mention], values: Mapping[str, str]) -> str:
    """`sql` with the SQL of values in place of variables; columns of a SELECT keep their names."""
    for item in sorted(mentions, key=lambda item: item.start, reverse=True):
        name = item.name.replace("`", "``")
        value = f"{values[item.key]} AS `{name}`" if item.listed else values[item.key]
        sql = sql[: item.start] + value + sql[item.end :]
    return sql


_AS_TEXT = frozenset({BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, DATE, TIMESTAMP_NTZ})


@dataclass(frozen=True, slots=True)
class SessionVariable:
    """A variable: the SQL of its value, None where there is no literal of its type, and of its default."""

    name: str
    type: DataType
    literal: str | None
    default: str


def typed_literal(value: Any, kind: DataType) -> str | None:
    """SQL of a value that Arrow has given, which has this type; None where there is none that is certain.

    Numbers are casts of texts, which no engine takes for the number of a column in GROUP BY.
    """
    if kind == VOID:
        return "NULL"
    has_literal = isinstance(kind, DecimalType) or kind in {*_AS_TEXT, BOOLEAN, STRING, BINARY, TIMESTAMP}
    if not has_literal:
        return None
    if value is None:
        return f"CAST(NULL AS {sql_text(kind)})"
    if kind in {BOOLEAN, BINARY}:
        return sql_literal(value)
    if kind == STRING:
        return f"({sql_literal(value)})"
    if kind == TIMESTAMP:
        if not isinstance(value, datetime) or value.tzinfo is None:
            return None
        text = value.astimezone(timezone.utc).isoformat(sep=" ")
        return f"TIMESTAMP'{text}'"
    text = f"{value:f}" if isinstance(kind, DecimalType) else str(value)
    return f"CAST('{text}' AS {sql_text(kind)})"


_VARIABLES: weakref.WeakKeyDictionary[SparkHandle, dict[str, SessionVariable]] = weakref.WeakKeyDictionary()


def variables_of(session: SparkHandle) -> dict[str, SessionVariable]:
    """The variables of a session whose engine has none, by name in capitals."""
    return _VARIABLES.setdefault(session, {})


SessionVariables = dict[str, SessionVariable]
"""The variables of a session, by name in capitals."""
RunQuery = Callable[[str], "DataFrame"]
"""The rows of a query."""


def query_with_values(session: SparkSession, sql: str, variables: SessionVariables) -> str:
    """A query with values in place of the variables in it."""
    mentioned = mentions(sql, variables)
    if not mentioned:
        return sql
    values = _values(mentioned, variables)
    qualified = [item for item in mentioned if item.qualified]
    chosen = [*qualified, *_meant(session, sql, qualified, [item for item in mentioned if not item.qualified], values)]
    text = with_values(sql, chosen, values)
    _refuse_limits(session, text, mentioned, chosen)
    return text


def _meant(
    session: SparkSession, sql: str, qualified: Sequence[Mention], bare: Sequence[Mention], values: Mapping[str, str]
) -> Sequence[Mention]:
    """Those of the bare names that are variables: without the value of one of them the query is not understood."""

    def is_analysed(chosen: Sequence[Mention]) -> bool:
        return _is_analysed(session, with_values(sql, [*qualified, *chosen], values))

    if not bare or is_analysed(()):
        return ()
    if not is_analysed(bare):
        # Of some names what has no value: a table, an alias.
        bare = [item for item in bare if not _is_misread(session, with_values(sql, [item], values))]
    if len(bare) > 1 and is_analysed(bare):
        return [item for item in bare if not is_analysed([other for other in bare if other is not item])]
    return bare


def _values(mentioned: Iterable[Mention], variables: SessionVariables) -> dict[str, str]:
    values = dict[str, str]()
    for item in mentioned:
        variable = variables[item.key]
        if variable.literal is None:
            raise errors.NotOnSailError(what=f"the variable {variable.name}, of the type {sql_text(variable.type)}")
        values[item.key] = variable.literal
    return values


def _is_analysed(session: SparkSession, sql: str) -> bool:
    from pyspark.errors import PySparkException

    try:
        session.sql(sql).schema  # noqa: B018 - Spark Connect looks only now
    except PySparkException:
        return False
    return True


def _is_misread(session: SparkSession, sql: str) -> bool:
    """Whether the engine's parser stops in a text."""
    from pyspark.errors import PySparkException

    try:
        session.sql(sql).schema  # noqa: B018 - Spark Connect looks only now
    except PySparkException as error:
        return "expected" in str(error) and "found" in str(error)
    return False


def _refuse_limits(session: SparkSession, sql: str, mentioned: Sequence[Mention], chosen: Sequence[Mention]) -> None:
    """Raises SparkError for LIMIT v where v is a column of the query, too: it comes first, and is no constant."""
    limits = [
        item for item in mentioned if item.before in {"LIMIT", "OFFSET"} and not item.nested and not item.qualified
    ]
    if not limits:
        return
    columns = {name.upper() for name in session.sql(sql).columns} if limits[0] in chosen else {limits[0].key}
    for item in limits:
        if item.key in columns:
            text = (
                f'The limit like expression "{item.name}" is invalid. '
                "The limit expression must evaluate to a constant value."
            )
            raise errors.SparkError("INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", "42K0E", text)


def expression_with_values(sql: str, variables: SessionVariables, columns: Iterable[str]) -> str:
    """An expression over some columns with values in place of the variables in it. Raises NotOnSailError."""
    names = {name.upper() for name in columns}
    mentioned = [item for item in mentions(sql, variables) if item.qualified or item.key not in names]
    nested = next((item for item in mentioned if item.nested and not item.qualified), None)
    if nested is not None:
        raise errors.NotOnSailError(what=f"the variable {nested.name} in a sub-query of an expression")
    return with_values(sql, mentioned, _values(mentioned, variables)) if mentioned else sql


def run_variable_command(sql: str, variables: SessionVariables, run_query: RunQuery) -> bool:
    """Runs a statement about variables; FALSE for any other statement. Raises SparkError, NotOnSailError."""
    try:
        command = variable_command(sql)
    except LeftToEngineError:
        raise errors.NotOnSailError(what="this statement about variables") from None
    match command:
        case Declare():
            _declare(command, variables, run_query)
        case Assign():
            _assign(command, sql, variables, run_query)
        case Drop(target, if_exists):
            if variables.pop(target.name.upper(), None) is None and not if_exists:
                raise _missing(target)
        case None:
            return False
    return True


def _declare(command: Declare, variables: SessionVariables, run_query: RunQuery) -> None:
    for target in command.targets:
        if target.name.upper() in variables and not command.replaces:
            text = (
                f"Cannot create the variable {_full(target)} because it already exists.\n"
                "Choose a different name, or drop or replace the existing variable."
            )
            raise errors.SparkError("VARIABLE_ALREADY_EXISTS", "42723", text)
    if command.default is not None and has_subquery(command.default):
        text = (
            f"Failed to execute DECLARE VARIABLE command because the destination column or variable "
            f"{_full(command.targets[0])} has a DEFAULT value {command.default}, which contains subquery expressions."
        )
        raise errors.SparkError("INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION", "42623", text)
    default = command.default or "NULL"
    kind, value = _value(default, command.kind, run_query)
    for target in command.targets:
        variables[target.name.upper()] = SessionVariable(target.name, kind, typed_literal(value, kind), default)


def _assign(command: Assign, sql: str, session_variables: SessionVariables, run_query: RunQuery) -> None:
    variables = list[SessionVariable]()
    for target in command.targets:
        assigned = session_variables.get(target.name.upper())
        if assigned is None:
            text = (
                f"Cannot resolve variable `{target.name}` on search path "
                "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]."
            )
            raise errors.SparkError("UNRESOLVED_VARIABLE", "42883", text).at(Caret(sql, target.start, target.end))
        variables.append(assigned)
    if len({id(variable) for variable in variables}) < len(variables):
        raise errors.NotOnSailError(what="a variable that is set twice in a statement")
    if command.query is not None:
        for variable, value in zip(variables, _row(command.query, variables, run_query), strict=True):
            _set(session_variables, variable, value)
        return
    before = dict(session_variables)
    try:
        for number, (variable, expression) in enumerate(zip(variables, command.values, strict=True)):
            # As in the list of a SELECT, names of values that come first are seen by those behind.
            new_value = variable.default if expression is None else expression
            _refuse_unlike(new_value, variables[:number])
            _set(session_variables, variable, _value(new_value, variable, run_query)[1])
    except BaseException:
        session_variables.update(before)
        raise


def _set(variables: SessionVariables, variable: SessionVariable, value: Any) -> None:
    literal = typed_literal(value, variable.type)
    variables[variable.name.upper()] = SessionVariable(variable.name, variable.type, literal, variable.default)


def _refuse_unlike(text: str, set_before: Sequence[SessionVariable]) -> None:
    """Raises NotOnSailError for a value that asks for what a variable was before the statement."""
    if any(item.qualified for item in mentions(text, {variable.name.upper() for variable in set_before})):
        raise errors.NotOnSailError(what="a variable that is set and read in one statement")


def _row(query: str, variables: Sequence[SessionVariable], run_query: RunQuery) -> list[Any]:
    rows = run_query(query)
    kinds = [field.type for field in frame_schema(rows)]
    if len(kinds) != len(variables):
        text = (
            f"The number of columns or variables assigned or aliased: {len(variables)} does not match the number of "
            f"source expressions: {len(kinds)}."
        )
        raise errors.SparkError("ASSIGNMENT_ARITY_MISMATCH", "42802", text)
    names = [f"c{index}" for index in range(len(kinds))]
    casts = [_cast(name, kind, one.type) for name, kind, one in zip(names, kinds, variables, strict=True)]
    table = rows.toDF(*names).limit(2).selectExpr(*casts).toArrow()
    if table.num_rows > 1:
        text = "More than one row returned by a subquery used as a row."
        raise errors.SparkError("ROW_SUBQUERY_TOO_MANY_ROWS", "21000", text)
    return [column[0].as_py() if table.num_rows else None for column in table.columns]


def _value(expression: str, target: SessionVariable | str | None, run_query: RunQuery) -> tuple[DataType, Any]:
    """The type and the value of an expression, cast to a type."""
    rows = run_query(f"SELECT ({expression}) AS v")
    (column,) = frame_schema(rows)
    kind = column.type
    if isinstance(target, str):
        (field,) = frame_schema(run_query(f"SELECT CAST(NULL AS {target}) AS v"))
        kind = field.type
    elif target is not None:
        kind = target.type
    if kind != column.type:
        rows = run_query(f"SELECT {_cast(f'({expression})', column.type, kind)} AS v")
    return kind, rows.toArrow().column(0)[0].as_py()


def _cast(value: str, source: DataType, target: DataType) -> str:
    """A cast that an assignment makes by itself. Raises NotOnSailError where that is not certain."""
    if source == target:
        return value
    if source in {VOID, STRING} or target == STRING or (is_number(source) and is_number(target)):
        return f"CAST({value} AS {sql_text(target)})"
    raise errors.NotOnSailError(
        what=f"a {sql_text(source)} that is assigned to a variable of the type {sql_text(target)}"
    )


def _full(target: AssignedVariable) -> str:
    return f"`system`.`session`.`{target.name}`"


def _missing(target: AssignedVariable) -> errors.SparkError:
    text = (
        f"The variable {_full(target)} cannot be found. Verify the spelling and correctness of the schema and catalog."
        "\nIf you did not qualify the name with a schema and catalog, verify the current_schema() output, or qualify "
        "the name with the correct schema and catalog.\nTo tolerate the error on drop use DROP VARIABLE IF EXISTS."
    )
    return errors.SparkError("VARIABLE_NOT_FOUND", "42883", text)
