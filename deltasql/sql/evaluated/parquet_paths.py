"""``parquet.`/a/path` `` in the text of a query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from deltasql.plan.base import quote
from deltasql.schema.checks import HIDDEN_PREFIX
from deltasql.sql.tokens import Token, tokenize

_SUSPECT = re.compile(r"\bparquet\s*\.\s*`", re.IGNORECASE)


def parquet_paths(sql: str) -> list[tuple[Token, Token]]:
    """The first and the last token of each ``parquet.`path` `` in a text."""
    return list(_path_tokens(tokenize(sql))) if _SUSPECT.search(sql) else []


def _path_tokens(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    for index in range(len(tokens) - 2):
        first, dot, last = tokens[index : index + 3]
        is_whole = index == 0 or tokens[index - 1].key != "."
        if is_whole and first.key == "PARQUET" and dot.key == "." and last.kind == "quoted" and "/" in last.name:
            yield first, last


@dataclass(frozen=True, slots=True)
class PathQuery:
    """A query with `relation`, a name of ours, in place of the ``parquet.`path` `` that it is over."""

    sql: str
    relation: str
    path: str


def without_parquet_path(sql: str) -> PathQuery | None:
    """The query with a view in place of its one path; None for a query with none or several."""
    paths = parquet_paths(sql)
    if len(paths) != 1:
        return None
    ((first, last),) = paths
    view = view_of(last.name)
    return PathQuery(sql[: first.start] + quote(view) + sql[last.end :], view, last.name)


def view_of(path: str) -> str:
    """The name of the view of the files that a path stands for."""
    return f"{HIDDEN_PREFIX}parquet_{sha256(path.encode()).hexdigest()[:16]}"
