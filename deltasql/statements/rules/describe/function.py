"""DESCRIBE and SHOW of functions, in the format of Spark's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone

from deltasql.base.errors.statements.function import UnknownFunctionError
from deltasql.catalog.definitions import FunctionDefinition
from deltasql.catalog.entries import FunctionEntry, matching
from deltasql.planner.changes import Answer, Plan, SparkCommand
from deltasql.planner.context import Context, plan
from deltasql.schema.types import STRING, StructField, StructType
from deltasql.sql.functions.allowed import FUNCTIONS
from deltasql.sql.stored_expressions import FunctionText, Parameter, PythonText, function_text
from deltasql.statements.nodes.function import DescribeFunction, ShowFunctions

_DESCRIPTION = StructType((StructField("function_desc", STRING),))
_NAMES = StructType((StructField("function", STRING),))


@plan.register
def _(statement: DescribeFunction, context: Context) -> Plan:
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
        raise UnknownFunctionError(str(name)).at(context.caret(name.start, name.end))
    return SparkCommand(context.sql, {})


def _description(name: str, definition: FunctionDefinition, entry: FunctionEntry | None, *, extended: bool) -> Answer:
    parsed = function_text(definition.text)
    sections = list(_sections(name, parsed, extended=extended))
    if extended:
        sections += _more(definition, parsed, entry)
    width = max(len(label) for label, _ in sections) + 2
    rows = []
    for label, lines in sections:
        rows += [(f"{f'{label}:' if index == 0 else '':{width}}{line}",) for index, line in enumerate(lines)]
    return Answer(_DESCRIPTION, tuple(rows))


def _sections(name: str, parsed: FunctionText, *, extended: bool) -> Iterator[tuple[str, list[str]]]:
    yield "Function", [name]
    yield "Type", ["TABLE" if parsed.is_table else "SCALAR"]
    yield "Input", _parameters(parsed.parameters, extended=extended) or ["()"]
    if parsed.columns is not None:
        yield "Returns", _parameters(parsed.columns, extended=extended) or ["TABLE"]
    else:
        yield "Returns", [_type(parsed.returns or "")]


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
        created = datetime.fromtimestamp(entry.created_at / 1000, timezone.utc)
        yield "Create Time", [f"{created:%a %b %d %H:%M:%S} UTC {created.year}"]
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
        line = f"{item.name:{names}} {_type(item.type):{types}}"
        if extended and item.default is not None:
            line += f" DEFAULT {item.default}"
        if extended and item.comment is not None:
            line += f" '{item.comment}'"
        lines.append(line)
    return lines


def _type(written: str) -> str:
    """A type in capitals, unless it has names of fields."""
    return written.upper() if re.fullmatch(r"[\w\s(),]*", written) else written


@plan.register
def _(statement: ShowFunctions, context: Context) -> Plan:
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
