"""CREATE, CALL, DROP, DESCRIBE and SHOW of procedures: scripts with parameters, which the catalog stores.

A procedure is stored like a function of SQL, as the text behind its name, and shares the namespace of functions. Its
script is run by the session. Under SQL SECURITY INVOKER names in it are looked up in the current schema of the caller,
otherwise in the schema that was current when the procedure was created. Source: Databricks, CREATE PROCEDURE and CALL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from deltasql.base import DeltaSqlError, Token, TokenCursor, comma_separated, errors, meant, similar_names
from deltasql.catalog import FunctionDefinition, FunctionEntry, sql_name
from deltasql.plan import ColumnPath, LogicalPlan, SqlText, TableName
from deltasql.planner import (
    Answer,
    CallArgument,
    Context,
    FunctionDefining,
    Plan,
    ProcedureCall,
    SparkCommand,
    plan,
    refuse_parameters,
    settings_of_text,
)
from deltasql.schema import STRING, ArrayType, StructField, StructType
from deltasql.sql import BoundStatement, Parameter, ProcedureText, Tree, builds, parse_type, procedure_text
from deltasql.statements.function import Sections, creation_time, labelled, type_in_capitals

INVOKER, DEFINER = "INVOKER", "DEFINER"
_COLLATIONS = (None, "UTF8_BINARY")
_DATA_ACCESS = "MODIFIES SQL DATA"
_NO_VARIABLES = frozenset({"NULL", "TRUE", "FALSE", "DEFAULT"})


@dataclass(frozen=True, slots=True)
class CreateProcedure(LogicalPlan):
    """CREATE [OR REPLACE] PROCEDURE [IF NOT EXISTS] p …; `rest` is the text behind the name, `parsed` its parts"""

    mode: str
    if_not_exists: bool
    procedure: TableName
    rest: SqlText
    parsed: ProcedureText

    def created(self) -> TableName | None:
        return self.procedure


@dataclass(frozen=True, slots=True)
class CallProcedure(LogicalPlan):
    """CALL p([name =>] value, …); `arguments` is the text in parentheses, with these"""

    procedure: TableName
    arguments: SqlText


@dataclass(frozen=True, slots=True)
class DropProcedure(LogicalPlan):
    """DROP PROCEDURE [IF EXISTS] p"""

    if_exists: bool
    procedure: TableName


@dataclass(frozen=True, slots=True)
class DescribeProcedure(LogicalPlan):
    """DESCRIBE PROCEDURE [EXTENDED] p"""

    reads_only: ClassVar[bool] = True

    extended: bool
    procedure: TableName


@dataclass(frozen=True, slots=True)
class ShowProcedures(LogicalPlan):
    """SHOW PROCEDURES [IN schema] [LIKE 'pattern']"""

    reads_only: ClassVar[bool] = True

    schema: TableName | None
    pattern: str | None


@builds("create_procedure")
def _create_procedure(children: list[Any], tree: Tree, text: str) -> CreateProcedure:
    mode, if_not_exists, procedure, rest = children
    try:
        return CreateProcedure(mode, if_not_exists, procedure, rest, procedure_text(rest.text))
    except DeltaSqlError as error:
        raise error.moved(rest.text, text, rest.start) from None


_DESCRIPTION = StructType((StructField("procedure_desc", STRING),))
_LISTED = StructType(
    (
        StructField("catalog", STRING, False),
        StructField("namespace", ArrayType(STRING, False)),
        StructField("schema", STRING),
        StructField("procedure_name", STRING, False),
    )
)


@plan.register
def plan_create_procedure(statement: CreateProcedure, context: Context) -> Plan:
    """The session parses the script before anything is stored."""
    name = statement.procedure
    try:
        context.refuse_version(name)
        if statement.mode == "replace":
            raise errors.ParseSyntaxError("Procedures are replaced by CREATE OR REPLACE PROCEDURE.", "REPLACE")
        if statement.mode != "create" and statement.if_not_exists:
            raise errors.ProcedureModeError
        _refuse_clauses(str(name), statement.parsed)
        return _created(statement, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _refuse_clauses(name: str, parsed: ProcedureText) -> None:
    """Raises ProcedureClauseError for another language, or another default collation."""
    if parsed.language not in (None, "SQL"):
        advice = "Its body is a script of SQL: LANGUAGE SQL AS BEGIN … END."
        raise errors.ProcedureClauseError(name, f"LANGUAGE {parsed.language}", advice)
    if parsed.collation not in _COLLATIONS:
        advice = "Its texts are UTF8_BINARY: leave it out, and write STRING COLLATE name where another is needed."
        raise errors.ProcedureClauseError(name, f"DEFAULT COLLATION {parsed.collation}", advice)


def _created(statement: CreateProcedure, context: Context) -> Plan:
    name, parts = statement.procedure, context.catalog.full_name(statement.procedure.parts)
    existing = context.catalog.procedure(parts)
    if context.catalog.function(parts) is not None:
        raise errors.OtherRoutineError(sql_name(parts), "function", "FUNCTION")
    if existing is None:
        context.catalog.schema(parts[:2])
    elif statement.if_not_exists:
        return Answer()
    elif statement.mode == "create":
        raise errors.ProcedureAlreadyExistsError(procedure=str(name))
    refuse_parameters(str(name), statement.rest, context)
    _check_types(statement, context)
    catalog = context.catalog
    namespace = (catalog.current_catalog, catalog.current_schema)
    definition = FunctionDefinition(statement.rest.text, namespace, settings_of_text(context), is_procedure=True)

    def define(found: FunctionEntry | None) -> FunctionDefinition:
        if found is not None and found.definition.is_procedure and statement.mode == "create":
            raise errors.ProcedureAlreadyExistsError(procedure=str(name))
        return definition

    script = (context.sql, statement.rest.start + statement.parsed.start)
    return FunctionDefining(parts, define, if_not_exists=statement.if_not_exists, script=script)


def _check_types(statement: CreateProcedure, context: Context) -> None:
    """Raises what is wrong with the type of a parameter, at the parameters."""
    for parameter in statement.parsed.parameters:
        if parameter.type.upper().startswith("INTERVAL"):
            continue
        try:
            parse_type(parameter.type)
        except DeltaSqlError as error:
            start = statement.rest.start + max(0, statement.rest.text.find(parameter.type))
            error.caret = None
            raise error.at(context.caret(start, start + len(parameter.type))) from None


@plan.register
def plan_call_procedure(statement: CallProcedure, context: Context) -> Plan:
    """Arguments are paired with parameters; their values are computed when the call runs."""
    name = statement.procedure
    context.refuse_version(name)
    entry = None if len(name.parts) > 3 else context.catalog.procedure(name.parts)
    if entry is None:
        if len(name.parts) == 3 and name.parts[0].lower() not in context.catalog.catalogs():
            # A catalog of the Spark session may have procedures of its own.
            return SparkCommand(context.sql, {})
        _refuse_unknown(name, context)
    parsed, title = procedure_text(entry.definition.text), sql_name(entry.parts)
    head = f"CREATE PROCEDURE {title}"
    arguments = _Pairing(title, parsed.parameters, statement, context).pairs()
    namespace = None if parsed.security == INVOKER else entry.definition.namespace
    text = f"{head}{entry.definition.text}"
    calling = context.bound if context.bound.sql == context.sql else BoundStatement(context.sql)
    return ProcedureCall(title, text, len(head) + parsed.start, arguments, namespace, calling)


def _refuse_unknown(name: TableName, context: Context) -> NoReturn:
    """Raises ProcedureNotFoundError, SchemaNotFoundError at the name."""
    try:
        raise _not_found(name, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _not_found(name: TableName, context: Context) -> errors.ProcedureNotFoundError:
    """The error for an unknown procedure, with similar names."""
    if len(name.parts) > 3 or context.catalog.function(name.parts) is not None:
        advice = f"It is a function: SELECT {name}(…) calls it." if len(name.parts) < 4 else "Its name has 3 parts."
        return errors.ProcedureNotFoundError(str(name), advice)
    *_, last = parts = context.catalog.full_name(name.parts)
    context.catalog.schema(parts[:2])
    similar = tuple(similar_names(last, [entry.name for entry in context.catalog.procedures(parts[:2])], most=3))
    return errors.ProcedureNotFoundError(str(name), meant(similar) or "SHOW PROCEDURES lists those of a schema.")


class _Pairing:
    """Pairs the arguments of a call with the parameters of its procedure."""

    def __init__(self, title: str, parameters: Sequence[Parameter], statement: CallProcedure, context: Context) -> None:
        self._title, self._parameters, self._context = title, parameters, context
        self._statement = statement
        self._paired: dict[str, CallArgument] = {}
        self._by_place = set[str]()

    def pairs(self) -> tuple[CallArgument, ...]:
        """The arguments in the order of the parameters.

        Raises ArgumentCountError, MissingArgumentError, UnknownArgumentError, DuplicateArgumentError,
        PositionalAndNamedArgumentError, PositionalArgumentError, OutArgumentError, ParseSyntaxError.
        """
        named = ""
        items = list(self._items())
        if len(items) > len(self._parameters):
            error = errors.ArgumentCountError(self._title, len(self._parameters), len(items))
            self._refuse(error, items[len(self._parameters)])
        for place, item in enumerate(items):
            if len(item) > 1 and item[0].is_name and item[1].key == "=>":
                named = item[0].name
                self._pair(self._named(item), item[2:])
            elif named:
                self._refuse(errors.PositionalArgumentError(before=named), item)
            else:
                self._by_place.add(self._parameters[place].name.lower())
                self._pair(self._parameters[place], item)
        return tuple(self._argument(parameter) for parameter in self._parameters)

    def _items(self) -> Iterator[Sequence[Token]]:
        tokens = TokenCursor(self._statement.arguments.text).tokens
        items = list(comma_separated(tokens[1:-1]))
        if len(items) == 1 and not items[0]:
            return
        for item in items:
            if not item or item[-1].key == "=>":
                reason = "An argument is missing between commas or behind =>."
                self._refuse(errors.ParseSyntaxError(reason, ","), item or tokens)
            yield item

    def _named(self, item: Sequence[Token]) -> Parameter:
        """The parameter that an argument names."""
        name = item[0].name
        found = next((each for each in self._parameters if each.name.lower() == name.lower()), None)
        if found is None:
            similar = tuple(similar_names(name, [each.name for each in self._parameters], most=3))
            has = f"It has {', '.join(each.name for each in self._parameters)}." if self._parameters else "It has none."
            self._refuse(errors.UnknownArgumentError(self._title, name, meant(similar) or has), item[:1])
        if found.name.lower() in self._paired:
            is_mixed = found.name.lower() in self._by_place
            error = errors.PositionalAndNamedArgumentError if is_mixed else errors.DuplicateArgumentError
            self._refuse(error(self._title, found.name), item[:1])
        return found

    def _pair(self, parameter: Parameter, tokens: Sequence[Token]) -> None:
        if len(tokens) == 1 and tokens[0].key == "DEFAULT":
            if parameter.default is None:
                self._refuse(errors.MissingArgumentError(self._title, parameter.name), tokens)
            self._paired[parameter.name.lower()] = CallArgument(parameter)
            return
        outer = self._statement.arguments
        start, end = tokens[0].start, tokens[-1].end
        value = SqlText(outer.text[start:end], outer.start + start)
        variable = self._variable(parameter, tokens, value) if parameter.is_out else None
        self._paired[parameter.name.lower()] = CallArgument(parameter, value, variable)

    def _variable(self, parameter: Parameter, tokens: Sequence[Token], value: SqlText) -> ColumnPath:
        """The name of a variable."""
        names, dots = tokens[::2], tokens[1::2]
        is_path = len(tokens) % 2 and all(token.is_name for token in names) and all(dot.key == "." for dot in dots)
        if not is_path or names[-1].key in _NO_VARIABLES:
            error = errors.OutArgumentError(
                self._title, parameter.name, parameter.mode, value.text, type_in_capitals(parameter.type)
            )
            self._refuse(error, tokens)
        return ColumnPath(tuple(token.name for token in names), value.start, value.end)

    def _argument(self, parameter: Parameter) -> CallArgument:
        found = self._paired.get(parameter.name.lower())
        if found is None and parameter.default is None:
            name = self._statement.procedure
            caret = self._context.caret(name.start, name.end)
            raise errors.MissingArgumentError(self._title, parameter.name).at(caret)
        return found or CallArgument(parameter)

    def _refuse(self, error: DeltaSqlError, tokens: Sequence[Token]) -> NoReturn:
        start = self._statement.arguments.start
        raise error.at(self._context.caret(start + tokens[0].start, start + tokens[-1].end))


@plan.register
def plan_drop_procedure(statement: DropProcedure, context: Context) -> Plan:
    name = statement.procedure
    try:
        context.refuse_version(name)
        parts = context.catalog.full_name(name.parts)
        if context.catalog.procedure(parts) is None:
            if statement.if_exists:
                return Answer()
            raise _not_found(name, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None

    def remove(existing: FunctionEntry | None) -> None:
        if existing is None and not statement.if_exists:
            raise errors.ProcedureNotFoundError(str(name), "Another session has dropped it.")

    return FunctionDefining(parts, remove)


@plan.register
def plan_describe_procedure(statement: DescribeProcedure, context: Context) -> Plan:
    name = statement.procedure
    context.refuse_version(name)
    entry = None if len(name.parts) > 3 else context.catalog.procedure(name.parts)
    if entry is None:
        _refuse_unknown(name, context)
    parsed = procedure_text(entry.definition.text)
    return Answer(_DESCRIPTION, labelled(_sections(entry, parsed, extended=statement.extended)))


def _sections(entry: FunctionEntry, parsed: ProcedureText, *, extended: bool) -> Sections:
    yield "Procedure", [".".join(entry.parts)]
    yield "Parameters", _parameters(parsed.parameters, extended=extended) or ["()"]
    if not extended:
        return
    if parsed.comment is not None:
        yield "Comment", [parsed.comment]
    yield "Deterministic", [str(parsed.deterministic).lower()]
    yield "Data Access", [parsed.data_access or _DATA_ACCESS]
    yield "Security Type", [parsed.security or DEFINER]
    if entry.definition.settings:
        yield "Configs", [f"{key}={value}" for key, value in sorted(entry.definition.settings.items())]
    if entry.governance.owner is not None:
        yield "Owner", [entry.governance.owner]
    yield "Create Time", [creation_time(entry)]
    yield "Body", [parsed.body]


def _parameters(parameters: Sequence[Parameter], *, extended: bool) -> list[str]:
    """A line for each, with its mode; names and types stand below each other."""
    modes = max((len(item.mode) for item in parameters), default=0)
    names = max((len(item.name) for item in parameters), default=0)
    types = max((len(item.type) for item in parameters), default=0)
    lines = []
    for item in parameters:
        line = f"{item.mode:{modes}} {item.name:{names}} {type_in_capitals(item.type):{types}}"
        if extended and item.default is not None:
            line += f" DEFAULT {item.default}"
        if extended and item.comment is not None:
            line += f" '{item.comment}'"
        lines.append(line.rstrip())
    return lines


@plan.register
def plan_show_procedures(statement: ShowProcedures, context: Context) -> Plan:
    """The procedures of one schema."""
    schema = None if statement.schema is None else statement.schema.parts
    if statement.schema is not None:
        context.refuse_version(statement.schema)
        context.catalog.schema(statement.schema.parts)
    found = context.catalog.procedures(schema, statement.pattern)
    rows = ((entry.catalog, [entry.schema], entry.schema, entry.name) for entry in found)
    return Answer(_LISTED, tuple(rows))
