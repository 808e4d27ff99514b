"""COPY INTO: loads the rows of files that were not loaded before, and records the files. Source: Databricks, COPY INTO.

Rows go into the table as those of an INSERT do. `deltasql.log.source_files` reads the record of loaded files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from uuid import uuid4

from deltasql.base import (
    Caret,
    Token,
    TokenCursor,
    closing,
    errors,
    session_settings,
    shown_pairs,
    shown_value,
)
from deltasql.log import (
    Choice,
    DeltaLog,
    FileSource,
    ListedFile,
    LoadedFiles,
    LogStore,
    Snapshot,
    broken_files,
    find_source,
    loaded_files,
    operations,
    scheme,
    whole_check,
)
from deltasql.plan import (
    Alone,
    ColumnPath,
    LogicalPlan,
    Operator,
    SourceFiles,
    SqlQuery,
    SqlText,
    TableName,
    Write,
    hidden,
)
from deltasql.planner import (
    COPIED,
    READ_FORMATS,
    Answer,
    Context,
    CopyLoad,
    CopyOptions,
    Plan,
    Preview,
    RowChange,
    StructRule,
    bind,
    copy_options,
    inserted_rows,
    new_columns,
    plan,
    position_in,
    reads_of_itself,
)
from deltasql.schema import StructType, path_text
from deltasql.schema import quote_name as quote
from deltasql.sql import Clause, Tree, builds, caret, collect, unquote
from deltasql.statements.insert import Insert, QueryColumn, is_computed, matched_columns
from deltasql.statements.insert_rows import InsertedRows, Insertion, hidden_names, inserted, renamed


@dataclass(frozen=True, slots=True)
class CopySource:
    """'location' [WITH (CREDENTIAL (key = value, …))], alone or behind the FROM of a query.

    `before` and `after` are what stands around it in the query; None where there is no query. `start` and `end` are the
    place of the location.
    """

    location: str
    start: int
    end: int
    before: SqlText | None = None
    after: SqlText | None = None
    credential: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """How many rows VALIDATE looks at; None: all."""

    rows: int | None


@dataclass(frozen=True, slots=True)
class FilePattern:
    """PATTERN = 'glob', or FILES = ('name', …): one of the two; paths are relative to the source."""

    glob: str | None
    names: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CopyInto(LogicalPlan):
    """COPY INTO t [BY POSITION | (columns)] FROM {'source' [WITH (CREDENTIAL (…))] | (SELECT … FROM 'source')}
    FILEFORMAT = format [VALIDATE [ALL | n ROWS]] [FILES = (…) | PATTERN = 'glob'] [FORMAT_OPTIONS (…)]
    [COPY_OPTIONS (…)]

    `columns` is None without a list. `format` is in lower case, `options` are those of FORMAT_OPTIONS.
    """

    table_words: ClassVar[str] = "COPY INTO"
    write_name: ClassVar[str] = "COPY INTO"
    alone: ClassVar[tuple[str, Alone] | None] = ("COPY INTO", Alone.LOADS)

    table: TableName
    columns: tuple[ColumnPath, ...] | None
    by_position: bool
    source: CopySource
    format: SqlText
    validate: Sample | None = None
    chosen: FilePattern | None = None
    options: tuple[tuple[str, str], ...] = ()
    copy_options: tuple[tuple[str, str], ...] = ()


Pairs = tuple[tuple[str, str], ...]


@builds("copy_into")
def _copy_into(children: list[Any], tree: Tree, text: str) -> CopyInto:
    table, columns, by_position, source, file_format, *clauses = children
    nodes = tree.children[5:]
    chosen = [node for node in nodes if node is not None and node.name in {"files_clause", "pattern_clause"}]
    if len({node.name for node in chosen}) > 1:
        reason = "FILES and PATTERN both say which files are meant. Leave out one of them."
        raise errors.ParseSyntaxError(reason, "FILES").at(caret(chosen[1], text))
    values = collect(clauses, nodes, text)
    return CopyInto(table, columns, by_position, source, file_format, **values)


@builds("not_by_order")
def _not_by_order(children: list[Any], tree: Tree, text: str) -> bool:
    return False


@builds("file_format")
def _file_format(children: list[Any], tree: Tree, text: str) -> SqlText:
    return SqlText(children[0].lower(), tree.start)


@builds("validate_all")
def _validate_all(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("validate", Sample(None))


@builds("validate_rows")
def _validate_rows(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("validate", Sample(children[0]))


@builds("files_clause")
def _files(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("chosen", FilePattern(None, tuple(children), tree.start, tree.end))


@builds("pattern_clause")
def _pattern(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("chosen", FilePattern(children[0], (), tree.start, tree.end))


@builds("format_options_clause")
def _format_options(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("options", children[0])


@builds("copy_options_clause")
def _copy_options(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("copy_options", children[0])


@builds("copy_files")
def _source(children: list[Any], tree: Tree, text: str) -> CopySource:
    location, *access = children
    node = tree.children[0]
    assert node is not None
    credential = _credential(access[0].tokens, access[0].start, text) if access else ()
    return CopySource(location, node.start, node.end, credential=credential)


@builds("copy_query")
def _query_source(children: list[Any], tree: Tree, text: str) -> CopySource:
    """(SELECT … FROM 'location' [WITH (…)] …): the first string behind a FROM outside of other brackets.

    WITH (…) may stand behind the query as well, where dbt-databricks writes it.
    """
    query: SqlText = children[0]
    tokens = query.tokens
    source = _source_token(tokens)
    if source is None:
        reason = "COPY INTO reads files: write FROM (SELECT … FROM '/path'), the location in quotes."
        raise errors.ParseSyntaxError(reason, query.text[:20]).at(caret(tree, text))
    token = tokens[source]
    start, end = query.start + token.start, query.start + token.end
    access: list[SqlText] = children[1:]
    credential = _credential(access[0].tokens, access[0].start, text) if access else ()
    last = token.end
    if [item.key for item in tokens[source + 1 : source + 3]] == ["WITH", "("]:
        close = closing(tokens, source + 2)
        credential = _credential(tokens[source + 2 : close + 1], query.start, text)
        last = tokens[close].end
    before = SqlText(query.text[1 : token.start], query.start + 1)
    after = SqlText(query.text[last:-1], query.start + last)
    return CopySource(unquote(token.text), start, end, before, after, credential)


def _source_token(tokens: Sequence[Token]) -> int | None:
    depth = 0
    for index, token in enumerate(tokens[:-1]):
        depth += (token.key in {"(", "["}) - (token.key in {")", "]"})
        if depth == 1 and token.key == "FROM" and tokens[index + 1].kind == "string":
            return index + 1
    return None


def _credential(tokens: Sequence[Token], offset: int, text: str) -> Pairs:
    """The pairs of WITH (CREDENTIAL (key = 'value', …)), whose `tokens` stand at `offset` of the statement.

    Raises NamedCredentialError, CopyEncryptionError, and ParseSyntaxError for anything else.
    """
    at = TokenCursor(tokens[1:-1])
    pairs: Pairs = ()
    while at.left:
        token = at.next()
        caret = Caret(text, offset + token.start, offset + token.end)
        if token.key == "CREDENTIAL" and at.key == "(":
            pairs = _pairs(list(at.group())[1:-1], caret)
        elif token.key == "CREDENTIAL" and at.is_name:
            raise errors.NamedCredentialError(at.name()).at(caret)
        elif token.key == "ENCRYPTION" and at.key == "(":
            raise errors.CopyEncryptionError().at(caret)
        else:
            raise errors.ParseSyntaxError(_CREDENTIAL, token.text).at(caret)
    return pairs


_CREDENTIAL = "Write WITH (CREDENTIAL (key = 'value', …)) behind the location, with the keys of its storage."


def _pairs(tokens: Sequence[Token], caret: Caret) -> Pairs:
    pairs = []
    at = TokenCursor(tokens)
    while at.left:
        name = at.next()
        if not (at.take("=") and at.kind == "string"):
            raise errors.ParseSyntaxError(_CREDENTIAL, name.text).at(caret)
        key = unquote(name.text) if name.kind == "string" else name.name
        pairs.append((key, unquote(at.next().text)))
        at.take(",")
    return tuple(pairs)


_PREVIEW = 50
"""Rows that VALIDATE shows at most."""

_CREDENTIALS = {
    "s3": {
        "AWS_ACCESS_KEY": "aws_access_key_id",
        "AWS_SECRET_KEY": "aws_secret_access_key",
        "AWS_SESSION_TOKEN": "aws_session_token",
    },
    "abfss": {"AZURE_SAS_TOKEN": "azure_storage_sas_key"},
}
"""The keys of WITH (CREDENTIAL (…)) by scheme, with the options of the storage that they are."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """One COPY INTO with its files: those of `files` are read, and those of `load` recorded.

    `columns` are filled in order; None: by name. With `evolution` columns that the table lacks are added.
    """

    statement: CopyInto
    options: CopyOptions
    log: DeltaLog
    snapshot: Snapshot
    source: FileSource
    files: tuple[ListedFile, ...]
    load: CopyLoad
    access: Mapping[str, str]
    columns: tuple[ColumnPath, ...] | None
    evolution: bool


@plan.register
def plan_copy_into(statement: CopyInto, context: Context) -> Plan:
    """Reads no file, and commits no version, where all files were loaded before. Spark then need not run."""
    log, snapshot = context.writable(statement.table)
    _refuse_format(statement, context)
    options = copy_options(statement.options, statement.copy_options, context.time_zone)
    _refuse_position(statement, context)
    evolution = options.merge_schema or context.setting(session_settings.AUTO_MERGE)
    columns = _positions(statement, snapshot, context, evolution=evolution)
    access = _access(statement.source, context)
    earlier = _loaded_files(log, snapshot, options)
    loaded = earlier.paths
    source = _file_source(statement, options, access, log, context, frozenset() if options.force else loaded)
    files, load = _left(statement, options, source, earlier, loaded, _opener(log, access))
    if not files:
        return Answer(snapshot.schema) if statement.validate else Answer(COPIED, ((0, 0, load.skipped),))
    copy = _Copy(statement, options, log, snapshot, source, files, load, access, columns, evolution)
    change = _change(copy, context)
    return change if statement.validate is None else _preview(change, statement.validate)


def _left(
    statement: CopyInto,
    options: CopyOptions,
    source: FileSource,
    already_loaded: LoadedFiles,
    loaded: set[str],
    open_store: Callable[[str], LogStore],
) -> tuple[tuple[ListedFile, ...], CopyLoad]:
    """The files to read, and the record of them."""
    matching = tuple(file for file in source.files if options.wants(file))
    files = matching if options.force else tuple(file for file in matching if file.path not in loaded)
    broken: set[str] = set()
    if options.ignore_corrupt and files:
        broken = broken_files(open_store, files, whole_check(statement.format.text))
        files = tuple(file for file in files if file.path not in broken)
    new = tuple(file for file in files if file.path not in loaded)
    return files, CopyLoad(new, already_loaded, len(broken), options.force)


def _refuse_format(statement: CopyInto, context: Context) -> None:
    """Raises SourceFormatError."""
    name = statement.format.text
    if name in READ_FORMATS:
        return
    advice = " Write INSERT INTO … SELECT to copy from a table." if name in {"delta", "iceberg", "hudi"} else ""
    start = statement.format.start
    error = errors.SourceFormatError(name.upper(), tuple(key.upper() for key in READ_FORMATS), advice)
    raise error.at(context.caret(start, start + len(name)))


def _refuse_position(statement: CopyInto, context: Context) -> None:
    """Raises ByPositionError for columns by position from files whose columns have names, CopyOwnColumnError."""
    if not (statement.by_position or statement.columns is not None):
        return
    first = statement.columns[0] if statement.columns else None
    caret = context.caret(first.start, first.end) if first else None
    clause = "BY POSITION" if statement.by_position else "A list of columns"
    if statement.format.text != "csv":
        raise errors.ByPositionError(clause, "Leave it out: columns go by their names.").at(caret)
    options = {key.lower(): value.lower() for key, value in statement.options}
    if options.get("header") == "true":
        raise errors.ByPositionError(clause, "Leave it out, or write FORMAT_OPTIONS ('header' = 'false').").at(caret)


def _access(source: CopySource, context: Context) -> dict[str, str]:
    """The storage options that the statement itself gives. Raises CopyCredentialError."""
    kind = scheme(source.location)
    credentials = _CREDENTIALS.get(kind, {})
    strange = tuple(key for key, _ in source.credential if key.upper() not in credentials)
    if strange:
        advice = f"Keys are: {', '.join(credentials)}." if credentials else "Leave the credential out."
        raise errors.CopyCredentialError(f"{kind}:", strange, advice).at(context.caret(source.start, source.end))
    return {credentials[key.upper()]: value for key, value in source.credential}


def _opener(log: DeltaLog, access: Mapping[str, str]) -> Callable[[str], LogStore]:
    return lambda location: log.store.at(location, access)


def _file_source(
    statement: CopyInto,
    options: CopyOptions,
    access: Mapping[str, str],
    log: DeltaLog,
    context: Context,
    loaded: Collection[str],
) -> FileSource:
    """The files at the statement's source, by its pattern or names; files that are `loaded` may be left out.

    Raises SourceNotFoundError, SourceLocationError, GlobError, DeltaSourceError.
    """
    files, chosen = statement.source, statement.chosen
    glob, names = (chosen.glob, chosen.names) if chosen else (None, ())
    choice = Choice(glob, names, options.recursive)
    caret = context.caret(files.start, files.end)
    shown = shown_value("", files.location)
    try:
        source = find_source(_opener(log, access), context.catalog.located(files.location), choice, loaded)
    except FileNotFoundError as error:
        if chosen is None or not names:
            raise errors.SourceNotFoundError(shown, "no such file or folder").at(caret) from None
        chosen_caret = context.caret(chosen.start, chosen.end)
        raise errors.SourceNotFoundError(shown, f"FILES names what is not there: {error}").at(chosen_caret) from None
    except ValueError as error:
        at = caret if chosen is None or glob is None else context.caret(chosen.start, chosen.end)
        raise errors.GlobError(shown if glob is None else glob, str(error)).at(at) from None
    except errors.UnsupportedLocationError as error:
        raise errors.SourceLocationError(shown, error.reason).at(caret) from None
    if source.is_table:
        raise errors.DeltaSourceError(shown, str(statement.table)).at(caret)
    return source


def _loaded_files(log: DeltaLog, snapshot: Snapshot, options: CopyOptions) -> LoadedFiles:
    """The record of loaded files. Raises CopyStateError, unless the statement loads all files anyway."""
    try:
        return loaded_files(log.store, snapshot)
    except errors.CopyStateError:
        if options.force:
            return LoadedFiles()
        raise


def _change(copy: _Copy, context: Context) -> RowChange:
    """The rows of the files, where INSERT would put them.

    Raises CopySchemaMismatchError, CopyArityError, and what INSERT raises.
    """
    statement, snapshot = copy.statement, copy.snapshot
    query = _query(copy, context)
    if statement.validate is not None and statement.validate.rows is not None:
        query = _over(query, f"LIMIT {statement.validate.rows}")
    schema = context.analyst.schema(query)
    names = hidden_names(len(schema))
    rows = renamed(query, names)
    columns_of_query = [QueryColumn(field.name, name, field.type) for field, name in zip(schema, names, strict=True)]
    columns, evolution = copy.columns, copy.evolution
    if columns is not None and len(columns) != len(columns_of_query):
        raise errors.CopyArityError(str(statement.table), len(columns), tuple(map(str, columns)), len(columns_of_query))
    if columns is None and not evolution:
        _refuse_new_columns(copy, schema)
    insert = Insert(
        ctes=None,
        schema_evolution=evolution,
        overwrite=False,
        table=statement.table,
        alias=None,
        partition=(),
        columns=columns,
        by_name=columns is None,
        replaces=None,
        query=SqlText(query.sql, 0),
    )
    insertion = Insertion(
        insert,
        copy.log,
        snapshot,
        InsertedRows(rows, reads_of_itself(rows, snapshot, context), inserted_rows(rows, snapshot, context)),
        matched_columns(insert, context, snapshot.schema, columns_of_query, set(), evolution),
        {},
        evolution,
        dynamic=False,
        rule=StructRule.BY_NAME_LENIENT,
    )
    change = inserted(insertion, context)
    change = change.committing(operation=operations.COPY_INTO, parameters=_parameters(copy))
    return replace(change, load=copy.load)


def _query(copy: _Copy, context: Context) -> SqlQuery:
    """The statement's query over the files, or all of their columns."""
    statement, files = copy.statement, copy.files
    name = hidden(uuid4().hex)
    operator = SourceFiles(
        copy.source.root,
        READ_FORMATS[statement.format.text],
        tuple(file.path for file in files),
        sum(file.size for file in files),
        copy.options.reader,
        access=copy.access,
    )
    before, after = statement.source.before, statement.source.after
    if before is None or after is None:
        return SqlQuery(f"SELECT * FROM {quote(name)}", {name: operator}, "files")
    pieces = (before, SqlText(quote(name), statement.source.start), after)
    sql, relations = bind(
        context, "".join(piece.text for piece in pieces), position=position_in(pieces), source=(name, operator)
    )
    return SqlQuery(sql, relations, "query")


def _over(operator: Operator, clauses: str) -> SqlQuery:
    name = hidden(uuid4().hex)
    return SqlQuery(f"SELECT * FROM {quote(name)} {clauses}", {name: operator}, "rows")


def _positions(
    statement: CopyInto, snapshot: Snapshot, context: Context, *, evolution: bool
) -> tuple[ColumnPath, ...] | None:
    """The columns that are filled in order; None where they go by name.

    Raises CopyOwnColumnError, CopySchemaMismatchError.
    """
    if statement.by_position:
        return tuple(ColumnPath((field.name,)) for field in snapshot.schema if not is_computed(field))
    for path in statement.columns or ():
        field = snapshot.schema.find(path.parts[-1]) if len(path.parts) == 1 else None
        caret = context.caret(path.start, path.end)
        if field is not None and is_computed(field):
            raise errors.CopyOwnColumnError(str(path)).at(caret)
        if field is None and not (evolution and len(path.parts) == 1):
            advice = f"Its columns are: {', '.join(map(quote, snapshot.schema.names))}."
            raise errors.CopySchemaMismatchError(str(statement.table), (str(path),), advice).at(caret)
    return statement.columns


def _refuse_new_columns(copy: _Copy, schema: StructType) -> None:
    """Raises CopySchemaMismatchError."""
    new = tuple(path_text(path) for path in new_columns(schema, copy.snapshot.schema))
    if not new:
        return
    advice = "To add what is new: COPY_OPTIONS ('mergeSchema' = 'true'). To leave it out: FROM (SELECT … FROM '…')."
    header = {key.lower(): value.lower() for key, value in copy.statement.options}.get("header", "false")
    if copy.statement.format.text == "csv" and header == "false" and new[0].startswith("_c"):
        advice = (
            "CSV files are read as such without a header. If their first lines are names: "
            "FORMAT_OPTIONS ('header' = 'true'); if not: COPY INTO … BY POSITION, or FROM (SELECT _c0 AS a FROM '…')."
        )
    raise errors.CopySchemaMismatchError(str(copy.statement.table), new, advice)


def _parameters(copy: _Copy) -> dict[str, Any]:
    """The operation parameters of the statement in the history."""
    statement = copy.statement
    parameters: dict[str, Any] = {
        "source": shown_value("", statement.source.location),
        "fileFormat": statement.format.text.upper(),
    }
    if statement.chosen is not None:
        chosen = statement.chosen
        parameters |= {"pattern": chosen.glob} if chosen.glob is not None else {"files": list(chosen.names)}
    if statement.options:
        parameters["formatOptions"] = shown_pairs(dict(statement.options))
    if statement.copy_options:
        parameters["copyOptions"] = dict(statement.copy_options)
    return parameters


def _preview(change: RowChange, sample: Sample) -> Preview:
    """The rows as they would be stored. All are computed, since an order requires it, and the first ones shown."""
    assert isinstance(change.operator, Write)
    shown = _PREVIEW if sample.rows is None else min(sample.rows, _PREVIEW)
    return Preview(
        _over(change.operator.child, f"ORDER BY monotonically_increasing_id() LIMIT {shown}"), change.commit.log.table
    )
