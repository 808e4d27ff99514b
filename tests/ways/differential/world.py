"""Tables and views of a script, and its statements, each with what it comes to for a judge that has no DML."""

from __future__ import annotations

from dataclasses import dataclass, field

from .kinds import Kind, quoted

SCHEMAS = ("sx0", "sx1")
NUMBERED = "numbered"
"""The identity column of tables that have one."""


@dataclass(frozen=True)
class Table:
    """`columns` are pairs of name and type, `defaults` pairs of name and SQL.

    `numbered`: there is one more column, of numbers that ours makes, which no statement names. Without `mapped` names
    are as Parquet takes them.
    """

    schema: str
    name: str
    columns: tuple[tuple[str, Kind], ...]
    partition: str | None = None
    defaults: tuple[tuple[str, str], ...] = ()
    numbered: bool = False
    mapped: bool = True

    @property
    def declared(self) -> str:
        """The columns as CREATE TABLE has them, without the numbered one."""
        given = {name: f" DEFAULT {text}" for name, text in self.defaults}
        return ", ".join(f"{quoted(name)} {kind.sql}{given.get(name, '')}" for name, kind in self.columns)

    @property
    def listed(self) -> str:
        return ", ".join(quoted(name) for name, _ in self.columns)

    @property
    def scope(self) -> list[tuple[str, Kind]]:
        return [(quoted(name), of) for name, of in self.columns]

    def under(self, alias: str) -> list[tuple[str, Kind]]:
        return [(f"{alias}.{name}", of) for name, of in self.scope]

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True)
class Rows:
    """The judge's form of a change: the table gets new columns, and holds what these queries of the old one give."""

    table: Table
    queries: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One statement. `judged` is its form for a judge without DML, None: the same. `only_ours`: it has none.

    With `arrow` rows are fetched as Arrow, which asks no engine where this process has them; else as a DataFrame.
    `table`, `view` and `schema` are what there is when the statement has succeeded: a table that it made or changed, a
    view with its columns, the current schema.
    """

    sql: str
    judged: str | Rows | None = None
    is_query: bool = False
    only_ours: bool = False
    arrow: bool = False
    table: Table | None = None
    view: tuple[str, tuple[tuple[str, Kind], ...]] | None = None
    schema: str | None = None


@dataclass
class World:
    """What the statements so far have made."""

    schema: str = SCHEMAS[0]
    tables: dict[str, Table] = field(default_factory=dict)
    views: dict[str, tuple[tuple[str, Kind], ...]] = field(default_factory=dict)
    policy: str = "ANSI"
    case_sensitive: bool = False
    number: int = 0

    def take(self, step: Step) -> None:
        """Remembers what a statement has done, now that it has succeeded."""
        if step.table is not None:
            self._forget_views_of(step.table)
            self.tables[step.table.full_name] = step.table
        if step.view is not None:
            self.views[step.view[0]] = step.view[1]
        if step.schema is not None:
            self.schema = step.schema
        key, _, value = step.sql.removeprefix("SET ").partition(" = ")
        if key == "spark.sql.storeAssignmentPolicy":
            self.policy = value
        if key == "spark.sql.caseSensitive":
            self.case_sensitive = value == "true"

    def _forget_views_of(self, table: Table) -> None:
        """A view whose columns have changed below it may be refused; how, is not compared."""
        before = self.tables.get(table.full_name)
        if before is not None and before.columns != table.columns[: len(before.columns)]:
            self.views.clear()
