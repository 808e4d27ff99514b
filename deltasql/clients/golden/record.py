"""Golden scripts: a `.sql` file as statements with directives, each run and its outcome recorded as text.

Tables for tests are created from rows in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias
from warnings import catch_warnings, simplefilter

from deltasql.base import DeltaSqlError, pa, tokenize, without_secrets
from deltasql.clients.golden.cells import OUTPUT, CellRecorder, cells_of_script
from deltasql.clients.golden.compare import (
    NO_MASK,
    TITLE,
    Directive,
    DirectivePosition,
    Mask,
    Normalizer,
    directive,
    masked,
    warning,
)
from deltasql.clients.golden.log_changes import LogWatch, NewCommits
from deltasql.files import Result, Row, value_text
from deltasql.plan import StatementWarning
from deltasql.schema import (
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    MapType,
    StructType,
    quote_text,
    sql_literal,
    type_text,
)
from deltasql.session import Session
from deltasql.sql import Cell, Statement, is_notebook, split


@dataclass(frozen=True, slots=True)
class ScriptOptions:
    """Options of a statement from directives: its title, whether its log is shown and rows are sorted, hidden values.

    `session` is the session that runs it, "" for the setup; `check` marks the query that reads a schedule's result.
    """

    name: str = ""
    log: bool = True
    sort: bool = True
    mask: Mask = NO_MASK
    session: str = ""
    check: bool = False


@dataclass(frozen=True, slots=True)
class GoldenStatement:
    """One statement without the comments in front of it, or a cell of a notebook."""

    text: str
    options: ScriptOptions
    position: DirectivePosition
    cell: Cell | None = None
    """The cell of a notebook that this is, in another language than SQL."""


@dataclass(frozen=True, slots=True)
class ScheduleText:
    """The unparsed value of a `-- schedule:`, with the `-- name:` before it."""

    text: str
    name: str
    position: DirectivePosition


@dataclass(frozen=True, slots=True)
class GoldenScript:
    """The statements of a file. `jvm` is False for `-- expect: no jvm`; `levels` are the values of `${LEVEL}`."""

    statements: tuple[GoldenStatement, ...]
    jvm: bool
    schedules: tuple[ScheduleText, ...] = ()
    levels: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of all statements."""
        return ";\n".join(statement.text for statement in self.statements)

    @property
    def is_scenario(self) -> bool:
        """Whether the file has schedules, sessions or a check."""
        mine = (item.options for item in self.statements)
        return bool(self.schedules) or any(options.session or options.check for options in mine)


@dataclass(slots=True)
class _Reading:
    """State of directives while a file is read."""

    common: ScriptOptions = ScriptOptions()
    options: ScriptOptions = ScriptOptions()
    jvm: bool = True
    schedules: list[ScheduleText] = field(default_factory=list)
    levels: tuple[str, ...] = ()

    def take(self, directive: Directive, *, whole_file: bool = False) -> None:
        match directive.name:
            case "schedule":
                self.schedules.append(ScheduleText(directive.value, self.options.name, directive.position))
                self.options = replace(self.options, name="")
            case "levels":
                self.levels = tuple(level.strip() for level in directive.value.split(","))
            case "session":
                # A session applies until the next one; all other directives apply to one statement.
                self.common = replace(self.common, session=directive.value)
                self.options = replace(self.options, session=directive.value)
            case "expect":
                self.jvm = False
            case "check":
                self.common = replace(self.common, session="")
                self.options = replace(self.options, session="", check=True)
            case _ if whole_file and directive.name != "name":
                self.common = self.options = _applied(self.common, directive, whole_file)
            case _:
                self.options = _applied(self.options, directive, whole_file)

    def end_statement(self) -> ScriptOptions:
        done, self.options = self.options, self.common
        return done


def read_script(path: Path) -> GoldenScript:
    """The statements of a file.

    A directive applies to the next statement; in a first paragraph of comments, to the whole file. `expect` and
    `levels` always apply to the whole file. Raises UnknownDirectiveError.
    """
    script = path.read_text(encoding="utf-8")
    reading = _Reading()
    statements: list[GoldenStatement] = []
    end = 0
    for number, (statement, cell) in enumerate(_statements(script)):
        line = script.count("\n", 0, statement.start) + 1
        if cell is not None:
            position = DirectivePosition(path, line)
            statements.append(GoldenStatement(statement.text, reading.end_statement(), position, cell))
            continue
        # Comments before a statement belong to it, but a first paragraph of them belongs to the file.
        head, text = _leading_comments(statement.text)
        paragraph = _first_paragraph(head) if number == 0 else 0
        for offset, item in _directives(head, path, line):
            reading.take(item, whole_file=offset < paragraph)
        statements.append(GoldenStatement(text, reading.end_statement(), DirectivePosition(path, line + len(head))))
        end = statement.start + len(statement.text)
    tail = [] if is_notebook(script) else script[end:].splitlines()
    for _, item in _directives(tail, path, script.count("\n", 0, end) + 1):
        reading.take(item)
    return GoldenScript(tuple(statements), reading.jvm, tuple(reading.schedules), reading.levels)


def _statements(script: str) -> Iterator[tuple[Statement, Cell | None]]:
    """The statements of a script, and the cells of a notebook that are not SQL, with the words that name a language."""
    for cell in cells_of_script(script):
        if cell.language == "sql":
            for statement in split(cell.text):
                yield Statement(statement.text, cell.in_file(statement.start)), None
        else:
            head = f"%{cell.language} {cell.argument}".rstrip()
            yield Statement("\n".join([head, cell.text.strip("\n")]).rstrip(), cell.start), cell


def expects_no_jvm(path: Path) -> bool:
    """Whether the file has the directive `-- expect: no jvm`."""
    return not read_script(path).jvm


def _directives(comments: Iterable[str], path: Path, line: int) -> Iterator[tuple[int, Directive]]:
    for offset, comment in enumerate(comments):
        item = directive(comment, DirectivePosition(path, line + offset))
        if item is not None:
            yield offset, item


def _leading_comments(text: str) -> tuple[list[str], str]:
    lines = text.splitlines()
    count = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("--")), len(lines))
    return lines[:count], "\n".join(lines[count:])


def _first_paragraph(head: list[str]) -> int:
    return head.index("") if "" in head else 0


def _applied(options: ScriptOptions, directive: Directive, whole_file: bool) -> ScriptOptions:
    on = directive.value.lower() == "on"
    match directive.name:
        case "name":
            return replace(options, name=directive.value)
        case "log":
            return replace(options, log=on)
        case "sort":
            return replace(options, sort=on)
        case "mask":
            return replace(options, mask=options.mask.with_directive(directive, whole_file))
        case _:
            raise AssertionError(directive.name)


ADVICE = (
    "for {why}. Show a comparison in its place, hide it with '-- mask: <column>' or '-- mask: /<pattern>/' in front of "
    "the statement, or say '-- mask: none' if it does not differ."
)


@dataclass(frozen=True, slots=True)
class Block:
    """The recorded text of one statement. `defect` is a failure that must not be accepted as expected, or "".

    `warning` is the reason why the next run will record another text, or "". `line` is the statement's in its script.
    """

    text: str
    defect: str = ""
    warning: str = ""
    line: int = 1


class Recorder:
    """Runs statements in one warehouse and writes their blocks.

    `level` is the value of `${LEVEL}`, and part of every title. `script` is the text of the whole file.
    """

    def __init__(self, warehouse: Path, level: str = "", script: str = "") -> None:
        self._warehouse = warehouse
        self._level = level
        self._watch = LogWatch(warehouse)
        self._normal = Normalizer(str(warehouse), script)
        self._cells: CellRecorder | None = None
        self._last: Result | None = None

    def record(self, statement: GoldenStatement, session: Session, *, must_succeed: bool = False) -> Block:
        """Runs one statement. Never raises its errors: an unexpected exception is recorded as a defect.

        With `must_succeed` any error of the statement is a defect.
        """
        lines = [self.title(TITLE, statement.options.name), without_secrets(statement.text.rstrip())]
        start = len(lines)
        defect, has_rows = "", False
        try:
            with catch_warnings():
                # They are recorded.
                simplefilter("ignore", StatementWarning)
                ran = self._ran(statement, session)
            # Rows may contain generated values of commits: these must be collected first.
            new = self.look()
            if isinstance(ran, Result):
                has_rows = ran.is_query or bool(ran.metrics)
                lines += self.outcome(statement, ran)
                defect = statement.options.mask.missing(ran.columns)
            else:
                lines += [OUTPUT, *(statement.options.mask.text(self._normal.text(line)) for line in ran)]
        except DeltaSqlError as error:
            new = self.look()
            defect = described(error) if must_succeed else ""
            lines += self._error(error, statement)
        except Exception as error:
            new = self.look()
            defect = described(error)
            lines += self.defect(error)
        lines += self._log(new, statement)
        return block(lines, statement.position, defect, self.warning(statement, lines[start:], has_rows))

    def _ran(self, statement: GoldenStatement, session: Session) -> Result | list[str]:
        """The result of a statement, or the output of a cell."""
        if statement.cell is None:
            result = session.sql(self.sql_of(statement))
            self._last = result if result.is_query else self._last
            return result
        if self._cells is None:
            mask = statement.options.mask
            self._cells = CellRecorder(statement.position.file, lambda result: self._rows(result, mask))
        return self._cells.output(statement.cell, session, self._last)

    def close(self) -> None:
        """Ends the run of cells of Python."""
        if self._cells is not None:
            self._cells.close()

    def look(self) -> list[NewCommits]:
        """The commits since the last call; their generated values are hidden from now on."""
        new = self._watch.look()
        for generated in (generated for table in new for generated in table.generated):
            self._normal.learn(generated)
        return new

    def warning(self, statement: GoldenStatement, recorded: Sequence[str], has_rows: bool) -> str:
        """The reason, with the statement's line, why the next run will record another text; "" if none is detected."""
        if statement.options.mask.settled or statement.cell is not None:
            return ""
        why = warning(statement.text, "\n".join(recorded), has_rows, self._normal)
        return f"line {statement.position.line}: the next run will differ, {ADVICE.format(why=why)}" if why else ""

    def title(self, kind: str, name: str) -> str:
        """The first line of a block."""
        return f"{kind}{': ' + name if name else ''}{f' ({self._level})' if self._level else ''}"

    def sql_of(self, statement: GoldenStatement) -> str:
        """The SQL to run: the statement with the values of `${WAREHOUSE}` and `${LEVEL}`."""
        text = statement.text.replace("${LEVEL}", self._level) if self._level else statement.text
        return text.replace("${WAREHOUSE}", str(self._warehouse))

    def defect(self, error: Exception) -> list[str]:
        """The lines for an unexpected exception."""
        return [f"-- defect {type(error).__name__}", *self._normal.text(str(error)).splitlines()]

    def outcome(self, statement: GoldenStatement, result: Result) -> Iterator[str]:
        """Schema and rows, one line each."""
        columns = ", ".join(f"{field.name}:{type_text(field.type)}" for field in result.schema)
        rows = self._rows(result, statement.options.mask)
        if result.is_query and statement.options.sort and not is_ordered(statement.text):
            rows.sort()
        yield f"-- schema: {columns or '(none)'}"
        yield from rows
        yield from (f"-- warning: {text}" for text in result.warnings)
        yield from (f"-- note: {text}" for text in result.notes)

    def _rows(self, result: Result, mask: Mask) -> list[str]:
        if not result.columns:
            return []
        return [self._row(row, result, mask) for row in result.collect()]

    def _row(self, row: Row, result: Result, mask: Mask) -> str:
        zone = result.time_zone or "UTC"
        tell = _query_cell if result.is_query else _command_cell
        cells = (
            f"<{item.name}>" if value is not None and mask.hides(item.name) else tell(value, item.type, zone, item.name)
            for value, item in zip(row, result.schema, strict=True)
        )
        text = self._normal.text(" | ".join(cells), zone, of_query=result.is_query)
        return mask.text(text).replace("\\", "\\\\").replace("\n", "\\n")

    def _error(self, error: DeltaSqlError, statement: GoldenStatement) -> Iterator[str]:
        yield f"-- error {error.condition} {error.sqlstate}"
        yield from statement.options.mask.text(self._normal.text(error.message)).splitlines()
        # After `${…}` the caret would point to another column than in the script.
        if error.caret is not None and "${" not in statement.text:
            yield from error.caret.draw().splitlines()

    def _log(self, new: Sequence[NewCommits], statement: GoldenStatement) -> Iterator[str]:
        for table in new:
            if table.schema_change:
                yield f"-- schema change of {table.table}"
                yield from self._log_lines(table.schema_change, statement)
            for version, lines in table.commits if statement.options.log else ():
                yield f"-- log of {table.table}, version {version}"
                yield from self._log_lines(lines, statement)

    def _log_lines(self, lines: Sequence[str], statement: GoldenStatement) -> Iterator[str]:
        return (statement.options.mask.text(self._normal.text(line)) for line in lines)


def block(lines: list[str], position: DirectivePosition, defect: str = "", warning: str = "") -> Block:
    """A block of these lines, for the statement or schedule at `position`."""
    return Block("\n".join(line.rstrip() for line in lines) + "\n", defect, warning, position.line)


def described(error: Exception) -> str:
    """An exception as one line."""
    return f"{type(error).__name__}: {error}"


def is_ordered(sql: str) -> bool:
    """Whether the query has an ORDER BY of its own, not only one inside parentheses."""
    depth = 0
    for token, after in pairwise(tokenize(sql)):
        depth += (token.key == "(") - (token.key == ")")
        if depth == 0 and token.key in {"ORDER", "SORT"} and after.key == "BY":
            return True
    return False


def _query_cell(value: object, kind: DataType, zone: str, _: str) -> str:
    return value_text(value, kind, zone)


def _command_cell(value: object, kind: DataType, zone: str, name: str) -> str:
    return _text_of(masked(value, kind, name), kind, zone)


def _text_of(value: object, kind: DataType, zone: str) -> str:
    """As `value_text`, for a value that may contain placeholders."""
    if isinstance(value, str):
        return value
    if isinstance(kind, StructType) and isinstance(value, list):
        parts = (_text_of(item, part.type, zone) for item, part in zip(value, kind, strict=True))
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, dict):
        inner = getattr(kind, "value", STRING)
        return "{" + ", ".join(f"{key} -> {_text_of(value[key], inner, zone)}" for key in sorted(value)) + "}"
    return value_text(value, kind, zone)


Rows: TypeAlias = "Iterable[Mapping[str, Any]] | Iterable[Sequence[Any]] | Any"


def create_table(session: Session, name: str, rows: Rows = (), schema: str = "") -> str:
    """Creates a table with these rows; returns its name.

    `rows` are mappings by column name, sequences in the order of `schema`, or data of pyarrow, pandas or polars as for
    `session.write`. `schema` are the columns as in CREATE TABLE; without it they are inferred: ints are BIGINT, floats
    DOUBLE, datetimes TIMESTAMP. Raises ValueError where that is impossible, and DeltaSqlErrors.
    """
    if not hasattr(rows, "__arrow_c_stream__"):
        rows = list(rows)
        if schema:
            return _of_python(session, name, rows, schema)
        rows = _inferred(rows)
    if not schema:
        session.write(rows).saveAsTable(name)
        return name
    session.sql(f"CREATE TABLE {name} ({schema})")
    session.writeTo(rows, name).append()
    return name


def _of_python(session: Session, name: str, rows: list[Any], schema: str) -> str:
    """Creates a table by INSERT of literals, which are cast to the types of the columns."""
    session.sql(f"CREATE TABLE {name} ({schema})")
    if rows:
        columns = session.log(name).snapshot().schema
        named = any(isinstance(row, Mapping) for row in rows)
        kinds = [item.type for item in columns]
        into, lines = _by_name(rows, columns) if named else ("", [_row(row, kinds) for row in rows])
        session.sql(f"INSERT INTO {name}{into} VALUES {', '.join(lines)}")
    return name


def _by_name(rows: list[Any], columns: StructType) -> tuple[str, list[str]]:
    """The column list of an INSERT of mappings, and its rows in SQL."""
    names = list(dict.fromkeys(name for row in _mappings(rows) for name in row))
    kinds = [_type(columns, name) for name in names]
    into = f" ({', '.join(f'`{name}`' for name in names)})"
    return into, [_row([row.get(name) for name in names], kinds) for row in rows]


def _inferred(rows: list[Any]) -> pa.Table:
    names = dict.fromkeys(name for row in _mappings(rows) for name in row)
    return pa.table({name: [_aware(row.get(name)) for row in rows] for name in names})


def _mappings(rows: list[Any]) -> list[Mapping[str, Any]]:
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise ValueError('Without a schema, rows must be mappings: {"id": 1}, … Or pass schema="id INT, …".')
    return rows


def _aware(value: Any) -> Any:
    """A datetime with a zone, so that it is a TIMESTAMP as in PySpark; other values unchanged."""
    return value.astimezone() if isinstance(value, datetime) else value


def _type(columns: StructType, name: str) -> DataType:
    """The type of a column; STRING for a missing one, which INSERT refuses anyway."""
    field = columns.find(name)
    return STRING if field is None else field.type


def _row(values: Sequence[Any], kinds: Sequence[DataType]) -> str:
    return f"({', '.join(_literal(value, kind) for value, kind in zip(values, kinds, strict=True))})"


def _literal(value: Any, kind: DataType) -> str:
    """The SQL literal of a value of a column. Raises TypeError for a value without one."""
    if value is None:
        return "NULL"
    match kind:
        case StructType():
            return f"named_struct({', '.join(_parts(value, kind))})"
        case ArrayType(element=element):
            return f"array({', '.join(_literal(item, element) for item in value)})"
        case MapType(key=key, value=item):
            pairs = value.items() if isinstance(value, Mapping) else value
            return f"map({', '.join(f'{_literal(left, key)}, {_literal(right, item)}' for left, right in pairs)})"
        case _:
            return _scalar(value, kind)


def _scalar(value: Any, kind: DataType) -> str:
    """The SQL literal of a scalar. A datetime gets its column's type: without a zone it is in the session's zone."""
    if isinstance(value, str):
        # This literal is read without Spark, whatever its value.
        return quote_text(value)
    if kind == TIMESTAMP and isinstance(value, datetime) and value.tzinfo is None:
        return sql_literal(value).replace("_NTZ", "", 1)
    if kind == TIMESTAMP_NTZ and isinstance(value, datetime):
        return sql_literal(value.replace(tzinfo=None))
    return sql_literal(value)


def _parts(value: Any, kind: StructType) -> Iterator[str]:
    for index, item in enumerate(kind):
        part = value.get(item.name) if isinstance(value, Mapping) else value[index]
        yield f"{sql_literal(item.name)}, {_literal(part, item.type)}"
