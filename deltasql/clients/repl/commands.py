r"""The backslash commands of the shell, their output, its preferences, and names for completion.

A new command needs one entry in COMMANDS, from which help and completion are derived. Preferences are set by `\pset`
and in the configuration file. Output of `\d t` is the size of the table, columns with their fields one a line, keys,
constraints and properties.

Names for completion are tables and views of the session with their columns, functions and versions. A failed look-up
(such as of a table just dropped) returns no names, never an error.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import pairwise
from typing import Protocol

from deltasql.base import DeltaSqlError, errors, shown_value, tokenize
from deltasql.catalog import ViewEntry
from deltasql.clients.repl.copying import copy_of
from deltasql.files import AUTO, FORMATS, Grid, help_on, number_text, size_text
from deltasql.log import Snapshot, clustering_columns, keys_of, live_rows, table_properties
from deltasql.plan import TableName
from deltasql.schema import (
    ID,
    STRING,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    child,
    declared_type,
    kind_text,
    path_text,
    quote_name,
    quote_text,
    sql_text,
    type_text,
    walk,
)
from deltasql.schema import quote_name as quote
from deltasql.session import Session
from deltasql.sql import FUNCTIONS, unclosed
from deltasql.statements import column_rules

SHOWN_ROWS = 1000
"""Most rows of a query that are printed by default: a forgotten LIMIT must not flood the terminal or the driver."""
ALL = "all"
_SWITCHES = {"on": True, "true": True, "off": False, "false": False}


@dataclass(frozen=True, slots=True)
class Preferences:
    """Preferences of the shell.

    `pager`: results longer than the window go through a pager. `progress`: Spark's progress is shown. `confirm`: the
    shell asks before statements that delete all rows, or a table. `timing`: the time of statements is shown. `rows`:
    most rows of a query that are printed; None for all.
    """

    pager: bool = True
    progress: bool = True
    confirm: bool = True
    timing: bool = True
    rows: int | None = SHOWN_ROWS

    @property
    def listing(self) -> str:
        """All preferences with their values, one a line."""
        return "\n".join(f"{item.name:9} {self.value(item.name)}" for item in fields(self))

    def value(self, name: str) -> str:
        """The value of a preference, as it is typed. Raises UnknownPreferenceError."""
        values: dict[str, bool | int | None] = {item.name: getattr(self, item.name) for item in fields(self)}
        if name not in values:
            raise errors.UnknownPreferenceError(name=name, known=NAMES)
        value = values[name]
        if isinstance(value, bool):
            return "on" if value else "off"
        return ALL if value is None else str(value)

    def with_value(self, name: str, text: str) -> Preferences:
        """These preferences with one changed; an empty `text` toggles a switch.

        Raises UnknownPreferenceError, WrongPreferenceError.
        """
        old, text = self.value(name), text.lower()
        if name == "rows":
            if text != ALL and not (text.isdecimal() and int(text)):
                raise errors.WrongPreferenceError(name=name, value=text, legal=f"a number, or {ALL}")
            return replace(self, rows=None if text == ALL else int(text))
        if text and text not in _SWITCHES:
            raise errors.WrongPreferenceError(name=name, value=text, legal="on or off")
        return replace(self, **{name: _SWITCHES[text] if text else old == "off"})


NAMES = tuple(item.name for item in fields(Preferences))


_REMEMBERED_SECONDS = 5.0
_NEWEST = 20
Parts = tuple[str, ...]
Offered = tuple[str, str]
"""A word, and its kind."""


class Names:
    """The names of a session. Columns are cached for some seconds: each key press may need them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._columns: dict[Parts, tuple[float, StructType]] = {}

    def relations(self, path: Parts = ()) -> list[Offered]:
        """Tables and views of the schema `path`, schemas of the catalog `path`; for () those that are current, and
        all catalogs.
        """
        names = self._session.catalog
        try:
            catalogs = names.catalogs()
            if not path:
                several = [(quote(name), "catalog") for name in catalogs]
                views = [(quote(name), "view") for name in self._session.views]
                return [
                    *self._entries((names.current_schema,)),
                    *views,
                    *self._schemas(names.current_catalog),
                    *several,
                ]
            if len(path) == 1 and path[0].lower() in catalogs:
                return [*(self._entries(path) if names.has_schema(path) else ()), *self._schemas(path[0])]
            return self._entries(path)
        except DeltaSqlError:
            return []

    def _entries(self, schema: Parts) -> list[Offered]:
        found = self._session.catalog.entries(schema)
        return [(quote(entry.name), "view" if isinstance(entry, ViewEntry) else "table") for entry in found]

    def _schemas(self, catalog: str) -> list[Offered]:
        return [(quote(entry.name), "schema") for entry in self._session.catalog.schemas(catalog=catalog)]

    def functions(self) -> list[Offered]:
        """The user's functions, then Spark's in lower case."""
        temporary = [*self._session.functions]
        with suppress(DeltaSqlError):
            temporary += [entry.parts[-1] for entry in self._session.catalog.functions()]
        names = [*map(quote, temporary), *(name.lower() for name in sorted(FUNCTIONS))]
        return [(name, "function") for name in names]

    def is_relation(self, parts: Parts) -> bool:
        """Whether a table or a view has this name."""
        if parts[-1] in self._session.views and len(parts) == 1:
            return True
        try:
            return self._session.catalog.find(parts) is not None
        except DeltaSqlError:
            return False

    def schema(self, parts: Parts) -> StructType:
        """The columns of a table or a view."""
        read_at, schema = self._columns.get(parts, (0.0, StructType()))
        if time.monotonic() - read_at > _REMEMBERED_SECONDS or not read_at:
            schema = self._read(parts)
            self._columns[parts] = (time.monotonic(), schema)
        return schema

    def fields(self, schema: StructType, path: Parts) -> list[Offered]:
        """The fields of the column or field at `path`, with their types; all columns for ()."""
        kind: DataType = schema
        for name in path:
            field_type = child(kind, name, case_sensitive=False)
            if field_type is None:
                return []
            kind = field_type.type
        match kind:
            case StructType():
                return [(quote(field.name), outline(field.type)) for field in kind]
            case ArrayType():
                return [("element", "element")]
            case MapType():
                return [("key", "key"), ("value", "value")]
            case _:
                return []

    def versions(self, parts: Parts) -> list[tuple[int, datetime, str]]:
        """The newest versions of a table: number, time and operation of each."""
        try:
            entries = self._session.log(TableName(parts)).history(_NEWEST)
        except DeltaSqlError:
            return []
        return [
            (item.version, datetime.fromtimestamp(item.timestamp_ms / 1000), str(item.info.get("operation", "")))
            for item in entries
        ]

    def _read(self, parts: Parts) -> StructType:
        view = self._session.views.get(parts[-1]) if len(parts) == 1 else None
        try:
            if view is not None:
                return StructType() if view.creation is None else view.creation.schema
            entry = self._session.catalog.view(parts)
            if entry is not None:
                return entry.definition.schema
            table = self._session.catalog.resolve(parts)
            if table is not None and table.source is not None:
                return table.source.schema or StructType()
            return self._session.log(TableName(parts)).snapshot().schema
        except DeltaSqlError:
            return StructType()


def outline(data_type: DataType) -> str:
    """A type without the fields of structs: `int`, `struct`, `array<struct>`, `map<string,int>`."""
    match data_type:
        case StructType():
            return "struct"
        case ArrayType(element):
            return f"array<{outline(element)}>"
        case MapType(key, value):
            return f"map<{outline(key)},{outline(value)}>"
        case _:
            return type_text(data_type)


class ShellActions(Protocol):
    """Interface of the shell to its commands."""

    style: str
    preferences: Preferences

    def say(self, text: str) -> None:
        """Prints a line for the user."""

    def describe(self, table: str) -> None:
        """Shows a table: size, columns, keys, constraints, properties."""

    def history(self, table: str, limit: str) -> None:
        """Shows the versions of a table; only the newest `limit`, unless that is empty."""

    def run_file(self, path: str) -> None:
        """Runs the statements of a file. Raises ScriptUnreadableError."""

    def edit(self) -> None:
        """Opens the last input in an editor, as the next input."""

    def again(self, path: str) -> None:
        """Runs the last input again; its output goes into the file `path`, unless that is empty."""

    def copy(self, sql: str, path: str) -> None:
        """Writes the rows of a query into a file, whose suffix is its format. Raises OutputNotWrittenError."""

    def write_to(self, path: str) -> None:
        """Redirects the output of statements to a file; "": to the screen. Raises OutputNotWrittenError."""


def _stay(_: ShellActions) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of a command: `sql` is run and shown first, then `act`, which returns whether the shell goes on."""

    sql: str = ""
    act: Callable[[ShellActions], bool] = _stay


@dataclass(frozen=True, slots=True)
class Command:
    r"""One command of the shell: `\name arguments`.

    `does` returns the effect for an argument, "" for none. `words` are its names without a backslash, `aliases` further
    names with one. `values` are the legal arguments, if they are a list; `takes` ("table", "file", "condition") is how
    others are completed.
    """

    name: str
    arguments: str
    help: str
    does: Callable[[str], Effect]
    aliases: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    takes: str = ""

    def help_line(self) -> str:
        """The command's line in the help."""
        return f"{f'{self.typed} {self.arguments}':20} {self.help}"

    @property
    def typed(self) -> str:
        """The command with its backslash."""
        return "\\" + self.name


def command_of(text: str) -> Effect | None:
    """The effect of the command `text`; None for SQL.

    Raises UnknownCommandError, UnknownFormatError, CommandArgumentError.
    """
    stripped = text.strip().rstrip(";").strip()
    for command in COMMANDS:
        if stripped.lower() in command.words:
            return command.does("")
    if stripped.startswith("."):
        raise errors.UnknownCommandError(command=stripped.split()[0])
    if not stripped.startswith("\\"):
        return None
    name, _, argument = stripped[1:].partition(" ")
    return _command(name, bool(argument.strip())).does(argument.strip())


def _command(name: str, has_argument: bool) -> Command:
    """The command called `name`; of two, the one with an argument if `has_argument`. Raises UnknownCommandError."""
    matches = [command for command in COMMANDS if name in {command.name, *command.aliases}]
    if not matches:
        raise errors.UnknownCommandError(command="\\" + name)
    return next((command for command in matches if bool(command.arguments) == has_argument), matches[0])


def _show(kind: str) -> Callable[[str], Effect]:
    """SHOW kind: `orders*` searches the current schema, `s.orders*` the schema s, `c.s.orders*` that of a catalog."""

    def show(pattern: str) -> Effect:
        if not pattern:
            return Effect(f"SHOW {kind}")
        schema, dot, rest = pattern.rpartition(".")
        if dot and schema and not {"*", "|"} & set(schema):
            return Effect(f"SHOW {kind} IN {schema} LIKE {_text(rest or '*')}")
        return Effect(f"SHOW {kind} LIKE {_text(pattern)}")

    return show


def _show_functions(pattern: str) -> Effect:
    """SHOW USER FUNCTIONS; with a pattern all functions, Spark's included."""
    return Effect(f"SHOW FUNCTIONS LIKE {_text(pattern)}" if pattern else "SHOW USER FUNCTIONS")


def _text(value: str) -> str:
    return "'" + value.strip("'").replace("\\", "\\\\").replace("'", "\\'") + "'"


def _acting(act: Callable[[ShellActions], None]) -> Effect:
    """An effect after which the shell goes on."""

    def stay(shell: ShellActions) -> bool:
        act(shell)
        return True

    return Effect(act=stay)


def _leave(_: ShellActions) -> bool:
    return False


def _help(shell: ShellActions) -> None:
    lines = [command.help_line() for command in COMMANDS]
    shell.say("\n".join((*lines, "", *_ON_INPUT)))


def _explain(condition: str) -> Effect:
    text = help_on(condition)
    return _acting(lambda shell: shell.say(text))


def _needed(name: str, needed: str, argument: str) -> str:
    if not argument:
        thing = needed.rpartition(" ")[2].upper()
        raise errors.CommandArgumentError(command=f"\\{name}", needed=needed, usage=f"\\{name} {thing}")
    return argument


def _history(argument: str) -> Effect:
    words = _needed("history", "a table", argument).split()
    limit = words.pop() if len(words) > 1 and words[-1].isdecimal() else ""
    return _acting(lambda shell: shell.history(" ".join(words), limit))


def _run_file(argument: str) -> Effect:
    path = _file(_needed("i", "a file", argument))
    return _acting(lambda shell: shell.run_file(path))


def _file(argument: str) -> str:
    """The name of a file, which may be quoted; "" for none."""
    if argument[:1] in {"'", '"'}:
        # A quote that does not end is part of the name.
        with suppress(ValueError):
            return shlex.split(argument)[0]
    return argument


def _again(argument: str) -> Effect:
    return _acting(lambda shell: shell.again(_file(argument)))


def _copy(argument: str) -> Effect:
    asked = copy_of(argument)
    return _acting(lambda shell: shell.copy(asked.sql, asked.path))


def _write_to(argument: str) -> Effect:
    return _acting(lambda shell: shell.write_to(_file(argument)))


OPEN_LITERALS = frozenset({"'", '"', "`", "/*"})
"""Opening marks of literals, quoted names and comments, within which input is taken literally."""


def sent(text: str) -> tuple[str, str] | None:
    r"""The statements before `\g` or `\g FILE`, which replace the semicolon, and the file or ""; None without these."""
    tokens = tokenize(text)
    for mark, word in pairwise(tokens):
        if mark.text == "\\" and word.text == "g" and word.start == mark.end:
            before = text[: mark.start].strip()
            if unclosed(before) in OPEN_LITERALS:
                return None
            return (before, _file(text[word.end :].strip().rstrip(";").strip())) if before else None
    return None


def _set(argument: str) -> Effect:
    name, _, value = argument.partition(" ")

    def change(shell: ShellActions) -> None:
        if not name:
            shell.say(shell.preferences.listing)
            return
        shell.preferences = shell.preferences.with_value(name.lower(), value.strip())
        shell.say(f"{name.capitalize()} is {shell.preferences.value(name.lower())}.")

    return _acting(change)


def _set_timing(argument: str) -> Effect:
    return _set(f"timing {argument}")


_EXPANDED = {"": "", "on": "vertical", "off": "table", "auto": AUTO}


def _expand(argument: str) -> Effect:
    """Sets the format for the argument; without one, toggles between vertical and auto. Raises CommandArgumentError."""
    if argument not in _EXPANDED:
        raise errors.CommandArgumentError(command="\\x", needed="on, off, auto or nothing", usage="\\x [on|off|auto]")

    def expand(shell: ShellActions) -> None:
        shell.style = _EXPANDED[argument] or (AUTO if shell.style == "vertical" else "vertical")
        shell.say(f"Format is {shell.style}.")

    return _acting(expand)


def _choose(style: str) -> Effect:
    if style and style not in FORMATS:
        raise errors.UnknownFormatError(style=style, known=FORMATS)

    def choose(shell: ShellActions) -> None:
        shell.style = style or shell.style
        shell.say(f"Format is {shell.style}.")

    return _acting(choose)


def _show_schemas(catalog: str) -> Effect:
    return Effect(f"SHOW SCHEMAS IN {catalog}" if catalog else "SHOW SCHEMAS")


_LIKE = "LIKE is a pattern of * and |, or a schema and a pattern: s.*"
_SWITCH = ("on", "off")

COMMANDS = (
    Command("d", "", "tables of the current schema", _show("TABLES")),
    Command(
        "d",
        "TABLE",
        "a table: size, columns with their fields, constraints, properties",
        lambda table: _acting(lambda shell: shell.describe(table)),
        takes="table",
    ),
    Command("dt", "[LIKE]", f"tables; {_LIKE}", _show("TABLES"), takes="table"),
    Command("dv", "[LIKE]", "views", _show("VIEWS"), takes="table"),
    Command("df", "[LIKE]", "your functions; with a pattern Spark's, too", _show_functions),
    Command("l", "[CATALOG]", "schemas of the current catalog, or of another one", _show_schemas),
    Command("lc", "", "catalogs", lambda _: Effect("SHOW CATALOGS")),
    Command("history", "TABLE [N]", "versions of a table: when, what, who, files, rows", _history, takes="table"),
    Command("i", "FILE", "run the statements of a file", _run_file, takes="file"),
    Command("e", "", "edit the last input in $EDITOR", lambda _: _acting(lambda shell: shell.edit())),
    Command("g", "[FILE]", "run what stands before it, or the last input again; into FILE", _again, takes="file"),
    Command("o", "[FILE]", "rows go into FILE, all of them; without FILE back to the screen", _write_to, takes="file"),
    Command("copy", "ROWS to FILE", "a table or (query) into a .csv, .json, .parquet … file", _copy, takes="table"),
    Command("x", "[on|off|auto]", "a line per value; auto: if a table is too wide", _expand, values=(*_SWITCH, AUTO)),
    Command("format", "[F]", f"how rows are printed: {', '.join(FORMATS)}", _choose, values=FORMATS),
    Command("timing", "[on|off]", "tell how long statements take, or not", _set_timing, values=_SWITCH),
    Command("pset", "[NAME [VALUE]]", f"what you prefer: {', '.join(NAMES)}", _set, values=NAMES),
    Command(
        "help",
        "CONDITION",
        "an error: its cause, and how to correct the statement",
        _explain,
        ("h",),
        takes="condition",
    ),
    Command("?", "", "this list (also: help)", lambda _: _acting(_help), aliases=("h", "help"), words=("help",)),
    Command("q", "", "leave (also: exit, quit, Ctrl-D)", lambda _: Effect(act=_leave), words=("exit", "quit")),
)
"""The commands in the order in which help lists them."""

_ON_INPUT = (
    "A statement may take many lines and ends with ; or \\g",
    "Ctrl-C gives up the input, or cancels the statement that runs.",
)


COLUMNS = StructType(tuple(StructField(name, STRING) for name in ("column", "type", "rules", "comment")))


def headline(name: str, snapshot: Snapshot) -> Iterator[str]:
    """The lines before the columns: name and version, comment, size."""
    at = datetime.fromtimestamp(snapshot.timestamp_ms / 1000)
    yield f"Table {name}, version {snapshot.version} of {at:%Y-%m-%d %H:%M:%S}"
    if snapshot.metadata.description:
        yield snapshot.metadata.description
    rows = row_count(snapshot)
    counted = "" if rows is None else f"{_counted(rows, 'row')} in "
    yield f"{counted}{_counted(snapshot.num_files, 'file')}, {size_text(snapshot.size_in_bytes)}, {snapshot.location}"


def columns_grid(snapshot: Snapshot) -> Grid:
    """A row for each column, and for each field, element, key and value within it."""
    rows = [
        (
            "  " * (len(path) - 1) + path_text(path),
            outline(declared_type(field)),
            " ".join(column_rules(field)),
            field.comment or "",
        )
        for path, field in walk(snapshot.schema)
    ]
    return Grid(COLUMNS, rows)


def footer(name: str, snapshot: Snapshot) -> Iterator[str]:
    """The lines after the columns: layout, keys, constraints, properties, features."""
    if snapshot.partition_columns:
        yield f"Partitioned by: {', '.join(map(quote_name, snapshot.partition_columns))}"
    if columns := clustering_columns(snapshot):
        yield f"Clustered by: {', '.join(map(path_text, columns))}"
    for key in keys_of(snapshot.metadata):
        yield f"Key {key.name}: {key.definition(name.split('.'))}"
    for constraint, condition in snapshot.properties.constraints.items():
        yield f"Constraint {constraint}: CHECK ({condition})"
    for name_of, value in sorted(snapshot.configuration.items()):
        if name_of not in table_properties.DELTASQL_PROPERTIES and not name_of.startswith(
            table_properties.CONSTRAINT_PREFIX
        ):
            yield f"Property {name_of} = {shown_value(name_of, value)}"
    if snapshot.protocol.features:
        yield f"Features: {', '.join(sorted(snapshot.protocol.features))}"


def row_count(snapshot: Snapshot) -> int | None:
    """The number of live rows of a version; None if the log lacks statistics."""
    counts = live_rows(snapshot.files(("stats", "deletionVector")))
    return None if None in counts else sum(count for count in counts if count is not None)


def rows_text(rows: int) -> str:
    """`1 row`, `12 rows`, `3.4 M rows`."""
    return _counted(rows, "row")


def _counted(number: int, what: str) -> str:
    shown = str(number) if number < 100_000 else number_text(number)
    return f"{shown} {what}{'' if number == 1 else 's'}"


Path = tuple[str, ...]
MOST_LINES = 12


def schema_changes(before: StructType, after: StructType) -> list[str]:
    """Lines for new (`+`), dropped (`-`) and changed (`~`) columns and fields, in the table's order."""
    lines = list(_changes(dict(walk(before)), dict(walk(after))))
    if not lines and _order(before) != _order(after):
        lines = [f"~ order: {', '.join(path_text((name,)) for name in after.names)}"]
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"… and {more} more"]


def _changes(old: dict[Path, StructField], new: dict[Path, StructField]) -> Iterator[str]:
    origins = _origins(old, new)
    for path, field in new.items():
        was = origins.get(path)
        if was is not None:
            yield from _change(was, path, old[was], field)
        elif len(path) == 1 or path[:-1] in origins:
            yield f"+ {path_text(path)} {_field_text(field)}"
    gone = old.keys() - origins.values()
    yield from (
        f"- {path_text(path)} {_field_text(old[path])}" for path in old if path in gone and path[:-1] not in gone
    )


def _change(was: Path, path: Path, before: StructField, after: StructField) -> Iterator[str]:
    if was[-1] != path[-1]:
        yield f"~ {path_text(was)} is now {path_text(path)}"
    if _kind(before) != _kind(after) or [*column_rules(before)] != [*column_rules(after)]:
        yield f"~ {path_text(path)} {_field_text(before)} is now {_field_text(after)}"
    elif before.comment != after.comment:
        comment = "without a comment" if after.comment is None else f"COMMENT {quote_text(after.comment)}"
        yield f"~ {path_text(path)} is now {comment}"


def _origins(old: dict[Path, StructField], new: dict[Path, StructField]) -> dict[Path, Path]:
    """The old path of each field that is not new: by its id if it has one, else by its path."""
    ids = {field.metadata[ID]: path for path, field in old.items() if ID in field.metadata}
    origins = {path: ids.get(field.metadata.get(ID), path) for path, field in new.items()}
    return {path: was for path, was in origins.items() if was in old}


def _kind(field: StructField) -> str:
    return kind_text(declared_type(field))


def _field_text(field: StructField) -> str:
    return " ".join([sql_text(declared_type(field)), *column_rules(field)])


def _order(schema: StructType) -> list[Path]:
    return [path for path, _ in walk(schema)]
