"""Queries bound to the current tables: names become scans of snapshots, views their queries, functions their bodies.

Every text that Spark runs goes through this module. Where a text is joined from pieces of the statement, offsets in it
are mapped back to the statement.

A function of Python is called through a function of SQL. Its code is checked when it is created, and never runs in this
module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import NAMESPACE_URL, uuid5

from deltasql.base import Caret, DeltaSqlError, did_you_mean, errors, metadata, session_settings
from deltasql.catalog import (
    INFORMATION_SCHEMA,
    FunctionDefinition,
    SchemaMode,
    TableEntry,
    TableSource,
    ViewDefinition,
    ViewEntry,
    sample_columns,
    sql_name,
)
from deltasql.log import Snapshot, row_id_columns
from deltasql.plan import (
    METADATA,
    READ_COLUMNS,
    ROW_ID_COLUMNS,
    SCAN_COLUMNS,
    Operator,
    Pruning,
    PythonFunction,
    Scan,
    SourceFiles,
    SqlFunction,
    SqlQuery,
    SqlText,
    TableName,
    TableVersion,
    ViewColumns,
    hidden_names,
    hidden_view,
)
from deltasql.planner.catalog_changes import Creation, View
from deltasql.planner.change_feed import changes, enforced, shown_rows
from deltasql.planner.changes import Answer, LogRows, QueryRows
from deltasql.planner.context import GLOBAL, Context, TextReader, plan
from deltasql.planner.event_log import event_log
from deltasql.planner.foreign import is_scanned, source_snapshot
from deltasql.planner.information import information_rows, memory_rows
from deltasql.planner.read_files import (
    UsedRows,
    called_files,
    located_files,
    location_of,
    narrowed_files,
    selected_files,
)
from deltasql.schema import StructType
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    FILE_FUNCTIONS,
    SECRET_FUNCTIONS,
    BuiltinCall,
    FunctionCall,
    FunctionText,
    MeasureCall,
    MetricView,
    NamedMetadata,
    Parameter,
    PythonText,
    Replacement,
    TableReference,
    added_functions,
    builtin_calls,
    column_names,
    compiled,
    current_names,
    derived_columns,
    function_calls,
    function_text,
    handler_problem,
    is_python_name,
    is_stable,
    measure_calls,
    metric_view,
    own_text,
    parse,
    parse_type,
    refused_functions,
    secret_text,
    table_references,
    unnamed_columns,
    windowed_rows,
    with_calls,
)
from deltasql.sql import bind as with_views

_PACKAGE = re.compile(r"\s*(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:==\s*(?P<version>[\w.+!-]+))?")
_ENVIRONMENT = frozenset({"dependencies", "environment_version"})


def callable_text(name: str, parsed: FunctionText) -> tuple[str, dict[str, Operator]]:
    """The text of a function of SQL that calls one of Python, whose hidden name is in the relations.

    The function of SQL casts arguments, and has the defaults of parameters.
    """
    assert parsed.python is not None
    hidden = hidden_view()
    arguments = ", ".join(quote(parameter.name) for parameter in parsed.parameters)
    written = ", ".join(_parameter(parameter) for parameter in parsed.parameters)
    call = f"{quote(hidden)}({arguments})"
    if parsed.columns is not None:
        returns = ", ".join(f"{quote(column.name)} {column.type}" for column in parsed.columns)
        text = f"({written}) RETURNS TABLE ({returns}) RETURN SELECT * FROM {call}"
    else:
        returns = parsed.returns or ""
        text = f"({written}) RETURNS {returns} RETURN {call}"
    names = tuple(parameter.name for parameter in parsed.parameters)
    function = PythonFunction(
        name,
        parsed.python.code,
        parsed.python.handler,
        names,
        returns,
        parsed.is_table,
        "NOT DETERMINISTIC" not in parsed.clauses,
    )
    return text, {hidden: function}


def _parameter(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f" DEFAULT {parameter.default}"
    return f"{quote(parameter.name)} {parameter.type}{default}"


def check_python(name: str, text: SqlText, parsed: FunctionText, context: Context) -> None:
    """Raises PythonClauseError, PythonSyntaxError, PythonHandlerError, PythonPackagesError, and what is wrong with a
    type. Nothing of the code runs."""
    python = _required_code(name, parsed)
    columns = (*parsed.parameters, *(parsed.columns or ()))
    for written in (*(item.type for item in columns), *([parsed.returns] if parsed.returns is not None else ())):
        _check_type(written)
    for item in parsed.parameters:
        if python.handler is None and not is_python_name(item.name):
            reason = f"its parameter {item.name} is no name of Python"
            raise errors.PythonClauseError(name, reason, "Choose another name.")
    _check_code(name, text, parsed, python, context)
    _check_environment(name, python)


def _required_code(name: str, parsed: FunctionText) -> PythonText:
    """The code. Raises PythonClauseError for a clause that is missing."""
    if parsed.python is None:
        raise errors.PythonClauseError(name, "it has no code", "Write AS $$ … $$ at the end.")
    if parsed.returns is None and not parsed.columns:
        raise errors.PythonClauseError(
            name, "it does not say what it returns", "Write RETURNS type, or RETURNS TABLE (…)."
        )
    if parsed.is_table and parsed.python.handler is None:
        raise errors.PythonClauseError(
            name, "it does not name its class", "Write HANDLER 'class' behind LANGUAGE PYTHON."
        )
    return parsed.python


def _check_type(written: str) -> None:
    """Raises what is wrong with the text of a type; the place in it is none of the statement."""
    try:
        parse_type(written)
    except DeltaSqlError as error:
        error.caret = None
        raise


def _check_code(name: str, text: SqlText, parsed: FunctionText, python: PythonText, context: Context) -> None:
    code, handler = python.code, python.handler
    try:
        compiled(code, handler, [parameter.name for parameter in parsed.parameters], name)
        problem = "" if handler is None else handler_problem(code, handler, name, is_table=parsed.is_table)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise errors.PythonSyntaxError(name, line, reason).at(_line_caret(text, line, context)) from None
    if problem:
        raise errors.PythonHandlerError(name, problem)


def _line_caret(text: SqlText, line: int, context: Context) -> Caret | None:
    """The place of a line of the code between `$$`."""
    bodies = [token for token in text.tokens if token.kind == "dollars"]
    if not bodies:
        return None
    start = text.start + bodies[-1].start + 2
    lines = bodies[-1].text[2:-2].split("\n")
    line = min(line, len(lines))
    start += sum(len(before) + 1 for before in lines[: line - 1])
    shown = lines[line - 1]
    start += len(shown) - len(shown.lstrip())
    return context.caret(start, start + max(1, len(shown.strip())))


def _check_environment(name: str, python: PythonText) -> None:
    """The packages of ENVIRONMENT must be installed, in their versions. Raises PythonPackagesError."""
    environment = dict(python.environment)
    unknown = sorted(environment.keys() - _ENVIRONMENT)
    if unknown:
        raise errors.PythonClauseError(
            name, f"its ENVIRONMENT has {unknown[0]}", f"It takes {', '.join(sorted(_ENVIRONMENT))}."
        )
    try:
        packages = json.loads(environment.get("dependencies", "[]"))
    except json.JSONDecodeError:
        packages = None
    if not isinstance(packages, list) or not all(isinstance(item, str) for item in packages):
        raise errors.PythonClauseError(
            name, "its dependencies are no JSON list of texts", "Write dependencies = '[\"package\"]'."
        )
    missing = [item for item in packages if not _is_installed(item)]
    if missing:
        raise errors.PythonPackagesError(name, tuple(missing), " ".join(f"'{item}'" for item in missing))


def _is_installed(requirement: str) -> bool:
    """Whether a package is installed, in the version that `==` demands. Other demands are for pip."""
    match = _PACKAGE.match(requirement)
    if match is None:
        return False
    try:
        installed = metadata.version(match["name"])
    except metadata.PackageNotFoundError:
        return False
    return match["version"] is None or match["version"] == installed


def columns_of(context: Context, view: TableName) -> StructType:
    """The columns of a view. Asks Spark, which then starts, for those of a view that is Spark's."""
    key = context.view_key(view.parts)
    definition = _view_of(context, key, view.parts)
    creation = None if definition is None or definition.mode in EVOLVING else definition.creation
    if creation is not None and (key is None or not context.analyst.knows_view(view.parts)):
        return creation.schema
    if definition is not None and key is None:
        return _evolved_columns(context, view)
    try:
        sql, relations = bind(context, f"SELECT * FROM {view}")
    except DeltaSqlError as error:
        raise error.at(context.caret(view.start, view.end)) from None
    return context.analyst.schema(SqlQuery(sql, relations, "query"))


def _evolved_columns(context: Context, view: TableName) -> StructType:
    """The columns of a view that takes over those of its query, or their types."""
    entry = context.catalog_view(view.parts)
    assert entry is not None
    definition = entry.definition
    try:
        rows = _view(context, stored_view(definition), view, entry.parts)
        inner = SqlQuery(rows.sql, rows.relations)
        derived = derived_columns(definition.query, inner) if context.analyst.is_plain and not rows.settings else None
        if derived is None or context.analyst.started:
            derived = context.analyst.schema(rows)
    except DeltaSqlError as error:
        raise error.at(context.caret(view.start, view.end)) from None
    if not definition.has_names and definition.mode is SchemaMode.EVOLUTION:
        return derived
    by_name = {name.lower(): field for name, field in zip(definition.names, definition.schema, strict=True)}
    fields = ((by_name.get(field.name.lower()), field) for field in derived)
    return StructType(tuple(replace(declared, type=field.type) for declared, field in fields if declared is not None))


def stored_view(definition: ViewDefinition) -> View:
    """A view of the catalog, as its text was meant. It sees no temporary views."""
    meant = Creation(definition.namespace, frozenset(), definition.settings, definition.names, definition.schema)
    return View(definition.query, definition.schema.names if definition.has_names else (), None, meant, definition.mode)


def _view_of(context: Context, key: str | None, parts: Sequence[str]) -> View | None:
    """The view of a name: the temporary one of this `key`, or the catalog's."""
    if key is not None:
        return context.views[key]
    entry = context.catalog_view(parts)
    return None if entry is None else stored_view(entry.definition)


def view_rows(context: Context, view: View, name: TableName) -> SqlQuery:
    """The query of a view with its tables bound to snapshots. Raises what `bind` raises."""
    return _view(context, view, name)


EVOLVING = frozenset({SchemaMode.TYPE_EVOLUTION, SchemaMode.EVOLUTION})


def scan(
    context: Context,
    snapshot: Snapshot,
    predicate: str | None = None,
    alias: str | None = None,
    *,
    columns: Sequence[str] = SCAN_COLUMNS,
    may_be_empty: bool = False,
    with_ids: bool = False,
    enough: int | None = None,
) -> Scan:
    """The rows of a snapshot: of those files that may hold a row for which `predicate` is TRUE.

    `with_ids` asks for the ids of the rows, if the table tracks them. Where not all rows are needed, so many are
    `enough`, whichever they are.
    Raises ReadTableWithoutColumnsError for a table without columns, unless it `may_be_empty`.
    """

    if not len(snapshot.schema) and not may_be_empty:
        raise errors.ReadTableWithoutColumnsError(table=snapshot.table)
    snapshot.check_readable()
    row_ids = row_id_columns(snapshot.protocol, snapshot.metadata) if with_ids else None
    columns = columns if row_ids is None else (*columns, *ROW_ID_COLUMNS)
    files, total = selected_files(context, snapshot, predicate, alias, columns, enough)
    return Scan(
        table=TableVersion(snapshot.table, snapshot.location, snapshot.version),
        schema=snapshot.schema,
        partition_columns=snapshot.partition_columns,
        files=files,
        pruning=Pruning(total, predicate, alias, partial(narrowed_files, context, snapshot, predicate, alias)),
        row_ids=row_ids,
    )


def target_rows(
    context: Context, snapshot: Snapshot, predicate: str | None, alias: str, *, may_be_empty: bool = False
) -> Scan:
    """The rows of the table that a statement changes, each with its place and its id: see `scan`.

    They carry `_metadata` where the statement names it.
    """
    rows = scan(context, snapshot, predicate, alias, may_be_empty=may_be_empty, with_ids=True)
    text = f"{context.sql} {predicate or ''}".lower()
    return replace(rows, identity=True, described=METADATA in text and snapshot.schema.find(METADATA) is None)


def query(context: Context, text: SqlText, ctes: SqlText | None = None, label: str = "query") -> SqlQuery:
    """A query of the user's, its tables bound to snapshots."""
    pieces: tuple[SqlText, ...] = (ctes, SqlText("\n", 0), text) if ctes else (text,)
    if ctes and text.text.lstrip("( \n").upper().startswith("WITH"):
        # A query has one WITH: the inner one goes into brackets.
        pieces = (ctes, SqlText("\nSELECT * FROM (\n", 0), text, SqlText("\n)", 0))
    sql, relations = bind(context, "".join(piece.text for piece in pieces), position=position_in(pieces))
    return SqlQuery(sql, relations, label)


def bind(
    context: Context,
    sql: str,
    qualifiers: Mapping[tuple[str, ...], str] | None = None,
    position: Callable[[int], int] | None = None,
    source: tuple[str, SourceFiles] | None = None,
) -> tuple[str, dict[str, Operator]]:
    """`sql` with view names in place of the tables that we know, and the rows behind each view.

    Names that are none of ours stay: Spark may know them. `qualifiers` are longer names by which columns of
    other tables in scope may be called, with the alias that replaces them. `position` turns an offset in `sql` into
    one in the statement, for the carets of errors; None where `sql` is no part of it. `source` are files that `sql`
    calls by a name of ours.
    """
    bound: dict[int, str] = {}
    relations: dict[str, Operator] = {}
    used = UsedRows(sql)
    references = table_references(sql)
    metadata, described = NamedMetadata(sql, references), set[int]()
    placed: list[Replacement] = []
    for index, reference in enumerate(references):
        named = index in metadata.references
        try:
            operator = _referred(context, reference, used, source, position, described=named)
            if isinstance(operator, (Scan, SourceFiles)) and operator.described:
                described.add(index)
        except DeltaSqlError as error:
            caret = context.caret(position(reference.start), position(reference.end - 1) + 1) if position else None
            raise error.at(caret) from None
        if operator is None:
            placed += located_files(context, reference)
            continue
        view = hidden_view()
        bound[index] = view
        relations[view] = operator
    others = [*metadata.hidden_from_stars(described), *session_calls(context, sql), *placed]
    others += unnamed_columns(sql)
    others += _builtin(context, sql, position)
    others += _measures(context, sql, references, position)
    called = _called(context, sql, [references[index] for index in bound], position)
    others += [(call.start, call.end, quote(name)) for call, name, _ in called]
    relations |= {name: function for _, name, function in called}
    return with_calls(with_views(sql, bound, qualifiers or {}, others).sql), relations


def session_calls(context: Context, sql: str) -> Iterator[Replacement]:
    """Replacements of the calls that tell of the session by literals. Functions of the catalog with such names win."""
    return current_names(sql, context.current, context.identity, lambda name: _function(context, (name,)) is not None)


def _called(
    context: Context, sql: str, replaced: Sequence[TableReference], position: Callable[[int], int] | None
) -> list[tuple[FunctionCall, str, SqlFunction]]:
    """The functions of the catalog, and of the session, that a text calls, each with its name in Spark.

    What stands inside of references that are `replaced` is left out.
    """
    calls = list[tuple[FunctionCall, str, SqlFunction]]()
    bound = dict[str, SqlFunction]()
    for call in function_calls(sql):
        function = _function(context, call.parts)
        if function is None or any(item.start <= call.start < item.end for item in replaced):
            continue
        if function.name not in bound:
            try:
                bound[function.name] = bind_function(context, function)
            except DeltaSqlError as error:
                caret = context.caret(position(call.start), position(call.end - 1) + 1) if position else None
                raise error.at(caret) from None
        calls.append((call, function.name, bound[function.name]))
    return calls


def _measures(
    context: Context, sql: str, references: Sequence[TableReference], position: Callable[[int], int] | None
) -> list[Replacement]:
    """Aggregates in place of the calls of MEASURE in a text over metric views. Raises UnknownMeasureError."""
    calls = list(measure_calls(sql))
    views = list(_metric_views(context, references)) if calls else []
    edits = list[Replacement]()
    for call in calls if views else ():
        try:
            edits.append((call.start, call.end, _measure(call, views)))
        except DeltaSqlError as error:
            caret = context.caret(position(call.start), position(call.end - 1) + 1) if position else None
            raise error.at(caret) from None
    return edits


def _measure(call: MeasureCall, views: Sequence[tuple[str, MetricView]]) -> str:
    """The aggregate of a measure. Raises UnknownMeasureError."""
    wanted = [name.lower() for name in call.qualifiers[-1:]]
    named = [(alias, view) for alias, view in views if wanted in ([], [alias.lower()])]
    found = next(filter(None, (view.measure(call.name, alias) for alias, view in named)), None)
    if found is None:
        names = [item.name for _, view in named for item in view.measures]
        advice = did_you_mean(call.name, names).strip() or f"It has {', '.join(names) or 'none'}."
        raise errors.UnknownMeasureError(quote(call.name), advice)
    return found + call.alias


def _metric_views(context: Context, references: Sequence[TableReference]) -> Iterator[tuple[str, MetricView]]:
    """The metric views among the references of a text, with their aliases."""
    for reference in references:
        if reference.arguments is not None or reference.statement is not None or len(reference.parts) > 3:
            continue
        entry = None if context.view_key(reference.parts) is not None else context.catalog_view(reference.parts)
        if entry is not None and entry.definition.metrics is not None:
            yield reference.alias or reference.parts[-1], metric_view(entry.definition.metrics)


def _metric_rows(context: Context, entry: ViewEntry, name: TableName, used: UsedRows, alias: str) -> SqlQuery:
    """The rows of a metric view, with what the calls of MEASURE of a query need. Raises UnsupportedStatementError."""
    definition = entry.definition
    assert definition.metrics is not None
    if name.temporal is not None:
        raise errors.TimeTravelViewError(view=str(name))
    inner, settings = _within(context, definition.namespace, definition.settings, (), entry.parts)
    view = metric_view(definition.metrics)
    windowed = windowed_rows(view, used.sql, name.start, name.end, alias) if used.measured else None
    sql, relations = bind(inner, windowed or view.rows(measured=used.measured))
    return SqlQuery(sql, relations, f"view {name}", settings)


def _builtin(context: Context, sql: str, position: Callable[[int], int] | None) -> list[Replacement]:
    """Replacements of calls of functions that Databricks has and Spark lacks. One of the user's own comes first.

    Raises UnsupportedFunctionError, and the errors of secrets.
    """
    edits, geospatial = list[Replacement](), set[str]()
    for call in builtin_calls(sql):
        if len(call.parts) == 1 and (_function(context, call.parts) or context.analyst.knows_function(call.parts)):
            continue
        try:
            edits += _builtin_text(context, call)
        except DeltaSqlError as error:
            caret = context.caret(position(call.start), position(call.end - 1) + 1) if position else None
            raise error.at(caret) from None
        if call.name in added_functions():
            geospatial.add(call.name)
    return [*edits, *column_names(sql, geospatial)] if geospatial else edits


def _builtin_text(context: Context, call: BuiltinCall) -> list[Replacement]:
    advice = refused_functions().get(call.name)
    if advice is not None:
        raise errors.UnsupportedFunctionError(call.name, advice.replace("{name}", call.name))
    if call.name in SECRET_FUNCTIONS:
        return [(call.start, call.end, secret_text(call))]
    return own_text(call, f"deltasql:{uuid5(NAMESPACE_URL, context.catalog.warehouse)}")


def calls_session_functions(context: Context, sql: str) -> bool:
    """Whether a text calls a function of the catalog, of the session, or one registered in Spark."""
    calls = function_calls(sql)
    return any(_function(context, call.parts) or context.analyst.knows_function(call.parts) for call in calls)


def _function(context: Context, parts: Sequence[str]) -> Function | None:
    """The function of a name. As in Spark, one of the session comes before one of the catalog."""
    temporary = context.temporary_function(parts)
    if temporary is not None:
        return Function(temporary.name, temporary.definition, temporary.views)
    if [part.lower() for part in parts[:-1]] in ([GLOBAL], ["session"], ["builtin"], ["system", "session"]):
        return None
    if len(parts) > 3 or [part.lower() for part in parts[:2]] == ["system", "builtin"]:
        return None
    entry = context.catalog.function(parts)
    if entry is None or (len(parts) == 1 and context.analyst.knows_function(parts)):
        return None
    return Function(".".join(entry.parts), entry.definition, parts=entry.parts)


@dataclass(frozen=True, slots=True)
class Function:
    """A function that a text calls: `name` is its name in Spark, which also occurs in Spark's column names.

    `views` are the keys of the temporary views that it names, `parts` the full name of one of the catalog.
    """

    name: str
    definition: FunctionDefinition
    views: frozenset[str] = frozenset()
    parts: tuple[str, str, str] | None = None


def bind_function(context: Context, function: Function) -> SqlFunction:
    """A function with its tables bound to snapshots, as it was meant. Raises RecursiveFunctionError."""
    definition, parts = function.definition, function.parts or ("", "session", function.name)
    if parts in context.inside:
        steps = (*context.inside[context.inside.index(parts) :], parts)
        raise errors.RecursiveFunctionError(cycle=" → ".join(".".join(filter(None, step)) for step in steps))
    parsed = function_text(definition.text)
    if parsed.python is not None:
        text, code = callable_text(function.name, parsed)
        return SqlFunction(text, code, {}, function.name, parsed.deterministic)
    inner, settings = _within(context, definition.namespace, definition.settings, function.views, parts)
    functions = context.functions if function.parts is None else {}
    inner = replace(inner, functions=functions)
    # Parameters may be called by the function's name.
    names: dict[tuple[str, ...], str] = {} if function.parts is None else {(parts[-1],): function.name}
    text = definition.text
    if any(reference.parts[-1].lower() == parts[-1] for reference in table_references(text)):
        names = {}
    sql, relations = bind(inner, text, names)
    stable = is_stable(parsed.body) and parsed.deterministic
    return SqlFunction(sql, relations, settings, function.name, stable)


def _referred(
    context: Context,
    reference: TableReference,
    used: UsedRows,
    source: tuple[str, SourceFiles] | None,
    position: Callable[[int], int] | None,
    *,
    described: bool,
) -> Operator | None:
    """The rows that a name in a query, or a statement in place of one, stands for, as far as the query uses them."""
    if source is not None and reference.parts == (source[0],):
        return replace(source[1], described=described)
    if reference.statement is not None:
        return _of_statement(context, reference.statement, position)
    reference = event_log(reference, context)
    if reference.arguments is not None:
        if reference.parts[-1].lower() in FILE_FUNCTIONS:
            return called_files(reference, context, described)
        return changes(reference, context)
    name = TableName(reference.parts, reference.start, reference.end, reference.temporal)
    key = context.view_key(name.parts)
    if key is not None:
        return _temporary(context, context.views[key], name, described)
    entry = context.catalog_view(name.parts) if name.path is None else None
    if entry is not None:
        return _of_catalog(context, entry, reference, used)
    foreign = context.foreign(name)
    if foreign is not None:
        return _of_source(context, foreign, reference, used, described)
    location = location_of(context, name)
    if location is None:
        return None
    return _of_snapshot(context, context.snapshot(replace(name, start=0, end=0), location), reference, used, described)


def _of_statement(context: Context, statement: SqlText, position: Callable[[int], int] | None) -> Operator:
    """The rows of a statement in place of a table, (DESCRIBE HISTORY t). Raises StatementAsTableError."""
    try:
        planned = plan(parse(statement.text), replace(context, sql=statement.text))
    except DeltaSqlError as error:
        raise error.moved(statement.text, context.sql, position(statement.start)) if position else error from None
    match planned:
        case QueryRows(operator):
            return operator
        case Answer(schema, rows) | LogRows(schema, rows) if len(schema):
            return memory_rows(schema, [*zip(*rows, strict=True)] if rows else [()] * len(schema))
        case _:
            raise errors.StatementAsTableError(statement.text)


def _of_source(
    context: Context, entry: TableEntry, reference: TableReference, used: UsedRows, described: bool
) -> Operator:
    """The rows of a table of another format. Raises DeltaOnlyError for a version of it."""
    name = TableName(reference.parts, temporal=reference.temporal)
    snapshot = foreign_snapshot(context, entry, name)
    if entry.source is None or is_scanned(entry.source):
        return _of_snapshot(context, snapshot, reference, used, described)
    described = described and snapshot.schema.find(METADATA) is None
    predicate, alias = used.filters.get(reference.start), reference.alias or reference.parts[-1]
    return file_rows(context, entry.source, snapshot, predicate, alias, described=described)


def _of_snapshot(
    context: Context, snapshot: Snapshot, reference: TableReference, used: UsedRows, described: bool
) -> Operator:
    """The rows of a version of a table."""
    policies = enforced(snapshot.location, context)
    if policies is not None:
        name = TableName(reference.parts, reference.start, reference.end, reference.temporal)
        rows = _as_asked(scan(context, snapshot, columns=READ_COLUMNS), reference)
        return shown_rows(context, rows, policies, name, partial(bind_calls, context), described=described)
    # A column of the table's own comes first.
    described = described and snapshot.schema.find(METADATA) is None
    predicate, alias = used.filters.get(reference.start), reference.alias or reference.parts[-1]
    enough = used.limits.get(reference.start)
    rows = scan(context, snapshot, predicate, alias, columns=READ_COLUMNS, with_ids=described, enough=enough)
    rows = _as_asked(rows, reference)
    return replace(rows, described=True) if described else rows


def _as_asked(rows: Scan, reference: TableReference) -> Scan:
    """`rows`, which say where the query asks for this version of the table."""
    return rows if reference.temporal is None else replace(rows, table=replace(rows.table, asked=True))


def _temporary(context: Context, view: View, name: TableName, described: bool) -> Operator | None:
    """The rows of a temporary view; None where a DataFrame has taken its name since."""
    if isinstance(view.rows, SourceFiles):
        return replace(view.rows, described=described)
    taken = view.creation is not None and context.analyst.knows_view(name.parts)
    return None if taken else view.rows or _view(context, view, name)


def bind_calls(context: Context, sql: str) -> tuple[str, dict[str, Operator]]:
    """A text of a policy, whose functions are those of the catalog, with their names in the engine."""
    inner = replace(context, views=context.views.called(()), functions={})
    called = _called(inner, sql, (), None)
    others = [*session_calls(inner, sql), *((call.start, call.end, quote(name)) for call, name, _ in called)]
    return with_views(sql, {}, {}, others).sql, {name: function for _, name, function in called}


def _of_catalog(context: Context, entry: ViewEntry, reference: TableReference, used: UsedRows) -> Operator:
    """The rows of a view of the catalog, which may be one of an information schema."""
    name = TableName(reference.parts, reference.start, reference.end, reference.temporal)
    if entry.definition.metrics is not None:
        return _metric_rows(context, entry, name, used, reference.alias or reference.parts[-1])
    if not entry.is_built_in:
        return _view(context, stored_view(entry.definition), name, entry.parts)
    if name.temporal is not None:
        raise errors.TimeTravelViewError(view=str(name))
    if entry.schema != INFORMATION_SCHEMA:
        return memory_rows(entry.definition.schema, sample_columns(entry.name))
    return information_rows(context, entry, used.asked(reference))


def _view(context: Context, view: View, name: TableName, parts: tuple[str, str, str] | None = None) -> SqlQuery:
    """The rows of a view; `parts` is the full name of one of the catalog. Raises RecursiveViewError for one that came
    to read itself when it, or what it reads, got another name."""
    if name.temporal is not None:
        raise errors.TimeTravelViewError(view=str(name))
    if parts is not None and parts in context.inside:
        steps = (*context.inside[context.inside.index(parts) :], parts)
        raise errors.RecursiveViewError(view=str(name), cycle=" → ".join(sql_name(step) for step in steps))
    if view.creation is not None:
        return _created_view(context, view, view.creation, name, parts)
    sql, relations = bind(replace(context, views=context.views.showing(view.scope or {})), view.query)
    if view.columns:
        names = ", ".join(quote(column) for column in view.columns)
        sql = f"SELECT * FROM (\n{sql}\n) AS {hidden_names.VIEW}({names})"
    return SqlQuery(sql, relations, f"view {name}")


def _created_view(
    context: Context, view: View, creation: Creation, name: TableName, parts: tuple[str, str, str] | None
) -> SqlQuery:
    """The query of a view as it was meant when the view was made, over the tables as they are."""
    inner, settings = _within(context, creation.namespace, creation.settings, creation.views, parts)
    sql, relations = bind(inner, view.query)
    columns = None
    if view.mode is not SchemaMode.EVOLUTION or view.columns:
        remedy = f"CREATE OR REPLACE{' TEMPORARY' * (parts is None)} VIEW {name} AS …"
        cast, typed = view.mode is SchemaMode.COMPENSATION, view.mode not in EVOLVING
        columns = ViewColumns(str(name), creation.names, creation.schema, remedy, cast=cast, typed=typed)
    return SqlQuery(sql, relations, f"view {name}", settings, columns)


def _within(
    context: Context,
    namespace: tuple[str, str],
    settings: Mapping[str, str],
    views: Collection[str],
    parts: tuple[str, str, str] | None,
) -> tuple[Context, dict[str, str | None]]:
    """The context in which a text is read that was written under other `settings` and in another `namespace`, where it
    could name `views`; and the settings that differ from those of the session (None: not set).

    `parts` is the full name of the view or function whose text it is; None for a temporary view.
    """
    now = context.meaning
    changed = {key: settings.get(key) for key in {**now, **settings}}
    other = {key: value for key, value in changed.items() if value != now.get(key)}
    if other.get(session_settings.TIME_ZONE.name, "") == context.session_zone:
        del other[session_settings.TIME_ZONE.name]
    inner = replace(
        context,
        catalog=context.catalog.within(*namespace, views),
        views=context.views.called(views),
        reader=TextReader(other, context.current, context.inside if parts is None else (*context.inside, parts)),
    )
    return inner, other


def position_in(pieces: Sequence[SqlText]) -> Callable[[int], int]:
    """Offsets in the joined text of `pieces` → offsets in the statement, where each piece has its `start`."""

    def position(offset: int) -> int:
        for piece in pieces[:-1]:
            if offset < len(piece.text):
                return piece.start + offset
            offset -= len(piece.text)
        return pieces[-1].start + offset

    return position


def foreign_snapshot(context: Context, entry: TableEntry, name: TableName) -> Snapshot:
    """The files of a table of another format. Raises DeltaOnlyError for another version of them."""
    if name.temporal is not None:
        raise context.delta_only(name, entry, "time travel")
    return source_snapshot(context, entry, str(name))


def file_rows(
    context: Context, source: TableSource, snapshot: Snapshot, predicate: str | None, alias: str, *, described: bool
) -> SourceFiles:
    """The rows of those files of a table that may hold one for which `predicate` is TRUE, by Spark's reader."""
    files, _ = selected_files(context, snapshot, predicate, alias, ("location", "size"), None)
    paths, sizes = (files.column(name).to_pylist() for name in ("location", "size"))
    schema = snapshot.schema
    return SourceFiles(
        snapshot.location, source.format, tuple(paths), sum(sizes), source.options, described, {}, schema, True
    )
