"""The graph of a pipeline: datasets, the flows into them, what each reads, and the order in which they are filled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from deltasql.base import DeltaSqlError, did_you_mean, errors
from deltasql.catalog import Refreshed, sql_name
from deltasql.clients.pipelines.definitions import Definition, Problem
from deltasql.plan import SqlText, TableName
from deltasql.schema import quote_name as quote
from deltasql.sql import TableReference, table_references
from deltasql.statements import ApplyChanges, CreateFlow, CreateRefreshed, CreateView, FlowChanges, ViewScope

Key = tuple[str, ...]
"""The full name of a dataset in lower case; of a temporary view its name alone."""

TEMPORARY_VIEW, VIEW = "TEMPORARY VIEW", "VIEW"
STREAMING_TABLE, MATERIALIZED_VIEW = Refreshed.STREAMING_TABLE.value, Refreshed.MATERIALIZED_VIEW.value


@dataclass(slots=True)
class Dataset:
    """A table or a view of a pipeline. `reads` are datasets of the pipeline, `outside` names of others, both in the
    order of the text."""

    key: Key
    kind: str
    definition: Definition
    flows: list[Definition] = field(default_factory=list)
    reads: list[Key] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    @property
    def is_table(self) -> bool:
        """Whether it has rows."""
        return self.kind in {STREAMING_TABLE, MATERIALIZED_VIEW}

    @property
    def name(self) -> str:
        """The name in messages, without the catalog that a warehouse begins with."""
        return sql_name(self.key)

    @property
    def full_name(self) -> str:
        """The name with all its parts, as SQL."""
        return ".".join(map(quote, self.key))

    @property
    def statements(self) -> tuple[Definition, ...]:
        return (self.definition, *self.flows)


@dataclass(frozen=True, slots=True)
class Graph:
    """The datasets of a pipeline by key, each behind those that it reads."""

    datasets: Mapping[Key, Dataset]
    views: Mapping[str, Dataset] = field(default_factory=dict)
    """The temporary views among them, by name."""

    def __iter__(self) -> Iterator[Dataset]:
        return iter(self.datasets.values())

    @property
    def stored(self) -> list[Dataset]:
        """Those that a catalog has: all without the temporary views."""
        return [item for item in self if item.kind != TEMPORARY_VIEW]

    def short(self, key: Key) -> str:
        """The last part of a name where no other dataset has it, else the full name."""
        same = [other for other in self.datasets if other[-1] == key[-1]]
        return sql_name(key[-1:]) if len(same) == 1 else sql_name(key)

    def found(self, name: str) -> Dataset:
        """The stored dataset of a name with one to three parts. Raises UnknownDatasetError."""
        wanted = tuple(part.strip("`") for part in name.lower().split("."))
        same = [item for item in self.stored if item.key[-len(wanted) :] == wanted]
        if len(same) == 1:
            return same[0]
        names = [self.short(item.key) for item in self.stored]
        listed = f"It has {', '.join(names)}."
        advice = did_you_mean(name, names).strip() or listed
        if same:
            advice = f"Write one of {', '.join(item.name for item in same)}."
        raise errors.UnknownDatasetError(name, advice)

    def feeding(self, dataset: Dataset) -> list[Dataset]:
        """The stored datasets whose rows a dataset reads, also through temporary views."""
        found: dict[Key, Dataset] = {}
        for key in dataset.reads:
            item = self.datasets[key]
            if item.kind == TEMPORARY_VIEW:
                found |= {inner.key: inner for inner in self.feeding(item)}
            else:
                found[key] = item
        return list(found.values())


def queries(definition: Definition) -> Iterator[SqlText]:
    """The texts of a definition that read tables. The source of AUTO CDC is one without SELECT."""
    match definition.node:
        case CreateRefreshed(query=SqlText() as query) | CreateView(query=query) | CreateFlow(rows=SqlText() as query):
            yield as_written(definition, query)
        case (
            CreateRefreshed(changes=FlowChanges(source=source))
            | CreateFlow(rows=FlowChanges(source=source))
            | ApplyChanges(changes=FlowChanges(source=source))
        ):
            yield as_written(definition, source)
        case _:
            pass


def as_written(definition: Definition, text: SqlText) -> SqlText:
    """The text in the statement, in which names of the schema LIVE still stand. A query goes on to the end."""
    sql, end = definition.sql, text.start + len(text.text)
    node = definition.node
    is_source = isinstance(node, ApplyChanges) or (
        isinstance(node, (CreateRefreshed, CreateFlow)) and not isinstance(_query(node), SqlText)
    )
    return SqlText(sql[text.start : end if is_source else len(sql)], text.start)


def _query(node: CreateRefreshed | CreateFlow) -> object:
    return node.query if isinstance(node, CreateRefreshed) else node.rows


def references(text: SqlText) -> Iterator[tuple[TableReference, Key, int]]:
    """The tables that a text of `queries` names, each with its parts without LIVE, and its offset in the statement."""
    lead = "SELECT * FROM " if is_source(text.text) else ""
    for item in table_references(lead + text.text):
        if item.arguments is None and item.statement is None:
            parts = item.parts[1:] if len(item.parts) == 2 and item.parts[0].lower() == "live" else item.parts
            yield item, parts, text.start + item.start - len(lead)


def is_source(text: str) -> bool:
    """Whether a text is a relation, not a query."""
    word = text.lstrip("( \t\r\n").split(maxsplit=1)[0].upper() if text.strip("( \t\r\n") else ""
    return word not in {"SELECT", "WITH", "FROM", "VALUES", "TABLE"} and not word.startswith(("--", "/*"))


def graph(found: Iterable[Definition], problems: list[Problem]) -> Graph:
    """The datasets of definitions in order. `problems` gets doubled names, flows without a table, and cycles."""
    datasets, flows = _declared(found, problems)
    _attach(datasets, flows, problems)
    views = {key[0]: item for key, item in datasets.items() if item.kind == TEMPORARY_VIEW}
    for dataset in datasets.values():
        _read(dataset, datasets, problems)
    ordered = _ordered(datasets, problems)
    return Graph({item.key: item for item in ordered}, views)


def _declared(
    found: Iterable[Definition], problems: list[Problem]
) -> tuple[dict[Key, Dataset], list[tuple[Definition, TableName]]]:
    """The datasets by key, and the flows with the tables that they fill."""
    datasets: dict[Key, Dataset] = {}
    flows: list[tuple[Definition, TableName]] = []
    for definition in found:
        try:
            match definition.node:
                case CreateRefreshed(kind=kind, create=create):
                    _add(datasets, definition.full_name(create.table), kind.value, definition)
                case CreateView(scope=ViewScope.TEMPORARY, view=view):
                    _add(datasets, (view.parts[-1].lower(),), TEMPORARY_VIEW, definition)
                case CreateView(view=view):
                    _add(datasets, definition.full_name(view), VIEW, definition)
                case CreateFlow(table=table) | ApplyChanges(table=table):
                    flows.append((definition, table))
                case _:
                    raise AssertionError(definition.node)
        except DeltaSqlError as error:
            problems.append(definition.problem(error))
    return datasets, flows


def _add(datasets: dict[Key, Dataset], key: Key, kind: str, definition: Definition) -> None:
    """Raises DoubledDatasetError."""
    if key in datasets:
        raise errors.DoubledDatasetError("dataset", sql_name(key), datasets[key].definition.place.text())
    datasets[key] = Dataset(key, kind, definition)


def _attach(
    datasets: Mapping[Key, Dataset], flows: Sequence[tuple[Definition, TableName]], problems: list[Problem]
) -> None:
    """Gives each flow to its table. Notes flows of unknown tables and doubled names, and tables without a flow."""
    named: dict[str, Definition] = {}
    for definition, table in flows:
        try:
            dataset = _target(datasets, definition, table)
            if isinstance(definition.node, CreateFlow):
                name = definition.node.name.lower()
                if name in named:
                    raise errors.DoubledDatasetError("flow", definition.node.name, named[name].place.text())
                named[name] = definition
            dataset.flows.append(definition)
        except DeltaSqlError as error:
            problems.append(definition.problem(error))
    for dataset in datasets.values():
        node = dataset.definition.node
        if isinstance(node, CreateRefreshed) and node.query is None and node.changes is None and not dataset.flows:
            problems.append(dataset.definition.problem(errors.DatasetWithoutFlowError(dataset.name)))


def _target(datasets: Mapping[Key, Dataset], definition: Definition, table: TableName) -> Dataset:
    """The streaming table of a flow. Raises FlowTargetError."""
    dataset = datasets.get(definition.full_name(table))
    if dataset is None:
        names = [sql_name(key[-1:]) for key, item in datasets.items() if item.kind == STREAMING_TABLE]
        close = did_you_mean(str(table), names).strip()
        advice = close or f"Add CREATE OR REFRESH STREAMING TABLE {table} to its files."
        raise errors.FlowTargetError(str(table), "the pipeline does not define it", advice)
    if dataset.kind != STREAMING_TABLE:
        reason = f"it is a {dataset.kind.lower()}"
        raise errors.FlowTargetError(str(table), reason, "Flows fill streaming tables.")
    others = [item for item in dataset.statements if _is_auto_cdc(item)]
    if others and _is_auto_cdc(definition):
        reason = f"AUTO CDC in {others[0].place.text()} fills it already"
        advice = "Read both sources by one temporary view, joined by UNION ALL."
        raise errors.FlowTargetError(str(table), reason, advice)
    return dataset


def _is_auto_cdc(definition: Definition) -> bool:
    """Whether the rows of a statement are those of AUTO CDC."""
    return isinstance(definition.node, ApplyChanges | CreateFlow | CreateRefreshed) and any(
        is_source(text.text) for text in queries(definition)
    )


def _read(dataset: Dataset, datasets: Mapping[Key, Dataset], problems: list[Problem]) -> None:
    """Notes what a dataset reads."""
    for definition in dataset.statements:
        for text in queries(definition):
            for _, parts, _ in references(text):
                try:
                    key = key_of(definition, parts, datasets)
                except DeltaSqlError:
                    # A path: no dataset has such a name.
                    key = None
                if key is None:
                    name = sql_name(parts)
                    dataset.outside += [] if name in dataset.outside else [name]
                elif key not in dataset.reads:
                    dataset.reads.append(key)


def key_of(definition: Definition, parts: Key, datasets: Mapping[Key, Dataset]) -> Key | None:
    """The dataset that a name means: a temporary view comes first. None for a name that is none of the pipeline's."""
    short = (parts[0].lower(),)
    if len(parts) == 1 and short in datasets:
        return short
    key = definition.full_name(TableName(tuple(parts)))
    return key if key in datasets else None


def _ordered(datasets: Mapping[Key, Dataset], problems: list[Problem]) -> list[Dataset]:
    """The datasets, each behind those that it reads; without those of cycles, which are noted as problems."""
    ordered: dict[Key, Dataset] = {}
    waiting = dict(datasets)
    while waiting:
        ready = [key for key, item in waiting.items() if all(read in ordered for read in item.reads)]
        if not ready:
            break
        for key in ready:
            ordered[key] = waiting.pop(key)
    while waiting:
        cycle = _cycle(waiting)
        if not cycle:
            break
        first = min(cycle, key=list(datasets).index)
        at = cycle.index(first)
        steps = [*cycle[at:], *cycle[:at]]
        places = [f"{sql_name(key)} ({datasets[key].definition.place.text()})" for key in steps]
        problems.append(datasets[first].definition.problem(errors.PipelineCycleError(" → ".join([*places, places[0]]))))
        for key in steps:
            del waiting[key]
    return list(ordered.values())


def _cycle(waiting: Mapping[Key, Dataset]) -> list[Key]:
    """Datasets of which each reads the next one, and the last one the first; [] where there are none."""
    for start in waiting:
        path, key = [], start
        while key not in path:
            path.append(key)
            following = next((read for read in waiting[key].reads if read in waiting), None)
            if following is None:
                break
            key = following
        else:
            return path[path.index(key) :]
    return []


def text_of(found: Graph) -> str:
    """The graph as text: a line for each dataset, with its kind and what it reads."""
    rows = [
        (found.short(item.key), item.kind.lower(), ", ".join([*map(found.short, item.reads), *item.outside]))
        for item in found
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines = (f"{name:{widths[0]}}  {kind:{widths[1]}}  {'← ' if reads else ''}{reads}" for name, kind, reads in rows)
    return "\n".join(line.rstrip() for line in lines)
