"""read_files('path', option => value, …) in a query: the rows of files of other formats. Source: Databricks.

The files are listed in this process, as for COPY INTO, so that a statement reads the same files however often it runs
its query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.errors.log import UnsupportedLocationError
from deltasql.base.errors.secrets import shown_value
from deltasql.base.errors.sources import FileArgumentError, FilesOfTableError, NoFilesError
from deltasql.base.errors.statements.copy_into import (
    CopyOptionError,
    GlobError,
    SourceLocationError,
    SourceNotFoundError,
)
from deltasql.log.storage.source_files import SPECIAL, Choice, FileSource, ListedFile, find_source
from deltasql.plan.base import SqlText
from deltasql.plan.operators import FileColumns, SourceFiles
from deltasql.planner.context import Context
from deltasql.planner.copy_options import copy_options
from deltasql.planner.file_options import FORMATS, FileOptions, detected_format
from deltasql.planner.selected_files import is_files
from deltasql.schema.type_lattice import is_number
from deltasql.schema.types import BOOLEAN, STRING, VOID, DataType, StructType
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.literal_rows import literal_constant
from deltasql.sql.parser import parse_type
from deltasql.sql.queries.relations import TableReference
from deltasql.sql.text_edits import Replacement
from deltasql.sql.tokens import tokenize


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
        raise FileArgumentError(function, found, "the path comes first, and each option has a name.")
    return FileCall(positional[0], options)


def _positional(given: Sequence[tuple[str | None, str | None]]) -> list[str]:
    """The arguments without names. One that is NULL is not given."""
    return [value for key, value in given if key is None and value is not None]


def _options(function: str, given: Sequence[tuple[str | None, str | None]]) -> FileOptions:
    """The arguments with names. One that is NULL is not given. Raises FileArgumentError for one that is given twice."""
    named = [_plain(key) for key, _ in given if key is not None]
    twice = next((name for at, name in enumerate(named) if name in named[:at]), None)
    if twice is not None:
        raise FileArgumentError(function, f"two values of {twice}", "each option is given once.")
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
    except CopyOptionError as error:
        raise FileArgumentError(options.function, f"{error.key} => '{error.value}'", error.advice) from None
    except FileNotFoundError:
        raise SourceNotFoundError(shown, "no such file or folder") from None
    except ValueError as error:
        raise GlobError(shown, str(error)) from None
    except UnsupportedLocationError as error:
        raise SourceLocationError(shown, error.reason) from None
    if source.is_table:
        raise FilesOfTableError(shown)
    return FileSource(source.root, files)


def rows_of_call(call: FileCall, source: FileSource, described: bool = False) -> SourceFiles:
    """The rows of the files at `source`, read as a call says."""
    options, declared = call.options, declared_columns(call)
    shown = shown_value("", call.path)
    if declared is None and not source.files:
        raise NoFilesError(shown)
    format_name, reader = _format(call, source.files, shown)
    options.check(format_name)
    reader |= options.reader(format_name, declared=declared is not None)
    if source.files and options.values.get("recursivefilelookup", "").lower() != "true":
        reader = {key: value for key, value in reader.items() if key.lower() != "recursivefilelookup"}
    return SourceFiles(
        source.root,
        FORMATS[format_name],
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
    if given.lower() not in FORMATS:
        raise call.options.refused("format", f"formats are {', '.join(FORMATS)}.")
    return given.lower(), {}


def _hints(options: FileOptions) -> Iterator[tuple[tuple[str, ...], DataType]]:
    """The types that schemaHints gives: 'a INT, b.c DOUBLE'. Raises FileArgumentError."""
    text = options.values.get("schemahints", "")
    at = TokenCursor(tokenize(text))
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
    at = TokenCursor(tokenize(argument.text))
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
        raise FileArgumentError(function, "an argument without a value", "write a constant.")
    match _value(text, context):
        case None:
            return None
        case bool(value):
            return str(value).lower()
        case (str() | int() | float() | Decimal() | date()) as value:
            return str(value)
        case _:
            raise FileArgumentError(function, text, "a value is a text, a number, or true or false.")


def _value(text: str, context: Context) -> object:
    try:
        constant = literal_constant(text, None)
    except LeftToEngineError:
        return context.analyst.value(text)
    is_plain = constant.type in {STRING, BOOLEAN, VOID} or is_number(constant.type)
    return constant.value if is_plain else context.analyst.value(text)
