"""The statements that fill a dataset: those of the files, with the queries of temporary views in place of their names.

The definition of a table is stored in the catalog, which has no temporary views. So each statement carries the queries
of those that it reads. Offsets in it lead back to the statement in the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from deltasql.base import Caret, DeltaSqlError, tokenize
from deltasql.clients.pipelines.definitions import Definition, Problem
from deltasql.clients.pipelines.graph import (
    TEMPORARY_VIEW,
    Dataset,
    Graph,
    is_source,
    key_of,
    queries,
    references,
)
from deltasql.plan import SqlText, TableName
from deltasql.schema import quote_name as quote
from deltasql.sql import Replacement, Spliced, splice
from deltasql.statements import CreateRefreshed, CreateView, expected_rows, stream_words


@dataclass(frozen=True, slots=True)
class FillStep:
    """A statement to run for a dataset, made of one in a file."""

    definition: Definition
    spliced: Spliced

    @property
    def sql(self) -> str:
        return self.spliced.sql

    def problem(self, error: DeltaSqlError) -> Problem:
        """The problem of an error, with its place in the statement of the file."""
        caret = error.caret
        if caret is not None and caret.sql == self.sql:
            start = self.spliced.to_original(caret.start)
            end = max(start + 1, self.spliced.to_original(max(caret.start, caret.end - 1)) + 1)
            error.caret = Caret(self.definition.sql, start, min(end, len(self.definition.sql)))
        return self.definition.problem(error)


def steps(dataset: Dataset, graph: Graph) -> tuple[FillStep, ...]:
    """The statements that create or change a dataset, and its flows."""
    return tuple(FillStep(item, _spliced(item, dataset, graph)) for item in dataset.statements)


def fingerprint(dataset: Dataset, graph: Graph) -> str:
    """A text that differs for definitions with another meaning."""
    return hashlib.sha256("".join(map(fingerprint_of, steps(dataset, graph))).encode()).hexdigest()[:16]


def fingerprint_of(step: FillStep) -> str:
    """The fingerprint of one statement, whatever its blanks and comments."""
    words = [token.text for token in tokenize(step.sql)]
    meant = json.dumps((words, step.definition.namespace, step.definition.settings))
    return hashlib.sha256(meant.encode()).hexdigest()[:16]


def _spliced(definition: Definition, dataset: Dataset, graph: Graph) -> Spliced:
    edits = [*_head(definition, dataset)]
    for text in queries(definition):
        edits += _views(definition, text, definition, graph)
    return splice(definition.sql, edits)


def _head(definition: Definition, dataset: Dataset) -> Iterator[Replacement]:
    """CREATE as the words that also change what is there."""
    match definition.node:
        case CreateRefreshed(create=create):
            start = tokenize(definition.sql)[0].start
            yield start, create.table.start, f"CREATE OR REFRESH {dataset.kind} "
        case CreateView(view=view):
            yield tokenize(definition.sql)[0].start, view.start, "CREATE OR REPLACE VIEW "
        case _:
            pass


def _views(
    definition: Definition, text: SqlText, reader: Definition, graph: Graph, *, streams: bool = True
) -> Iterator[Replacement]:
    """Queries in place of the temporary views that a text names. Full names of tables where `reader`, the statement
    that gets the text, would find others. Without `streams` the words STREAM in the queries of views are left out."""
    source = is_source(text.text)
    for reference, parts, start in references(text):
        end = start + reference.end - reference.start
        key = key_of(definition, parts, graph.datasets)
        view = None if key is None else graph.datasets[key]
        alias = "" if reference.alias is not None else f" AS {quote(parts[-1])}"
        if view is None or view.kind != TEMPORARY_VIEW:
            if definition.namespace != reader.namespace and len(parts) < 3:
                full = ".".join(map(quote, definition.full_name(TableName(tuple(parts)))))
                yield start, end, f"{full}{alias}"
            continue
        query = _query(view, reader, graph, streams=streams and not source)
        if source:
            is_inside = definition.sql[:start].rstrip().endswith("(")
            yield start, end, query if is_inside else f"({query})"
            continue
        yield from _blanks(_stream_word(definition.sql, start))
        yield start, end, f"({query}){alias}"


def _blanks(word: tuple[int, int] | None) -> Iterator[Replacement]:
    if word is not None:
        yield word[0], word[1], " " * (word[1] - word[0])


def expected_views(dataset: Dataset, graph: Graph) -> Iterator[tuple[CreateView, str]]:
    """The temporary views with expectations whose rows a dataset reads, each with the query of all of its rows."""
    waiting, seen = [*dataset.reads], set[tuple[str, ...]]()
    while waiting:
        view = graph.datasets[waiting.pop()]
        if view.kind != TEMPORARY_VIEW or view.key in seen:
            continue
        seen.add(view.key)
        waiting += view.reads
        node = view.definition.node
        if isinstance(node, CreateView) and node.expectations:
            yield node, _query(view, dataset.definition, graph, streams=False, expects=False)


def _query(view: Dataset, reader: Definition, graph: Graph, *, streams: bool, expects: bool = True) -> str:
    """The query of a temporary view, with those of others that it reads.

    It gives the rows that the expectations of the view let pass, or with `expects` false all rows.
    """
    definition, node = view.definition, view.definition.node
    assert isinstance(node, CreateView)
    text = next(queries(definition))
    edits = [*_views(definition, text, reader, graph, streams=streams)]
    if not streams:
        edits += _without_streams(text, {start for start, _, _ in edits})
    moved = [(start - text.start, end - text.start, new) for start, end, new in edits]
    query = f"{splice(text.text, moved).sql}\n"
    if expects and node.expectations:
        return f"{expected_rows(query, node)}\n"
    if node.columns:
        names = ", ".join(quote(column.name) for column in node.columns)
        query = f"SELECT * FROM ({query}) AS {quote(view.key[0])} ({names})"
    return query


def _without_streams(text: SqlText, taken: set[int]) -> Iterator[Replacement]:
    """Blanks in place of the words STREAM of a text and of their options, but for those that are `taken`."""
    for start, end in stream_words(text.text):
        if text.start + start not in taken:
            yield text.start + start, text.start + end, " " * (end - start)


def _stream_word(sql: str, start: int) -> tuple[int, int] | None:
    """The word STREAM in front of the name that begins at an offset, also with a bracket between."""
    before = [token for token in tokenize(sql[:start]) if token.end <= start][-2:]
    if before and before[-1].key == "(":
        before.pop()
    if not before or before[-1].key != "STREAM":
        return None
    return before[-1].start, before[-1].end
