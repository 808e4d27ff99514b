"""INSERT: its aliases, and the query that REPLACE ON gives a name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import ColumnPath, SqlText
from deltasql.sql.parser.automaton import GrammarToken, Tree, insert_starts
from deltasql.sql.parser.build import builds, read
from deltasql.sql.tokens import balanced_end, skip_blanks, tokenize
from deltasql.statements.nodes.insert import Insert, MultiInsert, ReplaceOn

_SELECT = re.compile(r"(?:SELECT|MAP|REDUCE)\b", re.IGNORECASE)
_AS = re.compile(r"AS(?=[\s`/-])", re.IGNORECASE)


@builds("insert")
def _insert(children: list[Any], tree: Tree, text: str) -> Insert:
    ctes, evolution, overwrite, table, _, partition, columns, by_name, _, *clauses, query = children
    alias = next((_alias(item, text) for item in tree.children if _is_alias(item)), None)
    replaces = clauses[0] if clauses else None
    if isinstance(replaces, ReplaceOn):
        query, name = _named_query(query)
        replaces = replace(replaces, source_alias=name)
    return Insert(ctes, evolution, overwrite, table, alias, partition, columns, by_name, replaces, query)


@builds("multi_insert")
def _multi_insert(children: list[Any], tree: Tree, text: str) -> Insert | MultiInsert:
    source, rest = children
    starts = insert_starts(text, rest.start)
    ends = [*starts[1:], rest.end]
    inserts = tuple(_part(text, start, end, source) for start, end in zip(starts, ends, strict=True))
    return inserts[0] if len(inserts) == 1 else MultiInsert(inserts)


def _part(text: str, start: int, end: int, source: SqlText) -> Insert:
    """The INSERT at [start, end), whose query lacks the FROM that stands before all of them."""
    try:
        # Blanks in place of what stands before it keep its places.
        insert = read(" " * start + text[start:end].rstrip(), "start")
    except DeltaSqlError as error:
        if error.caret is not None:
            error.caret = Caret(text, error.caret.start, error.caret.end)
        raise
    assert isinstance(insert, Insert)
    if not _SELECT.match(insert.query.text):
        word = insert.query.text.split(maxsplit=1)[0]
        reason = f"Behind FROM … INSERT stands SELECT, which says what of its rows is inserted, not {word}."
        raise ParseSyntaxError(reason, word).at(Caret(text, insert.query.start, insert.query.start + len(word)))
    return replace(insert, ctes=source)


def _is_alias(item: Any) -> bool:
    return isinstance(item, GrammarToken) and item.name == "INSERT_ALIAS"


def _alias(token: GrammarToken, text: str) -> ColumnPath:
    match = _AS.match(text, token.start, token.end)
    start = token.start if match is None else skip_blanks(text, match.end())
    return ColumnPath((tokenize(text[start : token.end])[0].name,), start, token.end)


def _named_query(query: SqlText) -> tuple[SqlText, str | None]:
    """The query of `(query) AS name` with its name; a query as it is, without one."""
    text = query.text
    if not text.startswith("("):
        return query, None
    end = balanced_end(text, 0, one_group=True)
    rest = tokenize(text[end:])
    words = rest[1:] if rest and rest[0].key == "AS" else rest
    if len(words) != 1 or not words[0].is_name:
        return query, None
    return SqlText(text[:end], query.start), words[0].name
