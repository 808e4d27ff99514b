"""Statements with their names written in three parts, for sessions that play golden files in another catalog."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.session_settings import FSYNC
from deltasql.catalog.entries import DEFAULT_CATALOG
from deltasql.files.result import Result
from deltasql.plan.base import SqlText, TableName
from deltasql.session.execution.run import Pending
from deltasql.session.session import Session
from deltasql.sql.parser import is_script, parse
from deltasql.sql.queries.relations import table_references
from deltasql.statements.function import CreateFunction, DescribeFunction, DropFunction
from deltasql.statements.inspect import ShowTables, ShowViews
from deltasql.statements.view import CreateView, ViewScope

CATALOG = "main"
_ELSEWHERE = frozenset(
    {
        *("delta", "parquet", "csv", "json", "orc", "text", "avro", "binaryfile", "iceberg"),
        *("session", "global_temp", "system"),
    }
)
"""First parts of names that stand in no schema."""
_OTHER_CATALOG = re.compile(r"(?i)^`?spark_catalog`?\s*\.\s*")
_LISTED = re.compile(r"(?i)\bSHOW\s+(?:TABLES|VIEWS)\b")
_COMMON_TABLE = re.compile(
    r"""(?ix) (?:\bWITH|\bRECURSIVE|,) \s+ (\w+) \s* (?:\([^()]*\))? \s* (?:MAX\s+RECURSION\s+LEVEL\s+\d+\s*)?
    (?:AS\s*)? \("""
)
_CARET = re.compile(r"\n== SQL \(line .*?(?=\n\n|\n-- (?:statement|log)|\Z)", re.DOTALL)
_QUALIFIED = re.compile(r"\b(?:main\.default|spark_catalog\.default|main|spark_catalog|default)\.")


class ThreePartNames(Session):
    """A session that runs each statement with names of three parts, in the schemas of CATALOG."""

    def sql(self, text: str, args: Mapping[str, Any] | Sequence[Any] | None = None) -> Result:
        return super().sql(text if args else qualified(text, self), args)

    def begin(self, text: str, args: Mapping[str, Any] | Sequence[Any] | None = None) -> Pending:
        return super().begin(text if args else qualified(text, self), args)


def three_part_session(warehouse: str) -> Session:
    """A session whose catalog CATALOG has the folders that `spark_catalog` has in other sessions."""
    session = ThreePartNames(warehouse)
    session.settings.set(FSYNC.name, "false")
    session.catalog.create_catalog(CATALOG, if_not_exists=True, location=warehouse)
    return session


def current_catalog_session(warehouse: str) -> Session:
    """A session in which CATALOG is current, and names are as written."""
    session = Session(warehouse)
    session.settings.set(FSYNC.name, "false")
    session.catalog.create_catalog(CATALOG, if_not_exists=True, location=warehouse)
    session.catalog.use_catalog(CATALOG)
    return session


def comparable(output: str) -> str:
    """The output of a golden file without the catalogs and default schemas of names, and without carets."""
    return _QUALIFIED.sub("", _CARET.sub("", output).replace("`", ""))


def qualified(sql: str, session: Session) -> str:
    """`sql` with three parts in place of one or two, where the names of tables, views and schemas stand."""
    if is_script(sql):
        return sql
    try:
        node = parse(sql)
    except DeltaSqlError:
        return sql
    if isinstance(node, (ShowTables, ShowViews)) and node.schema is None:
        return _LISTED.sub(rf"\g<0> IN {CATALOG}.{session.catalog.current_schema}", sql, count=1)
    named = {match[1].lower() for match in _COMMON_TABLE.finditer(sql)}
    for place, prefix in sorted(set(_prefixes(node, session)), reverse=True):
        word = re.match(r"\w+", sql[place:])
        if word is not None and word[0].lower() in named:
            continue
        rest = _OTHER_CATALOG.sub("", sql[place:], count=1)
        sql = f"{sql[:place]}{prefix}{rest}"
    return sql


def _prefixes(node: object, session: Session, field: str = "") -> Iterator[tuple[int, str]]:
    """Texts to be inserted, by their offsets."""
    match node:
        case CreateFunction() | DropFunction() | DescribeFunction():
            return
        case CreateView(scope=scope, query=query) if scope is not ViewScope.PERMANENT:
            yield from _prefixes(query, session)
        case TableName(parts, start, end) if start < end:
            yield from ((start, prefix) for prefix in _prefix(parts, session, of_schema=field == "schema"))
        case SqlText(text, start):
            yield from _in_query(text, start, session)
        case tuple():
            for item in node:
                yield from _prefixes(item, session, field)
        case _ if is_dataclass(node) and not isinstance(node, type):
            for item in fields(node):
                if item.name != "catalog":
                    yield from _prefixes(getattr(node, item.name), session, item.name)


def _in_query(text: str, start: int, session: Session) -> Iterator[tuple[int, str]]:
    for reference in table_references(text):
        if reference.arguments is None:
            yield from ((start + reference.start, prefix) for prefix in _prefix(reference.parts, session))
            continue
        if not reference.arguments:
            continue
        name = reference.arguments[0]
        if reference.parts[-1].lower() == "table_changes" and name.text[:1] in {"'", '"'}:
            parts = tuple(name.text[1:-1].split("."))
            yield from ((start + name.start + 1, prefix) for prefix in _prefix(parts, session))


def _prefix(parts: tuple[str, ...], session: Session, *, of_schema: bool = False) -> Iterator[str]:
    """The prefix that makes a name one of three parts, if it needs one."""
    first, most = parts[0].lower(), 2 if of_schema else 3
    if len(parts) == 1 and first in session.views:
        return
    if (len(parts) == most - 1 and first not in _ELSEWHERE) or (len(parts) == most and first == DEFAULT_CATALOG):
        yield f"{CATALOG}."
    elif len(parts) == 1 and not of_schema:
        yield f"{CATALOG}.{session.catalog.current_schema}."
