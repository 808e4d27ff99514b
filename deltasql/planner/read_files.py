"""Files that a query reads: calls of read_files, options of COPY INTO, file skipping, and locations of relations.

read_files('path', option => value, …) gives the rows of files of other formats. Source: Databricks. The files are
listed in this process, as for COPY INTO, so that a statement reads a fixed set of files however often it runs its
query. Options are those of Spark's readers, and those that this process reads. Source: Databricks.

For each relation of a query the module also finds its location, the files that the query has to read, and the rows and
columns that it uses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import cached_property, partial
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from deltasql.base import (
    DeltaSqlError,
    LeftToEngineError,
    TokenCursor,
    boolean,
    errors,
    pa,
    session_settings,
    shown_value,
    similar_names,
)
from deltasql.files import sure_bounds
from deltasql.log import (
    SPECIAL,
    AllOf,
    Choice,
    Condition,
    FileSource,
    ListedFile,
    Snapshot,
    condition,
    find_column,
    find_source,
    first_files,
    glob_expression,
    skip_files,
    unreadable_text,
)
from deltasql.plan import FileColumns, SourceFiles, SqlText, TableName
from deltasql.planner.context import Context
from deltasql.planner.information import Asked
from deltasql.schema import BOOLEAN, STRING, VOID, DataType, StructType, is_number, sql_text
from deltasql.sql import (
    Replacement,
    TableReference,
    literal_constant,
    measure_calls,
    named_columns,
    parse_type,
    scan_filters,
    scan_limits,
)


def selected_files(
    context: Context,
    snapshot: Snapshot,
    predicate: str | None,
    alias: str | None,
    columns: Sequence[str],
    enough: int | None,
) -> tuple[pa.Table, int]:
    """The files that may hold a row for which `predicate` is TRUE, and how many there are in all.

    Raises PartitionTextError.
    """
    needed = tuple(dict.fromkeys((*columns, *(("partitionValues",) if snapshot.partition_columns else ()))))
    files, total = _selected(context, snapshot, predicate, alias, needed, enough)
    check_partitions(files, snapshot)
    return files.select(columns), total


def narrowed_files(
    context: Context, snapshot: Snapshot, predicate: str | None, alias: str | None, conditions: Sequence[Condition]
) -> pa.ChunkedArray:
    """The paths of the files that may hold a row for which `predicate` and all of `conditions` are TRUE."""
    zone, partitions = context.time_zone, snapshot.partition_columns
    selections = [] if predicate is None else [condition(predicate, snapshot.schema, partitions, alias, zone)]
    selection = AllOf((*selections, *conditions))
    by_statistics = context.setting(session_settings.STATISTICS_SKIP)
    skip = partial(skip_files, selection=selection, columns=("path",), timezone=zone, by_statistics=by_statistics)
    files, _ = snapshot.read_files(skip)
    return files.column("path")


def check_partitions(files: pa.Table, snapshot: Snapshot) -> None:
    """Raises PartitionTextError for a partition value that is not of the type of its column."""
    for name in snapshot.partition_columns:
        column = find_column((name,), snapshot.schema, snapshot.partition_columns)
        text = None if column is None else unreadable_text(files["partitionValues"], column)
        if column is not None and text is not None:
            raise errors.PartitionTextError(text, name, sql_text(column.type), snapshot.table)


def _selected(
    context: Context,
    snapshot: Snapshot,
    predicate: str | None,
    alias: str | None,
    columns: Sequence[str],
    enough: int | None,
) -> tuple[pa.Table, int]:
    if predicate is None and enough is None:
        files = snapshot.files(columns)
        return files, files.num_rows
    zone, partitions = context.time_zone, snapshot.partition_columns
    selection = None if predicate is None else condition(predicate, snapshot.schema, partitions, alias, zone)
    by_statistics = context.setting(session_settings.STATISTICS_SKIP)
    if enough is not None and by_statistics:
        first = snapshot.read_files(lambda files: first_files(files, selection, columns, enough, zone))
        if first is not None:
            return first
    count_nan = partial(sure_bounds, context.analyst.stores)
    skip = partial(skip_files, selection=selection, columns=columns, timezone=zone, by_statistics=by_statistics)
    return snapshot.read_files(partial(skip, count_nan=count_nan))


def location_of(context: Context, name: TableName) -> str | None:
    """The location of a table of the catalog; None for one of Spark. Raises TableNotFoundError for other names."""
    if name.path is not None:
        return context.catalog.located(name.path)
    entry = context.catalog.resolve(name.parts) if len(name.parts) <= 3 else None
    if entry is not None:
        return entry.location
    if is_files(name) or context.analyst.knows(name.parts):
        return None
    return context.catalog.require(name.parts, context.views if len(name.parts) == 1 else ()).location


def is_files(name: TableName | TableReference) -> bool:
    """Whether a name stands for files, as `` parquet.`/path` `` does: Spark reads them."""
    return len(name.parts) == 2 and name.parts[0].lower() in FILE_FORMATS


FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "binaryfile", "xml"})


class UsedRows:
    """The rows and columns that a query uses, by the offset of a relation's name; read from its text on demand."""

    def __init__(self, sql: str) -> None:
        self.sql = sql

    @cached_property
    def measured(self) -> bool:
        """Whether it calls MEASURE."""
        return any(True for _ in measure_calls(self.sql))

    @cached_property
    def filters(self) -> Mapping[int, str]:
        """See `scan_filters`."""
        return scan_filters(self.sql)

    @cached_property
    def limits(self) -> Mapping[int, int]:
        """See `scan_limits`."""
        return scan_limits(self.sql)

    @cached_property
    def columns(self) -> frozenset[str] | None:
        """See `named_columns`."""
        return named_columns(self.sql)

    def asked(self, reference: TableReference) -> Asked:
        """The use of a view of an information schema."""
        return Asked(self.filters.get(reference.start), reference.alias or reference.parts[-1], self.columns)


READ_FORMATS = {
    "csv": "csv",
    "json": "json",
    "parquet": "parquet",
    "orc": "orc",
    "avro": "avro",
    "text": "text",
    "binaryfile": "binaryFile",
    "xml": "xml",
}
"""The formats by the names that Spark has for them."""

_ENDINGS = {
    **{name: name for name in ("csv", "json", "parquet", "orc", "avro", "xml")},
    "tsv": "csv",
    "jsonl": "json",
    "ndjson": "json",
    "pq": "parquet",
    "txt": "text",
    "text": "text",
}
_COMPRESSED = frozenset({"gz", "gzip", "bz2", "snappy", "zst", "zstd", "deflate", "lz4", "xz"})

OURS = frozenset(
    {
        *("format", "schema", "schemahints", "infercolumntypes", "schemaevolutionmode", "rescueddatacolumn"),
        *(
            "path",
            "filenamepattern",
            "validateoptions",
            "includeexistingfiles",
            "maxfilespertrigger",
            "maxbytespertrigger",
        ),
    }
)
"""Options that are not handed to Spark, in lower case. The last three are for streams."""
_CHOOSING = "pathglobfilter recursivefilelookup modifiedafter modifiedbefore ignorecorruptfiles ignoremissingfiles"
_TIMES = "dateformat timestampformat timestampntzformat enabledatetimeparsingfallback timezone locale"
_TEXTS = "encoding charset linesep compression mode columnnameofcorruptrecord multiline samplingratio"
_REBASE = "mergeschema datetimerebasemode int96rebasemode"
_OPTIONS: Mapping[str, str] = {
    "csv": f"{_TIMES} {_TEXTS} sep delimiter quote escape comment header inferschema preferdate enforceschema "
    "ignoreleadingwhitespace ignoretrailingwhitespace nullvalue nanvalue positiveinf negativeinf maxcolumns "
    "maxcharspercolumn chartoescapequoteescaping emptyvalue unescapedquotehandling mergeschema singlevariantcolumn",
    "json": f"{_TIMES} {_TEXTS} primitivesasstring prefersdecimal allowcomments allowunquotedfieldnames "
    "allowsinglequotes allownumericleadingzeros allowbackslashescapinganycharacter allowunquotedcontrolchars "
    "dropfieldifallnull allownonnumericnumbers ignorenullfields singlevariantcolumn",
    "xml": f"{_TIMES} {_TEXTS} rowtag excludeattribute inferschema attributeprefix valuetag ignoresurroundingspaces "
    "rowvalidationxsdpath ignorenamespace nullvalue wildcardcolname preferdate prefersdecimal singlevariantcolumn",
    "parquet": _REBASE,
    "orc": "mergeschema",
    "avro": f"{_REBASE} avroschema positionalfieldmatching recursivefieldmaxdepth ignoreextension "
    "enablestableidentifiersforuniontype stableidentifierprefixforuniontype",
    "text": "wholetext linesep encoding compression",
    "binaryfile": "",
}
"""Options of Spark's readers by format, in lower case."""
_MODES = frozenset({"addnewcolumns", "rescue", "failonnewcolumns", "none", "addnewcolumnswithtypewidening"})
RESCUED = "_rescued_data"
_RESCUING = frozenset({"csv", "json", "xml", "parquet", "avro", "orc"})


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Options of one call of `function`, by their names in lower case; `spelled` has the names as written."""

    function: str
    values: Mapping[str, str]
    spelled: Mapping[str, str] = field(default_factory=dict)

    def flag(self, name: str, default: bool) -> bool:
        """The value of a boolean option. Raises FileArgumentError."""
        text = self.values.get(name)
        if text is None:
            return default
        if text.strip().lower() not in {"true", "false"}:
            raise self.refused(name, "write true or false.")
        return text.strip().lower() == "true"

    def refused(self, name: str, reason: str) -> errors.FileArgumentError:
        """The error for the value of an option."""
        return errors.FileArgumentError(
            self.function, f"{self.spelled.get(name, name)} => '{self.values[name]}'", reason
        )

    def check(self, format_name: str) -> None:
        """Raises UnknownFileOptionError for options that neither a reader of the format nor this process has."""
        if not self.flag("validateoptions", True):
            return
        known = OURS | set(_CHOOSING.split()) | set(_OPTIONS[format_name].split())
        strange = [name for name in self.values if name not in known]
        if not strange:
            return
        close = [near[0] for name in strange if (near := similar_names(name, sorted(known)))]
        advice = f"Did you mean {', '.join(close)}?" if close else "validateOptions => false passes them on."
        raise errors.UnknownFileOptionError(
            format_name.upper(), tuple(self.spelled.get(name, name) for name in strange), advice
        )

    def rescued(self, format_name: str, *, declared: bool) -> str | None:
        """The name of the rescued data column. Without a schema there is one, unless schemaEvolutionMode is none."""
        mode = self.values.get("schemaevolutionmode", "none" if declared else "addnewcolumns").lower()
        if mode not in _MODES:
            raise self.refused("schemaevolutionmode", "write addNewColumns, rescue, failOnNewColumns or none.")
        named = self.values.get("rescueddatacolumn")
        if named is not None:
            return named or None
        return RESCUED if mode != "none" and format_name in _RESCUING else None

    def reader(self, format_name: str, *, declared: bool) -> dict[str, str]:
        """The options of Spark's reader, which infers the types of columns unless they are `declared`."""
        options = {self.spelled.get(name, name): value for name, value in self.values.items() if name not in OURS}
        given = set(self.values)
        typed = self.flag("infercolumntypes", True)
        if format_name == "csv":
            defaults = {"header": str(not declared).lower(), "inferSchema": str(typed).lower(), "mergeSchema": "true"}
        elif format_name == "json":
            defaults = {"primitivesAsString": str(not typed).lower()}
        elif format_name == "xml":
            defaults = {"inferSchema": str(typed).lower()}
        else:
            defaults = {"mergeSchema": "true"} if format_name in {"parquet", "orc"} else {}
        return {key: value for key, value in defaults.items() if key.lower() not in given} | options


def detected_format(location: str, names: list[str]) -> tuple[str, str]:
    """The format of files by the endings of their names, and the ending. Raises UnknownFileFormatError."""
    endings = {_ending(name) for name in names}
    formats = {_ENDINGS.get(ending) for ending in endings}
    if None in formats:
        strange = sorted(name for name in names if _ending(name) not in _ENDINGS)
        raise errors.UnknownFileFormatError(location, f"{strange[0]} has no ending of a format")
    if len(formats) > 1:
        raise errors.UnknownFileFormatError(location, f"there are {' and '.join(sorted(filter(None, formats)))} files")
    return str(formats.pop()), endings.pop()


def _ending(name: str) -> str:
    stem, _, ending = name.lower().rpartition(".")
    return stem.rpartition(".")[2] if ending in _COMPRESSED else ending


_OURS = frozenset({"modifiedafter", "modifiedbefore", "pathglobfilter", "ignorecorruptfiles"})
"""Reader options that select files. They are applied in this process, since the loaded files are recorded."""
_COPY_OPTIONS = ("force", "mergeSchema")


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """Parsed options; `reader` are those for Spark. Times are ms since the epoch."""

    force: bool
    merge_schema: bool
    recursive: bool
    ignore_corrupt: bool
    name_glob: str | None
    after: int | None
    before: int | None
    reader: Mapping[str, str]

    def wants(self, file: ListedFile) -> bool:
        """Whether the options select a file."""
        if self.name_glob is not None and not glob_expression(self.name_glob).fullmatch(file.path.rpartition("/")[2]):
            return False
        late = self.after is None or file.modified > self.after
        return late and (self.before is None or file.modified < self.before)


def copy_options(
    options: tuple[tuple[str, str], ...], copying: tuple[tuple[str, str], ...], time_zone: str | None
) -> CopyOptions:
    """The options of a statement. Raises CopyOptionError."""
    pairs = {key.lower(): (key, value) for key, value in options}
    for key, value in copying:
        if key.lower() not in map(str.lower, _COPY_OPTIONS):
            close = similar_names(key, _COPY_OPTIONS)
            advice = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(_COPY_OPTIONS)}."
            raise errors.CopyOptionError(key, value, advice)
    for key in ("path", "paths"):
        if key in pairs:
            raise errors.CopyOptionError(*pairs[key], "The location stands behind FROM.")
    copied = {key.lower(): (key, value) for key, value in copying}
    zone = pairs.get("timezone", ("", time_zone or "UTC"))[1]
    return CopyOptions(
        force=_flag(copied.get("force")),
        merge_schema=_flag(copied.get("mergeschema")),
        recursive=_flag(pairs.get("recursivefilelookup")),
        ignore_corrupt=_flag(pairs.get("ignorecorruptfiles")),
        name_glob=pairs.get("pathglobfilter", ("", None))[1],
        after=_moment(pairs.get("modifiedafter"), zone),
        before=_moment(pairs.get("modifiedbefore"), zone),
        reader={key: value for name, (key, value) in pairs.items() if name not in _OURS},
    )


def _flag(pair: tuple[str, str] | None) -> bool:
    if pair is None:
        return False
    try:
        return boolean(pair[1].strip())
    except ValueError:
        raise errors.CopyOptionError(*pair, "Write 'true' or 'false'.") from None


def _moment(pair: tuple[str, str] | None, zone: str) -> int | None:
    if pair is None:
        return None
    try:
        moment = datetime.fromisoformat(pair[1].strip().replace("Z", "+00:00"))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone) if zone != "UTC" else timezone.utc)
    except (ValueError, ZoneInfoNotFoundError):
        raise errors.CopyOptionError(*pair, "Write a time as '2024-01-31T10:20:30'.") from None
    return int(moment.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class FileCall:
    """One call of read_files: the path as written, and its options."""

    path: str
    options: FileOptions


def called_files(reference: TableReference, context: Context, described: bool = False) -> SourceFiles:
    """The rows of the files that a call names; with `described` their `_metadata`.

    Raises FileArgumentError, UnknownFileOptionError, UnknownFileFormatError, NoFilesError, FilesOfTableError, and what
    is wrong with the path.
    """
    call = file_call(reference, context)
    return rows_of_call(call, found_files(call, context), described)


def file_call(reference: TableReference, context: Context) -> FileCall:
    """The arguments of a call. Raises FileArgumentError."""
    function = reference.parts[-1].lower()
    given = [pair for argument in reference.arguments or () for pair in _pairs(function, argument, context)]
    options = _options(function, given)
    positional = _positional(given) or [options.values[key] for key in ("path",) if key in options.values]
    if function == "cloud_files" and len(positional) == 2:
        options = replace(options, values={"format": positional.pop(), **options.values})
    if len(positional) != 1:
        found = f"{len(positional)} arguments without a name" if positional else "no path"
        raise errors.FileArgumentError(function, found, "the path comes first, and each option has a name.")
    return FileCall(positional[0], options)


def _positional(given: Sequence[tuple[str | None, str | None]]) -> list[str]:
    """The arguments without names. One that is NULL is not given."""
    return [value for key, value in given if key is None and value is not None]


def _options(function: str, given: Sequence[tuple[str | None, str | None]]) -> FileOptions:
    """The arguments with names. One that is NULL is not given. Raises FileArgumentError for one that is given twice."""
    named = [_plain(key) for key, _ in given if key is not None]
    twice = next((name for at, name in enumerate(named) if name in named[:at]), None)
    if twice is not None:
        raise errors.FileArgumentError(function, f"two values of {twice}", "each option is given once.")
    spelled = {_plain(key): key[-len(_plain(key)) :] for key, _ in given if key is not None}
    values = {_plain(key): value for key, value in given if key is not None and value is not None}
    return FileOptions(function, values, spelled)


def found_files(call: FileCall, context: Context, seen: Collection[str] = ()) -> FileSource:
    """The files of a call as they are now, without those whose absolute paths are in `seen`."""
    options, location = call.options, context.catalog.located(call.path)
    shown = shown_value("", location)
    pattern = options.values.get("filenamepattern", options.values.get("pathglobfilter"))
    chosen = {key: value for key, value in options.values.items() if key not in {"path", "filenamepattern"}}
    if pattern is not None:
        chosen["pathglobfilter"] = pattern
    try:
        wanted = copy_options(tuple(chosen.items()), (), context.time_zone)
        recursive = options.flag("recursivefilelookup", SPECIAL.search(location) is None)
        source = find_source(context.analyst.stores.open, location, Choice(recursive=recursive), seen)
        files = tuple(file for file in source.files if wanted.wants(file) and file.path not in seen)
    except errors.CopyOptionError as error:
        raise errors.FileArgumentError(options.function, f"{error.key} => '{error.value}'", error.advice) from None
    except FileNotFoundError:
        raise errors.SourceNotFoundError(shown, "no such file or folder") from None
    except ValueError as error:
        raise errors.GlobError(shown, str(error)) from None
    except errors.UnsupportedLocationError as error:
        raise errors.SourceLocationError(shown, error.reason) from None
    if source.is_table:
        raise errors.FilesOfTableError(shown)
    return FileSource(source.root, files)


def rows_of_call(call: FileCall, source: FileSource, described: bool = False) -> SourceFiles:
    """The rows of the files at `source`, read as a call says."""
    options, declared = call.options, declared_columns(call)
    shown = shown_value("", call.path)
    if declared is None and not source.files:
        raise errors.NoFilesError(shown)
    format_name, reader = _format(call, source.files, shown)
    options.check(format_name)
    reader |= options.reader(format_name, declared=declared is not None)
    if source.files and options.values.get("recursivefilelookup", "").lower() != "true":
        reader = {key: value for key, value in reader.items() if key.lower() != "recursivefilelookup"}
    return SourceFiles(
        source.root,
        READ_FORMATS[format_name],
        tuple(file.path for file in source.files),
        sum(file.size for file in source.files),
        {key: value for key, value in reader.items() if key.lower() not in _LISTED},
        described,
        columns=FileColumns(
            declared, tuple(_hints(options)), options.rescued(format_name, declared=declared is not None)
        ),
    )


_LISTED = frozenset({"pathglobfilter", "modifiedafter", "modifiedbefore"})
"""Options by which files were chosen already."""


def declared_columns(call: FileCall) -> StructType | None:
    """The argument `schema`. Raises FileArgumentError."""
    text = call.options.values.get("schema")
    if text is None:
        return None
    stripped = text.strip()
    if not stripped:
        raise call.options.refused("schema", "write its columns as 'a INT, b STRING', or leave it out.")
    is_struct = stripped.upper().startswith("STRUCT") and stripped.endswith(">")
    kind = _type(call.options, "schema", stripped if is_struct else f"STRUCT<{stripped}>")
    assert isinstance(kind, StructType)
    return kind


def _format(call: FileCall, files: Sequence[ListedFile], shown: str) -> tuple[str, dict[str, str]]:
    """The format as given, or by the names of the files, and the options that follow from these."""
    given = call.options.values.get("format")
    if given is None:
        format_name, ending = detected_format(shown, [file.path.rpartition("/")[2] for file in files] or [""])
        is_tabbed = ending == "tsv" and not {"sep", "delimiter"} & set(call.options.values)
        return format_name, {"sep": "\t"} if is_tabbed else {}
    if given.lower() not in READ_FORMATS:
        raise call.options.refused("format", f"formats are {', '.join(READ_FORMATS)}.")
    return given.lower(), {}


def _hints(options: FileOptions) -> Iterator[tuple[tuple[str, ...], DataType]]:
    """The types that schemaHints gives: 'a INT, b.c DOUBLE'. Raises FileArgumentError."""
    text = options.values.get("schemahints", "")
    at = TokenCursor(text)
    while at.left:
        try:
            path = tuple(token.name for token in at.dotted())
            at.take(":")
            declared = at.before(",")
        except LeftToEngineError:
            raise options.refused("schemahints", "write 'name TYPE, other.name TYPE'.") from None
        yield path, _type(options, "schemahints", text[declared[0].start : declared[-1].end])
        at.take(",")


def _type(options: FileOptions, name: str, text: str) -> DataType:
    try:
        return parse_type(text)
    except DeltaSqlError as error:
        raise options.refused(name, error.message) from None


def located_files(context: Context, reference: TableReference) -> Iterator[Replacement]:
    """The replacement for a name of files by their location: csv.`/Volumes/c/s/v/a.csv`, csv.`folder/a.csv`."""
    if not is_files(reference):
        return
    location = context.catalog.located(reference.parts[-1])
    if location != reference.parts[-1]:
        yield reference.start, reference.end, f"{reference.parts[0]}.`{location.replace('`', '``')}`"


# Arguments


def _plain(key: str) -> str:
    """The name of an option in lower case, without the prefix of the older spelling."""
    return key.lower().removeprefix("cloudfiles.")


def _pairs(function: str, argument: SqlText, context: Context) -> Iterator[tuple[str | None, str | None]]:
    """The options of one argument: `value`, `key => value`, or map('key', 'value', …)."""
    at = TokenCursor(argument.text)
    if at.key == "MAP" and at.peek(1) == "(" and function == "cloud_files":
        at.at = 2
        texts = list[str]()
        while at.left and at.key != ")":
            piece = at.before(",", ")")
            texts.append(str(_constant(function, argument.text[piece[0].start : piece[-1].end], context)))
            at.take(",")
        yield from zip(texts[::2], texts[1::2], strict=False)
        return
    if at.is_name and at.peek(1) == "=>":
        name = at.name()
        at.at += 1
        value = argument.text[at.tokens[at.at].start :] if at.left else ""
        yield name, _constant(function, value, context)
        return
    yield None, _constant(function, argument.text, context)


def _constant(function: str, text: str, context: Context) -> str | None:
    """The value of a constant expression as an option has it; None for NULL. Raises FileArgumentError."""
    if not text.strip():
        raise errors.FileArgumentError(function, "an argument without a value", "write a constant.")
    match _value(text, context):
        case None:
            return None
        case bool(value):
            return str(value).lower()
        case (str() | int() | float() | Decimal() | date()) as value:
            return str(value)
        case _:
            raise errors.FileArgumentError(function, text, "a value is a text, a number, or true or false.")


def _value(text: str, context: Context) -> object:
    try:
        constant = literal_constant(text, None)
    except LeftToEngineError:
        return context.analyst.value(text)
    is_plain = constant.type in {STRING, BOOLEAN, VOID} or is_number(constant.type)
    return constant.value if is_plain else context.analyst.value(text)
