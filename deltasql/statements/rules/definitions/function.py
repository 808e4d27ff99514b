"""CREATE and DROP FUNCTION: functions of SQL, of the catalog or of the session.

A function of the catalog is told to Spark whenever a text calls it, under its full name. A temporary one is Spark's,
unless it reads tables: Spark would not find them later, so that the session keeps it, and it is told to Spark as well.
"""

from __future__ import annotations

from dataclasses import replace

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.function import (
    DropSparksFunctionError,
    ForeignFunctionError,
    FunctionAlreadyExistsError,
    FunctionModeError,
    FunctionNotFoundError,
    TemporaryFunctionNameError,
)
from deltasql.base.errors.suggestion import meant, similar_names
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.catalog.definitions import FunctionDefinition
from deltasql.catalog.entries import FunctionEntry, sql_name
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.operators import SqlQuery
from deltasql.planner import binding
from deltasql.planner.catalog_changes import FunctionChange, FunctionDefining, TemporaryFunction
from deltasql.planner.changes import Answer, Plan, SparkCommand
from deltasql.planner.context import Context, plan
from deltasql.planner.python_functions import check_python
from deltasql.planner.tables.persisted_sql import (
    refuse_parameters,
    refuse_temporary,
    refuse_variables,
    settings_of_text,
)
from deltasql.schema.text import sql_text
from deltasql.sql.functions.allowed import FUNCTIONS
from deltasql.sql.queries.relations import table_references
from deltasql.sql.stored_expressions import FunctionText, function_text
from deltasql.statements.nodes.function import CreateFunction, DropFunction

_SESSION: tuple[list[str], ...] = ([], ["session"], ["system", "session"])


@plan.register
def _(statement: CreateFunction, context: Context) -> Plan:
    """The text is analysed at once, so that nonsense is refused."""
    name = statement.function
    try:
        context.refuse_version(name)
        if statement.mode == "replace":
            raise ParseSyntaxError("Functions are replaced by CREATE OR REPLACE FUNCTION.", "REPLACE")
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
        raise ForeignFunctionError(name, str(function.language).capitalize(), advice)
    if function.body_start is None and not statement.temporary:
        advice = f"The catalog keeps functions of SQL: RETURNS … RETURN …. Write CREATE TEMPORARY FUNCTION {name} AS …."
        raise ForeignFunctionError(name, "a Java class", advice)


def _lasting(statement: CreateFunction, parsed: FunctionText, context: Context) -> Plan:
    """A function of the catalog."""
    name, replaces = statement.function, statement.mode != "create"
    if replaces and statement.if_not_exists:
        raise FunctionModeError
    parts = context.catalog.full_name(name.parts)
    if context.catalog.function(parts) is None:
        context.catalog.schema(parts[:2])
    elif statement.if_not_exists:
        return Answer()
    elif not replaces:
        raise FunctionAlreadyExistsError(function=str(name))
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
            raise FunctionAlreadyExistsError(function=str(statement.function))
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
    written = f"{written[: parsed.offset]} RETURNS {sql_text(returned.type)}{written[parsed.offset :]}"
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
        raise FunctionAlreadyExistsError(function=str(name))
    views = _views_in(rest.text, context)
    function = binding.Function(last, _definition(rest, context), views)
    definition = _analysed(function, rest, function_text(rest.text), context)
    return FunctionChange(last.lower(), TemporaryFunction(last, definition, views))


def _views_in(text: str, context: Context) -> frozenset[str]:
    """The keys of the temporary views that the text of a function names."""
    keys = (context.view_key(item.parts) for item in table_references(text) if item.arguments is None)
    return frozenset(key for key in keys if key is not None)


def _temporary_name(name: TableName, verb: str) -> str:
    """The last part of the name of a temporary function. Raises TemporaryFunctionNameError."""
    *schema, last = name.parts
    if [part.lower() for part in schema] not in _SESSION:
        raise TemporaryFunctionNameError(str(name), f"{verb} TEMPORARY FUNCTION {quote(last)}")
    return last


def _temporary_python(statement: CreateFunction, parsed: FunctionText, last: str, context: Context) -> FunctionChange:
    if statement.mode == "create" and last.lower() in context.functions:
        raise FunctionAlreadyExistsError(function=str(statement.function))
    check_python(str(statement.function), statement.rest, parsed, context)
    return FunctionChange(last.lower(), TemporaryFunction(last, _definition(statement.rest, context), frozenset()))


def _is_engines(plain: bool, context: Context) -> bool:
    """Whether a temporary function that reads none of our tables is the engine's own."""
    return plain and context.analyst.makes_functions


@plan.register
def _(statement: DropFunction, context: Context) -> Plan:
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
        raise DropSparksFunctionError(str(name), f"One of yours has the longer name {longer}.")
    parts = context.catalog.full_name(name.parts)
    if context.catalog.function(parts) is None:
        if context.temporary_function(name.parts) is not None or context.analyst.knows_function(name.parts):
            return _missing(statement, f"A temporary one has that name: DROP TEMPORARY FUNCTION {quote(last)}.")
        names = [entry.name for entry in context.catalog.functions(parts[:2])]
        similar = tuple(similar_names(last, names, most=3))
        return _missing(statement, meant(similar) or "SHOW USER FUNCTIONS lists all of them.")

    def remove(existing: FunctionEntry | None) -> None:
        if existing is None and not statement.if_exists:
            raise FunctionNotFoundError(str(name), "Another session has dropped it.")

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
    raise FunctionNotFoundError(str(statement.function), advice)
