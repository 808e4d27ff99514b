"""CREATE, DROP, DESCRIBE and SHOW of SQL functions, of the catalog or of the session.

A function of the catalog is registered in Spark whenever a text calls it, under its full name. A temporary one belongs
to Spark, unless it reads tables: Spark would not find them later, so that the session stores it, and registers it in
Spark as well. DESCRIBE and SHOW use Spark's format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, ClassVar, TypeAlias

from deltasql.base import Caret, DeltaSqlError, TokenCursor, errors, meant, similar_names
from deltasql.catalog import FunctionDefinition, FunctionEntry, matching, sql_name
from deltasql.plan import LogicalPlan, SqlQuery, SqlText, TableName
from deltasql.planner import (
    Answer,
    Context,
    FunctionChange,
    FunctionDefining,
    Plan,
    SparkCommand,
    TemporaryFunction,
    binding,
    check_python,
    plan,
    refuse_parameters,
    refuse_temporary,
    refuse_variables,
    settings_of_text,
)
from deltasql.schema import STRING, StructField, StructType
from deltasql.schema import quote_name as quote
from deltasql.schema import sql_text as literal_text
from deltasql.sql import (
    FUNCTIONS,
    FunctionText,
    Parameter,
    PythonText,
    Tree,
    builds,
    function_text,
    sql_text,
    table_references,
)
from deltasql.statements.query import SparkStatement


@dataclass(frozen=True, slots=True)
class CreateFunction(LogicalPlan):
    """CREATE [OR REPLACE] [TEMPORARY] FUNCTION [IF NOT EXISTS] f …; `rest` is what stands behind the name"""

    mode: str
    temporary: bool
    if_not_exists: bool
    function: TableName
    rest: SqlText

    def created(self) -> TableName | None:
        return None if self.temporary else self.function


@dataclass(frozen=True, slots=True)
class DropFunction(LogicalPlan):
    """DROP [TEMPORARY] FUNCTION [IF EXISTS] f"""

    temporary: bool
    if_exists: bool
    function: TableName


@dataclass(frozen=True, slots=True)
class DescribeFunction(LogicalPlan):
    """DESCRIBE FUNCTION [EXTENDED] f"""

    reads_only: ClassVar[bool] = True

    extended: bool
    function: TableName


@dataclass(frozen=True, slots=True)
class ShowFunctions(LogicalPlan):
    """SHOW [USER | SYSTEM | ALL] FUNCTIONS [IN schema] [[LIKE] {'pattern' | name}]"""

    reads_only: ClassVar[bool] = True

    kind: str
    schema: TableName | None
    pattern: str | None


@builds("show_functions")
def _show_functions(children: list[Any], tree: Tree, text: str) -> ShowFunctions:
    """The qualifier of a name is the schema. Raises ParseSyntaxError for a qualifier beside IN schema."""
    kind, schema, pattern = children
    if not isinstance(pattern, TableName):
        return ShowFunctions(kind, schema, pattern)
    *qualifier, name = pattern.parts
    if qualifier and schema is not None:
        reason = "Name the schema behind IN, or before the name of the function."
        raise errors.ParseSyntaxError(reason, str(pattern)).at(Caret(text, pattern.start, pattern.end))
    if qualifier:
        schema = TableName(tuple(qualifier), pattern.start, pattern.end)
    return ShowFunctions(kind, schema, name)


@builds("function_pattern", "function_name")
def _function_pattern(children: list[Any], tree: Tree, text: str) -> Any:
    return children[0]


@builds("create_function")
def _create_function(children: list[Any], tree: Tree, text: str) -> CreateFunction:
    mode, temporary, if_not_exists, function, *_ = children
    return CreateFunction(
        mode, temporary, if_not_exists, function, SqlText(text[function.end : tree.end], function.end)
    )


@builds("function_kind")
def _kind(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0]).upper() if children else "ALL"


@builds("describe_function")
def _describe_function(children: list[Any], tree: Tree, text: str) -> DescribeFunction | SparkStatement:
    """Operators are functions, too: those are Spark's."""
    rest = children[0]
    at = TokenCursor(rest.text)
    extended = len(at.tokens) > 1 and bool(at.take("EXTENDED"))
    chain = at.dotted() if at.is_name else []
    if not chain or at.left:
        return SparkStatement(sql_text(tree, text))
    start, end = rest.start + chain[0].start, rest.start + chain[-1].end
    return DescribeFunction(extended, TableName(tuple(token.name for token in chain), start, end))


_DESCRIPTION = StructType((StructField("function_desc", STRING),))
_NAMES = StructType((StructField("function", STRING),))


@plan.register
def plan_describe_function(statement: DescribeFunction, context: Context) -> Plan:
    """Of a function of the catalog, or of the session; Spark tells of its own."""
    name = statement.function
    context.refuse_version(name)
    temporary = context.temporary_function(name.parts)
    builtin = len(name.parts) == 1 and name.parts[0].upper() in FUNCTIONS
    if temporary is not None and not builtin:
        return _description(temporary.name, temporary.definition, None, extended=statement.extended)
    entry = None if builtin or len(name.parts) > 3 else context.catalog.function(name.parts)
    if entry is not None and not context.analyst.knows_function(name.parts):
        return _description(".".join(entry.parts), entry.definition, entry, extended=statement.extended)
    if not builtin and not context.analyst.started:
        raise errors.UnknownFunctionError(str(name)).at(context.caret(name.start, name.end))
    return SparkCommand(context.sql, {})


def _description(name: str, definition: FunctionDefinition, entry: FunctionEntry | None, *, extended: bool) -> Answer:
    parsed = function_text(definition.text)
    sections = list(_sections(name, parsed, extended=extended))
    if extended:
        sections += _more(definition, parsed, entry)
    return Answer(_DESCRIPTION, labelled(sections))


Sections: TypeAlias = Iterable[tuple[str, list[str]]]
"""Labels of DESCRIBE, each with its lines."""


def labelled(sections: Sections) -> tuple[tuple[str], ...]:
    """The rows of DESCRIBE FUNCTION or PROCEDURE: labels, and the lines behind them below each other."""
    listed = list(sections)
    width = max(len(label) for label, _ in listed) + 2
    rows = list[tuple[str]]()
    for label, lines in listed:
        rows += [(f"{f'{label}:' if index == 0 else '':{width}}{line}",) for index, line in enumerate(lines)]
    return tuple(rows)


def creation_time(entry: FunctionEntry) -> str:
    """When a function or procedure was created, in UTC, as DESCRIBE shows it."""
    created = datetime.fromtimestamp(entry.created_at / 1000, timezone.utc)
    return f"{created:%a %b %d %H:%M:%S} UTC {created.year}"


def _sections(name: str, parsed: FunctionText, *, extended: bool) -> Iterator[tuple[str, list[str]]]:
    yield "Function", [name]
    yield "Type", ["TABLE" if parsed.is_table else "SCALAR"]
    yield "Input", _parameters(parsed.parameters, extended=extended) or ["()"]
    if parsed.columns is not None:
        yield "Returns", _parameters(parsed.columns, extended=extended) or ["TABLE"]
    else:
        yield "Returns", [type_in_capitals(parsed.returns or "")]


def _more(
    definition: FunctionDefinition, parsed: FunctionText, entry: FunctionEntry | None
) -> Iterator[tuple[str, list[str]]]:
    if parsed.comment is not None:
        yield "Comment", [parsed.comment]
    yield "Deterministic", [str(parsed.deterministic).lower()]
    if parsed.python is None:
        yield "Data Access", [parsed.data_access]
    if definition.settings:
        yield "Configs", [f"{key}={value}" for key, value in sorted(definition.settings.items())]
    if entry is not None and entry.governance.owner is not None:
        yield "Owner", [entry.governance.owner]
    if entry is not None:
        yield "Create Time", [creation_time(entry)]
    if parsed.python is None:
        yield "Body", [parsed.body]
    else:
        yield from _of_python(parsed.python)


def _of_python(python: PythonText) -> Iterator[tuple[str, list[str]]]:
    yield "Language", ["PYTHON"]
    if python.handler is not None:
        yield "Handler", [python.handler]
    if python.environment:
        yield "Environment", [f"{key} = {text}" for key, text in python.environment]
    yield "Body", python.code.strip("\n").split("\n")


def _parameters(parameters: Sequence[Parameter], *, extended: bool) -> list[str]:
    """A line for each, names and types below each other."""
    names = max((len(item.name) for item in parameters), default=0)
    types = max((len(item.type) for item in parameters), default=0)
    lines = []
    for item in parameters:
        line = f"{item.name:{names}} {type_in_capitals(item.type):{types}}"
        if extended and item.default is not None:
            line += f" DEFAULT {item.default}"
        if extended and item.comment is not None:
            line += f" '{item.comment}'"
        lines.append(line)
    return lines


def type_in_capitals(written: str) -> str:
    """A type in capitals, unless it has names of fields."""
    return written.upper() if re.fullmatch(r"[\w\s(),]*", written) else written


@plan.register
def plan_show_functions(statement: ShowFunctions, context: Context) -> Plan:
    """The functions of a schema by their full names, and those of the session and of Spark, which belong to none."""
    names = list[str]()
    schema = None if statement.schema is None else statement.schema.parts
    if statement.schema is not None:
        context.refuse_version(statement.schema)
        context.catalog.schema(statement.schema.parts)
    if statement.kind != "SYSTEM":
        names += [function.name for function in context.functions.values()]
        names += [".".join(entry.parts) for entry in context.catalog.functions(schema)]
    names += context.analyst.functions(statement.kind)
    # A pattern is about the name alone.
    by_last = dict[str, list[str]]()
    for name in sorted(set(names)):
        by_last.setdefault(name.rsplit(".", 1)[-1], []).append(name)
    chosen = {name for last in matching(by_last, statement.pattern) for name in by_last[last]}
    return Answer(_NAMES, tuple((name,) for name in sorted(chosen)))


_SESSION: tuple[list[str], ...] = ([], ["session"], ["system", "session"])


@plan.register
def plan_create_function(statement: CreateFunction, context: Context) -> Plan:
    """The text is analysed at once, so that nonsense is refused."""
    name = statement.function
    try:
        context.refuse_version(name)
        if statement.mode == "replace":
            raise errors.ParseSyntaxError("Functions are replaced by CREATE OR REPLACE FUNCTION.", "REPLACE")
        parsed = function_text(statement.rest.text)
        _refuse_foreign(statement, parsed)
        return _temporary(statement, parsed, context) if statement.temporary else _lasting(statement, parsed, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _refuse_foreign(statement: CreateFunction, function: FunctionText) -> None:
    """Raises ForeignFunctionError. A temporary function of a Java class is Spark's."""
    name = str(statement.function)
    if function.language == "PYTHON":
        return
    if function.language not in (None, "SQL"):
        advice = (
            "Write its body in SQL, RETURN …, or in Python: LANGUAGE PYTHON AS $$ … $$; or register a function in the "
            f"session: spark.udf.register({name!r}, …)."
        )
        raise errors.ForeignFunctionError(name, str(function.language).capitalize(), advice)
    if function.body_start is None and not statement.temporary:
        advice = f"The catalog keeps functions of SQL: RETURNS … RETURN …. Write CREATE TEMPORARY FUNCTION {name} AS …."
        raise errors.ForeignFunctionError(name, "a Java class", advice)


def _lasting(statement: CreateFunction, parsed: FunctionText, context: Context) -> Plan:
    """A function of the catalog."""
    name, replaces = statement.function, statement.mode != "create"
    if replaces and statement.if_not_exists:
        raise errors.FunctionModeError
    parts = context.catalog.full_name(name.parts)
    if context.catalog.procedure(parts) is not None:
        raise errors.OtherRoutineError(sql_name(parts), "procedure", "PROCEDURE")
    if context.catalog.function(parts) is None:
        context.catalog.schema(parts[:2])
    elif statement.if_not_exists:
        return Answer()
    elif not replaces:
        raise errors.FunctionAlreadyExistsError(function=str(name))
    refuse_parameters(str(name), statement.rest, context)
    definition = _definition(statement.rest, context)
    if parsed.language == "PYTHON":
        check_python(str(name), statement.rest, parsed, context)
        return _defining(statement, parts, definition)
    refuse_temporary(str(name), statement.rest, context)
    definition = _analysed(binding.Function(".".join(parts), definition, parts=parts), statement.rest, parsed, context)
    return _defining(statement, parts, definition)


def _defining(
    statement: CreateFunction, parts: tuple[str, str, str], definition: FunctionDefinition
) -> FunctionDefining:
    def define(existing: FunctionEntry | None) -> FunctionDefinition:
        if existing is not None and statement.mode == "create":
            raise errors.FunctionAlreadyExistsError(function=str(statement.function))
        return definition

    return FunctionDefining(parts, define, if_not_exists=statement.if_not_exists)


def _definition(text: SqlText, context: Context) -> FunctionDefinition:
    catalog = context.catalog
    namespace = (catalog.current_catalog, catalog.current_schema)
    return FunctionDefinition(text.text.rstrip().rstrip(";").rstrip(), namespace, settings_of_text(context))


def _analysed(function: binding.Function, text: SqlText, parsed: FunctionText, context: Context) -> FunctionDefinition:
    """The definition of a function that Spark understands, with the type that it returns. Raises what is wrong."""
    # Names of tables are looked up in the text of the statement first, for the places of errors.
    sql, read = binding.bind(context, text.text, position=lambda offset: text.start + offset)
    if function.parts is not None:
        names = (function.parts[-1], *(parameter.name for parameter in parsed.parameters))
        body = SqlText(parsed.body, text.start + (parsed.body_start or 0))
        refuse_variables(function.parts[-1], body, SqlQuery(sql, read), context, names)
    relations = {function.name: binding.bind_function(context, function)}
    context.analyst.schema(SqlQuery("SELECT 1 AS one", relations, "function"))
    definition = function.definition
    if parsed.is_table or parsed.returns is not None:
        return definition
    arguments = ", ".join(f"CAST(NULL AS {parameter.type})" for parameter in parsed.parameters)
    (returned,) = context.analyst.schema(SqlQuery(f"SELECT {quote(function.name)}({arguments}) AS r", relations))
    written = definition.text
    written = f"{written[: parsed.offset]} RETURNS {literal_text(returned.type)}{written[parsed.offset :]}"
    return replace(definition, text=written)


def _temporary(statement: CreateFunction, parsed: FunctionText, context: Context) -> Plan:
    """A function of the session: Spark's, as long as it reads no table of ours, and is none of Python."""
    name, rest = statement.function, statement.rest
    last = _temporary_name(name, "CREATE")
    existing = context.functions.get(last.lower())
    if parsed.language == "PYTHON":
        return _temporary_python(statement, parsed, last, context)
    sql, relations = binding.bind(context, rest.text, position=lambda offset: rest.start + offset)
    if _is_engines(existing is None and not relations, context):
        return SparkCommand(context.sql[: rest.start] + sql, {}, last)
    if statement.mode == "create" and (existing is not None or context.analyst.knows_function((last,))):
        raise errors.FunctionAlreadyExistsError(function=str(name))
    views = _views_in(rest.text, context)
    function = binding.Function(last, _definition(rest, context), views)
    definition = _analysed(function, rest, function_text(rest.text), context)
    return FunctionChange(last.lower(), TemporaryFunction(last, definition, views))


def _views_in(text: str, context: Context) -> frozenset[str]:
    """The keys of the temporary views and tables that the text of a function names."""
    keys = (context.temporary_key(item.parts) for item in table_references(text) if item.arguments is None)
    return frozenset(key for key in keys if key is not None)


def _temporary_name(name: TableName, verb: str) -> str:
    """The last part of the name of a temporary function. Raises TemporaryFunctionNameError."""
    *schema, last = name.parts
    if [part.lower() for part in schema] not in _SESSION:
        raise errors.TemporaryFunctionNameError(str(name), f"{verb} TEMPORARY FUNCTION {quote(last)}")
    return last


def _temporary_python(statement: CreateFunction, parsed: FunctionText, last: str, context: Context) -> FunctionChange:
    if statement.mode == "create" and last.lower() in context.functions:
        raise errors.FunctionAlreadyExistsError(function=str(statement.function))
    check_python(str(statement.function), statement.rest, parsed, context)
    return FunctionChange(last.lower(), TemporaryFunction(last, _definition(statement.rest, context), frozenset()))


def _is_engines(plain: bool, context: Context) -> bool:
    """Whether a temporary function that reads none of our tables is the engine's own."""
    return plain and context.analyst.makes_functions


@plan.register
def plan_drop_function(statement: DropFunction, context: Context) -> Plan:
    """IF EXISTS is no leave to name a function of Spark's."""
    name = statement.function
    try:
        context.refuse_version(name)
        return _dropped(statement, name, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _dropped(statement: DropFunction, name: TableName, context: Context) -> Plan:
    if statement.temporary:
        return _dropped_temporary(statement, name, context)
    *schema, last = name.parts
    if not schema and last.upper() in FUNCTIONS:
        longer = sql_name(context.catalog.full_name(name.parts))
        raise errors.DropSparksFunctionError(str(name), f"One of yours has the longer name {longer}.")
    parts = context.catalog.full_name(name.parts)
    if context.catalog.function(parts) is None:
        if context.temporary_function(name.parts) is not None or context.analyst.knows_function(name.parts):
            return _missing(statement, f"A temporary one has that name: DROP TEMPORARY FUNCTION {quote(last)}.")
        if context.catalog.procedure(parts) is not None:
            return _missing(statement, f"It is a procedure: DROP PROCEDURE {name}.")
        names = [entry.name for entry in context.catalog.functions(parts[:2])]
        similar = tuple(similar_names(last, names, most=3))
        return _missing(statement, meant(similar) or "SHOW USER FUNCTIONS lists all of them.")

    def remove(existing: FunctionEntry | None) -> None:
        if existing is None and not statement.if_exists:
            raise errors.FunctionNotFoundError(str(name), "Another session has dropped it.")

    return FunctionDefining(parts, remove)


def _dropped_temporary(statement: DropFunction, name: TableName, context: Context) -> Plan:
    last = _temporary_name(name, "DROP")
    if context.temporary_function(name.parts) is not None:
        return FunctionChange(last.lower(), None)
    if not context.analyst.started or not context.analyst.makes_functions:
        return _missing(statement, "SHOW USER FUNCTIONS lists all of them.")
    return SparkCommand(context.sql, {})


def _missing(statement: DropFunction, advice: str) -> Answer:
    """Raises FunctionNotFoundError, unless the statement says IF EXISTS."""
    if statement.if_exists:
        return Answer()
    raise errors.FunctionNotFoundError(str(statement.function), advice)
