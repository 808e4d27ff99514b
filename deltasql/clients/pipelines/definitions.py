"""The statements of a pipeline's files, each with its place, and with the namespace and settings that hold there.

A file begins in the catalog and schema of the pipeline, with its configuration. USE and SET count to the end of the
file. Source: Databricks, Pipeline SQL language reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from deltasql.base import Caret, DeltaSqlError, errors, tokenize
from deltasql.clients.command.files import read_script
from deltasql.clients.pipelines.specification import Specification, shown_path
from deltasql.plan import LogicalPlan, TableName
from deltasql.session import Placing
from deltasql.sql import (
    bind_identifiers,
    bind_parameters,
    cells_of,
    is_notebook,
    parameter_names,
    parse,
    split,
    unquote,
)
from deltasql.statements import (
    ApplyChanges,
    CreateFlow,
    CreateRefreshed,
    CreateView,
    SetSetting,
    SetTimeZone,
    UseCatalog,
    UseSchema,
    ViewScope,
)

_OF_PYTHON = ("pyspark.pipelines", "from pyspark import pipelines", "import dlt", "from dlt", "@dp.", "@dlt.")
_STATEMENTS = (CreateRefreshed, CreateFlow, ApplyChanges, CreateView)
DEFAULT_SCHEMA = "default"


@dataclass(frozen=True, slots=True)
class StatementPosition:
    """The statement that begins at an offset of a file's text."""

    path: Path
    script: str = field(repr=False)
    start: int

    @property
    def line(self) -> int:
        return self.script.count("\n", 0, self.start) + 1

    def text(self, error: DeltaSqlError | None = None) -> str:
        """`file:line` of an error in the statement; of a file of Jupyter also its cell."""
        below = 0 if error is None or error.caret is None else error.caret.line - 1
        if self.path.suffix != ".ipynb":
            return f"{shown_path(self.path)}:{self.line + below}"
        cell = next((item for item in reversed(cells_of(self.script)) if item.start <= self.start), None)
        if cell is None:
            return shown_path(self.path)
        line = self.script.count("\n", cell.start, self.start) + 1 + below
        return f"{shown_path(self.path)}, cell {cell.number}, line {line}"


class Problem(NamedTuple):
    """An error, and the place of the statement that it is about; "" without one."""

    place: str
    error: DeltaSqlError


@dataclass(frozen=True, slots=True)
class Definition:
    """A statement that defines a dataset or a flow.

    `sql` is its text with the values of the configuration. `namespace` is the catalog and schema of unqualified names.
    `settings` are the SET statements before it in its file.
    """

    node: LogicalPlan
    sql: str
    place: StatementPosition
    namespace: tuple[str, str]
    settings: tuple[str, ...] = ()

    def problem(self, error: DeltaSqlError) -> Problem:
        return Problem(self.place.text(error), error)

    def full_name(self, name: TableName) -> tuple[str, str, str]:
        """The name with catalog and schema, in lower case. Raises ParseSyntaxError for a path or too many parts."""
        parts = name.parts
        if name.path is not None or len(parts) > 3:
            reason = f"A dataset of a pipeline has a name of the catalog, and {name} is none."
            raise errors.ParseSyntaxError(reason, str(name)).at(Caret(self.sql, name.start, name.end))
        catalog, schema, last = (*self.namespace, "")[: 3 - len(parts)] + parts if len(parts) < 3 else parts
        return catalog.lower(), schema.lower(), last.lower()


@dataclass(slots=True)
class _File:
    """A file, with the namespace, the values and the settings that hold at a statement of it."""

    path: Path
    script: str
    namespace: tuple[str, str]
    values: dict[str, str]
    settings: list[str] = field(default_factory=list)


def definitions(pipeline: Specification, namespace: tuple[str, str], problems: list[Problem]) -> Iterator[Definition]:
    """The definitions of all files in order; `problems` gets what is wrong with statements and files.

    `namespace` is the catalog and schema of the pipeline.
    """
    for path in pipeline.files:
        try:
            script = _read(path)
        except DeltaSqlError as error:
            problems.append(Problem(shown_path(path), error))
            continue
        file = _File(path, script, namespace, dict(pipeline.configuration))
        for text, start in _statements(file, problems):
            place = StatementPosition(path, script, start)
            try:
                found = _definition(text, place, file)
            except DeltaSqlError as error:
                problems.append(Problem(place.text(error), error))
                continue
            if found is not None:
                yield found


def _read(path: Path) -> str:
    """The text of a file, of a helper of Python "". Raises PipelinePythonError, ScriptUnreadableError."""
    if path.suffix == ".py":
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise errors.ScriptUnreadableError(path=str(path), reason=str(error)) from None
        if not is_notebook(text):
            if any(word in text for word in _OF_PYTHON):
                raise errors.PipelinePythonError(path.name)
            return ""
    return read_script(str(path))


def _statements(file: _File, problems: list[Problem]) -> Iterator[tuple[str, int]]:
    """The statements of a script or of the cells of a notebook, each with its offset in the file."""
    if not is_notebook(file.script):
        yield from ((item.text, item.start) for item in split(file.script))
        return
    for cell in cells_of(file.script):
        if cell.language == "sql":
            yield from ((item.text, cell.in_file(item.start)) for item in split(cell.text))
        elif cell.language != "md":
            place = StatementPosition(file.path, file.script, cell.start)
            problems.append(Problem(place.text(), _refused_cell(cell.language)))


def _refused_cell(language: str) -> DeltaSqlError:
    if language == "python":
        return errors.PipelinePythonError("A cell of Python")
    advice = "A pipeline reads cells of SQL and of Markdown. Leave the cell out, or move it to another notebook."
    return errors.CellRefusedError(f"%{language}", advice)


def _definition(text: str, place: StatementPosition, file: _File) -> Definition | None:
    """The definition of a statement; None for USE and SET, whose effects go into `file`.

    Raises PipelineStatementError for other statements, UnboundVariableError, ParseSyntaxError.
    """
    args = {name: file.values[name] for name in parameter_names(text) if name in file.values} or None
    bound = bind_parameters(text, args, file.values.get)
    with Placing(bound, text)():
        bound = bind_identifiers(bound, _constant)
        node = parse(bound.sql)
    if _changes(node, bound.sql, file):
        return None
    is_global = isinstance(node, CreateView) and node.scope is ViewScope.GLOBAL
    if is_global or not isinstance(node, _STATEMENTS):
        raise _refused(bound.sql)
    return Definition(node, bound.sql, place, file.namespace, tuple(file.settings))


def _changes(node: LogicalPlan, sql: str, file: _File) -> bool:
    """Whether a statement is USE or SET, which change what holds in the rest of the file."""
    match node:
        case SetSetting(key=str(key), value=str(value)):
            file.values[key] = value
            file.settings.append(sql)
        case SetTimeZone():
            file.settings.append(sql)
        case UseCatalog(catalog=catalog):
            file.namespace = (catalog.lower(), DEFAULT_SCHEMA)
        case UseSchema(schema=schema):
            catalog, name = (file.namespace[0], *schema.parts)[-2:]
            file.namespace = (catalog.lower(), name.lower())
        case _:
            return False
    return True


def _refused(sql: str) -> DeltaSqlError:
    tokens = tokenize(sql)
    statement = " ".join(token.text.upper() for token in tokens[:2])
    return errors.PipelineStatementError(statement).at(Caret(sql, tokens[0].start, tokens[0].end))


def _constant(text: str) -> str:
    """The text that IDENTIFIER names: a string, or several joined by ||. Raises NameNotConstantError."""
    tokens = tokenize(text)
    strings, signs = tokens[::2], tokens[1::2]
    if not tokens or any(token.kind != "string" for token in strings) or any(token.text != "||" for token in signs):
        raise errors.NameNotConstantError(text)
    return "".join(unquote(token.text) for token in strings)


def values_of(settings: Mapping[str, str]) -> Iterator[str]:
    """The SET statements of a configuration, for keys that are settings of Spark or of deltasql."""
    for key, value in settings.items():
        if key.startswith(("spark.", "deltasql.")):
            yield f"SET {key} = {value}"
