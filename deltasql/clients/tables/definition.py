"""Builders of CREATE TABLE and MERGE with the API of Delta's Python package, and their arguments as parts of SQL.

- `DeltaTable.create(spark).tableName("t").addColumn("id", "INT").execute()`
- `table.merge(source, condition).whenMatchedUpdateAll().execute()`
- PySpark's `df.mergeInto(table, condition)`, by the clauses of `DeltaMergeBuilder`

Statements run in a session of deltasql, or in a Spark session that deltasql is installed in. Wrong arguments give the
errors that delta-spark has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from deltasql.base import errors
from deltasql.files import Result
from deltasql.plan import MemoryRows, TableName
from deltasql.schema import HIDDEN_PREFIX, field_from_json, quote_name, quote_text, sql_text, type_from_json
from deltasql.session import (
    Owner,
    Session,
    at,
    column_sql,
    frame_alias,
    frame_of,
    is_column,
    name_parts,
    one_expression,
    origins,
    rows_to_write,
)
from deltasql.sql import keywords, parse_type

_EXPRESSION = "a Spark SQL Column or a string with an expression in SQL"
_EXPRESSIONS = "Spark SQL Columns or strings with expressions in SQL"


def exact_name(parts: Iterable[str]) -> str:
    """A name in SQL, its parts in back-ticks where they are keywords or no plain words."""
    reserved = keywords()
    return ".".join(f"`{part}`" if part.upper() in reserved else quote_name(part) for part in parts)


def expression(value: Any, argument: str, owner: Owner | None = None) -> str:
    """SQL of a Column or of a text. Raises ArgumentTypeError, ParseSyntaxError, UnsupportedColumnError."""
    if is_column(value):
        return column_sql(value, owner)
    if not isinstance(value, str):
        raise errors.ArgumentTypeError(argument, _EXPRESSION, type(value).__name__)
    return one_expression(value)


def assignments(values: Any, argument: str, owner: Owner | None = None) -> list[tuple[str, str]]:
    """The columns and values of a dict, as SQL. Raises what `expression` raises, and ArgumentValueError for none."""
    if values is None:
        raise errors.ArgumentValueError(argument, "None", "it maps columns to their new values")
    if not isinstance(values, Mapping):
        raise errors.ArgumentTypeError(argument, "a dict of columns and their values", type(values).__name__)
    if not values:
        raise errors.ArgumentValueError(argument, "empty", "it maps columns to their new values")
    found = []
    for name, value in values.items():
        if not isinstance(name, str):
            raise errors.ArgumentEntryTypeError(f"Keys of dict in {argument}", "names of columns", type(name).__name__)
        if not is_column(value) and not isinstance(value, str):
            raise errors.ArgumentEntryTypeError(f"Values of dict in {argument}", _EXPRESSIONS, type(value).__name__)
        found.append((exact_name(name_parts(name)), expression(value, argument, owner)))
    return found


def given(value: Any, kind: type, argument: str) -> Any:
    """An argument that must be of a type; a bool is no int. Raises ArgumentTypeError."""
    if not _is(value, kind):
        raise errors.ArgumentTypeError(argument, _CALLED.get(kind, kind.__name__), type(value).__name__)
    return value


def checked(value: Any, kind: type, argument: str) -> Any:
    """As `given`, for arguments for which Delta's package raises a ValueError. Raises ArgumentKindError."""
    if not _is(value, kind):
        raise errors.ArgumentKindError(argument, _CALLED.get(kind, kind.__name__), str(type(value)))
    return value


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


_CALLED = {str: "a string", int: "an int", bool: "a boolean", dict: "a dict"}


def column_names(columns: Sequence[Any], argument: str) -> str:
    """Names of columns as SQL, from names or from one list of names. Raises ArgumentTypeError, ArgumentValueError."""
    names = columns[0] if len(columns) == 1 and isinstance(columns[0], (list, tuple)) else columns
    if not names:
        raise errors.ArgumentValueError(argument, "empty", "name at least one column")
    return ", ".join(exact_name(name_parts(given(name, str, argument))) for name in names)


def property_list(properties: Mapping[Any, Any]) -> str:
    """Table properties as SQL. Raises ArgumentTypeError for a key or value that is no text."""
    pairs = [
        (given(key, str, "The key of a property"), given(value, str, f"The property {key}"))
        for key, value in properties.items()
    ]
    return ", ".join(f"{quote_text(key)} = {quote_text(value)}" for key, value in pairs)


HOME = "_deltasql_home"
"""The attribute of an installed Spark session."""
INSTALLED: list[InstalledSpark] = []
"""The installations of this process, the latest last."""
MEMORY_ALIAS = "source"
"""The alias of a source of rows in memory."""

_NO_ROWS = "SELECT * FROM (SELECT 1 AS none) WHERE FALSE"


class InstalledSpark(Protocol):
    """An installation of deltasql in a Spark session; `plain` is the unmodified session."""

    spark: Any
    plain: Any
    session: Session

    def at_work(self) -> AbstractContextManager[None]:
        """Context for calls of deltasql."""

    def handed(self, outcome: Any) -> Any:
        """A return value of deltasql as PySpark's."""

    def taken(self, frame: Any) -> Any:
        """A DataFrame of the user's session as one of the engine's."""


class StatementRunner:
    """Runs statements, and converts rows for the caller: DataFrames of an installed session, else Results."""

    def __init__(self, session: Session, home: InstalledSpark | None = None) -> None:
        self.session, self._home = session, home

    def run(self, sql: str) -> Result:
        """Runs a statement whose rows nobody reads."""
        with self.working():
            return self.session.sql(sql)

    def rows(self, sql: str) -> Any:
        """The rows of a statement: a DataFrame of an installed Spark session, else a Result."""
        return self.handed(self.run(sql))

    def handed(self, result: Result) -> Any:
        """A result as the caller gets it."""
        if self._home is None:
            return result
        with self.working():
            return self._home.handed(result.df)

    def frame(self, sql: str) -> Any:
        """The rows of a query as a Spark DataFrame."""
        with self.working():
            frame = self.session.sql(sql).df
            return frame if self._home is None else self._home.handed(frame)

    def nothing(self) -> Any:
        """The rows of a method that gives none."""
        return self.handed(Result.of(make_df=lambda _: self.session.sql(_NO_ROWS).df))

    @contextmanager
    def supplied(self, rows: Any) -> Iterator[tuple[str, str | None]]:
        """Context: the name that statements read the rows of a source by, and its alias, None without one.

        Raises NotADataFrameError, UnsupportedRowsError.
        """
        given = rows_to_write(rows)
        alias = MEMORY_ALIAS if isinstance(given, MemoryRows) else source_alias(frame_of(given))
        if self._home is not None and getattr(given, "sparkSession", None) is self._home.spark:
            given = self._home.taken(given)
        with self.session.supplied(given) as name:
            yield name, alias

    def working(self) -> AbstractContextManager[None]:
        """Context for calls of the session."""
        return nullcontext() if self._home is None else self._home.at_work()


def source_alias(frame: Any) -> str | None:
    """The alias that the user has given a DataFrame, None without one."""
    alias = frame_alias(frame)
    return None if alias is None or alias.startswith(HIDDEN_PREFIX) else alias


def runner_of(spark: Any) -> StatementRunner:
    """The runner for the first argument of a method of Delta's API: a session of deltasql, or an installed Spark.

    None is the latest installed session. The session of a stream's batch, a copy of one that deltasql is installed in,
    stands for that one. Raises SessionNotInstalledError.
    """
    if isinstance(spark, Session):
        return StatementRunner(spark)
    if spark is None and INSTALLED:
        return StatementRunner(INSTALLED[-1].session, INSTALLED[-1])
    home = getattr(spark, "__dict__", {}).get(HOME)
    if home is not None:
        return StatementRunner(home.session, home)
    context = getattr(spark, "_sc", None)
    for installed in reversed(INSTALLED):
        if context is not None and getattr(installed.plain, "_sc", None) is context:
            return StatementRunner(installed.session, installed)
    raise errors.SessionNotInstalledError


_Table = TypeVar("_Table")
_CHECK = "delta.constraints."
"""The property of a check constraint is this with its name behind it."""
_NO_IDENTITY = "the step of an identity column is not zero"
_BOTH = "a column is generated always, or by default, not both"


@dataclass(frozen=True)
class IdentityGenerator:
    """The values of an identity column: the first one, and the distance between two."""

    start: int = 1
    step: int = 1


@dataclass(frozen=True)
class DeltaColumn:
    """A column of a table that is defined: its name and its definition in SQL."""

    name: str
    sql: str


@dataclass(frozen=True)
class DeltaColumnBuilder:
    """The definition of a column; `build` gives what `addColumn` takes."""

    _name: str
    _type: str | None = None
    _nullable: bool = True
    _generated: str = ""
    _comment: str | None = None

    def dataType(self, dataType: Any) -> DeltaColumnBuilder:
        return replace(self, _type=type_text(dataType))

    def nullable(self, nullable: bool) -> DeltaColumnBuilder:
        return replace(self, _nullable=given(nullable, bool, "Column nullable"))

    def comment(self, comment: str) -> DeltaColumnBuilder:
        return replace(self, _comment=given(comment, str, "Column comment"))

    def generatedAlwaysAs(self, expr: str) -> DeltaColumnBuilder:
        text = one_expression(given(expr, str, "Column generated always as"))
        return replace(self, _generated=f" GENERATED ALWAYS AS ({text})")

    def generatedAlwaysAsIdentity(self, start: int = 1, step: int = 1) -> DeltaColumnBuilder:
        return replace(self, _generated=f" GENERATED ALWAYS AS IDENTITY {_steps(IdentityGenerator(start, step))}")

    def generatedByDefaultAsIdentity(self, start: int = 1, step: int = 1) -> DeltaColumnBuilder:
        return replace(self, _generated=f" GENERATED BY DEFAULT AS IDENTITY {_steps(IdentityGenerator(start, step))}")

    def build(self) -> DeltaColumn:
        """The column. Raises ArgumentValueError without a type."""
        if self._type is None:
            raise errors.ArgumentValueError(
                f"The column {self._name}", "without a type", "call dataType(…) before build()"
            )
        required = "" if self._nullable else " NOT NULL"
        comment = "" if self._comment is None else f" COMMENT {quote_text(self._comment)}"
        return DeltaColumn(self._name, f"{exact_name((self._name,))} {self._type}{required}{self._generated}{comment}")


class DeltaTableBuilder(Generic[_Table]):
    """The definition of a table so far; `execute` creates it, and `opened` makes a DeltaTable of its name."""

    def __init__(
        self, runner: StatementRunner, verb: str, opened: Callable[[StatementRunner, TableName], _Table]
    ) -> None:
        """`verb` is CREATE TABLE, CREATE TABLE IF NOT EXISTS, REPLACE TABLE or CREATE OR REPLACE TABLE."""
        self._runner, self._verb, self._opened = runner, verb, opened
        self._name: TableName | None = None
        self._location: str | None = None
        self._columns: list[DeltaColumn] = []
        self._clauses: dict[str, str] = {}
        self._properties: dict[str, str] = {}

    def tableName(self, identifier: str) -> DeltaTableBuilder[_Table]:
        self._name = TableName(name_parts(given(identifier, str, "Identifier")))
        return self

    def location(self, location: str) -> DeltaTableBuilder[_Table]:
        self._location = given(location, str, "Location")
        return self

    def comment(self, comment: str) -> DeltaTableBuilder[_Table]:
        self._clauses["comment"] = f"COMMENT {quote_text(given(comment, str, 'Table comment'))}"
        return self

    def addColumn(
        self,
        colName: str | DeltaColumn,
        dataType: Any = None,
        nullable: bool = True,
        generatedAlwaysAs: str | IdentityGenerator | None = None,
        generatedByDefaultAs: IdentityGenerator | None = None,
        comment: str | None = None,
    ) -> DeltaTableBuilder[_Table]:
        """Adds a column: by its parts, or one of `columnBuilder(…).build()`."""
        if isinstance(colName, DeltaColumn):
            self._columns.append(colName)
            return self
        if generatedAlwaysAs is not None and generatedByDefaultAs is not None:
            raise errors.ArgumentValueError("generatedByDefaultAs", "given with generatedAlwaysAs", _BOTH)
        with self._runner.working():
            column = DeltaColumnBuilder(given(colName, str, "Column name")).dataType(dataType).nullable(nullable)
        if isinstance(generatedAlwaysAs, IdentityGenerator):
            column = column.generatedAlwaysAsIdentity(generatedAlwaysAs.start, generatedAlwaysAs.step)
        elif generatedAlwaysAs is not None:
            column = column.generatedAlwaysAs(generatedAlwaysAs)
        if generatedByDefaultAs is not None:
            made = given(generatedByDefaultAs, IdentityGenerator, "Column generated by default as")
            column = column.generatedByDefaultAsIdentity(made.start, made.step)
        self._columns.append((column if comment is None else column.comment(comment)).build())
        return self

    def addColumns(self, cols: Any) -> DeltaTableBuilder[_Table]:
        """Adds the columns of a StructType, or of a list of StructFields."""
        fields = cols if isinstance(cols, list) else getattr(cols, "fields", None)
        if fields is None:
            raise errors.ArgumentTypeError("Schema", "a StructType or a list of StructFields", type(cols).__name__)
        self._columns += map(_column, fields)
        return self

    def partitionedBy(self, *cols: Any) -> DeltaTableBuilder[_Table]:
        self._clauses["layout"] = f"PARTITIONED BY ({column_names(cols, 'A partitioning column')})"
        return self

    def clusterBy(self, *cols: Any) -> DeltaTableBuilder[_Table]:
        self._clauses["clustering"] = f"CLUSTER BY ({column_names(cols, 'A clustering column')})"
        return self

    def property(self, key: str, value: str) -> DeltaTableBuilder[_Table]:
        self._properties[given(key, str, "The key of a property")] = given(value, str, f"The property {key}")
        return self

    def execute(self) -> _Table:
        """Creates the table. Raises TableNameMissingError, and errors of the statement."""
        name = self._table()
        constraints, properties = self._constraints()
        parts = ", ".join([*(column.sql for column in self._columns), *constraints])
        columns = f" ({parts})" if self._columns else ""
        clauses = ["USING DELTA", *self._clauses.values()]
        if self._location is not None and self._name is not None:
            clauses.append(f"LOCATION {quote_text(self._location)}")
        if properties:
            clauses.append(f"TBLPROPERTIES ({property_list(properties)})")
        self._runner.run(f"{self._verb} {exact_name(name.parts)}{columns} {' '.join(clauses)}")
        return self._opened(self._runner, name)

    def _constraints(self) -> tuple[list[str], dict[str, str]]:
        """Checks among the properties, as SQL for the list of columns, and the others. Without columns it has none."""
        checks, others = [], {}
        with self._runner.working():
            for key, value in self._properties.items():
                if self._columns and key.lower().startswith(_CHECK):
                    checks.append(f"CONSTRAINT {exact_name((key[len(_CHECK) :],))} CHECK ({one_expression(value)})")
                else:
                    others[key] = value
        return checks, others

    def _table(self) -> TableName:
        if self._name is not None:
            return self._name
        if self._location is None:
            raise errors.TableNameMissingError
        return at(self._location)


def type_text(kind: Any) -> str:
    """The SQL of a type that is given by its text in SQL, or as a DataType of PySpark. Raises ArgumentTypeError."""
    if isinstance(kind, str):
        parse_type(kind)
        return kind
    if not hasattr(kind, "jsonValue"):
        raise errors.ArgumentTypeError("Column data type", "a string or a DataType", type(kind).__name__)
    return sql_text(type_from_json(kind.jsonValue()), constraints=True)


def _column(field: Any) -> DeltaColumn:
    """The column of a StructField. Raises ArgumentTypeError, and ArgumentValueError for metadata beside a comment."""
    if not hasattr(field, "jsonValue") or not hasattr(field, "dataType"):
        raise errors.ArgumentTypeError("Column in existing schema", "a StructField", type(field).__name__)
    found = field_from_json(field.jsonValue())
    others = sorted(found.metadata.keys() - {"comment"})
    if others:
        reason = "only a comment becomes part of a definition; use addColumn(…) for the rest"
        raise errors.ArgumentValueError(f"The metadata of {field.name}", ", ".join(others), reason)
    column = DeltaColumnBuilder(found.name).dataType(field.dataType).nullable(found.nullable)
    return (column if found.comment is None else column.comment(found.comment)).build()


def _steps(identity: IdentityGenerator) -> str:
    start, step = given(identity.start, int, "Identity start"), given(identity.step, int, "Identity step")
    if step == 0:
        raise errors.ArgumentValueError("Identity step", "0", _NO_IDENTITY)
    return f"(START WITH {start} INCREMENT BY {step})"


_CONDITION = "'condition'"
FOREIGN = "a DataFrame that is neither the source nor the target"
Clause = Callable[[Owner], str]
"""The SQL of a clause, once it is known which alias bound columns have."""


@dataclass(frozen=True)
class MergeTarget:
    """The table of a MERGE: its name in SQL, the alias, the qualifier of its columns, and DataFrames of its rows."""

    name: str
    alias: str | None
    qualifier: str
    frames: tuple[Any, ...] = ()


@dataclass(frozen=True)
class DeltaMergeBuilder:
    """The clauses of a MERGE so far. Each method returns another builder; `execute` runs the statement.

    Conditions and values are Columns or texts. A clause without a condition applies to every row of its kind that no
    clause before it applies to.
    """

    _runner: StatementRunner
    _target: MergeTarget
    _source: Any
    _condition: Any
    _clauses: tuple[Clause, ...] = ()
    _evolves: bool = False

    def whenMatchedUpdate(self, condition: Any = None, set: Any = None) -> DeltaMergeBuilder:
        return self._update("WHEN MATCHED", condition, set, "'set' in whenMatchedUpdate")

    def whenMatchedUpdateAll(self, condition: Any = None) -> DeltaMergeBuilder:
        return self._with("WHEN MATCHED", condition, "UPDATE SET *")

    def whenMatchedDelete(self, condition: Any = None) -> DeltaMergeBuilder:
        return self._with("WHEN MATCHED", condition, "DELETE")

    def whenNotMatchedInsert(self, condition: Any = None, values: Any = None) -> DeltaMergeBuilder:
        def action(owner: Owner) -> str:
            pairs = assignments(values, argument, owner)
            columns, inserted = (", ".join(part) for part in zip(*pairs, strict=True))
            return f"INSERT ({columns}) VALUES ({inserted})"

        argument = "'values' in whenNotMatchedInsert"
        assignments(values, argument, _anywhere)
        return self._with("WHEN NOT MATCHED", condition, action)

    def whenNotMatchedInsertAll(self, condition: Any = None) -> DeltaMergeBuilder:
        return self._with("WHEN NOT MATCHED", condition, "INSERT *")

    def whenNotMatchedBySourceUpdate(self, condition: Any = None, set: Any = None) -> DeltaMergeBuilder:
        return self._update("WHEN NOT MATCHED BY SOURCE", condition, set, "'set' in whenNotMatchedBySourceUpdate")

    def whenNotMatchedBySourceDelete(self, condition: Any = None) -> DeltaMergeBuilder:
        return self._with("WHEN NOT MATCHED BY SOURCE", condition, "DELETE")

    def withSchemaEvolution(self) -> DeltaMergeBuilder:
        """New columns of the source that UPDATE SET * and INSERT * name are added to the table."""
        return replace(self, _evolves=True)

    def execute(self) -> Any:
        """Runs the MERGE; one row with the numbers of affected, updated, deleted and inserted rows."""
        with self._runner.supplied(self._source) as (name, alias):
            owner = _Owner(self._target, self._source, alias or name)
            condition = expression(self._condition, _CONDITION, owner)
            evolution = " WITH SCHEMA EVOLUTION" if self._evolves else ""
            parts = [
                f"MERGE{evolution} INTO {self._target.name}{_as(self._target.alias)}",
                f"USING {exact_name((name,))}{_as(alias)}",
                f"ON {condition}",
                *(clause(owner) for clause in self._clauses),
            ]
            result = self._runner.run("\n".join(parts))
        return self._runner.handed(result)

    def _update(self, kind: str, condition: Any, values: Any, argument: str) -> DeltaMergeBuilder:
        def action(owner: Owner) -> str:
            pairs = assignments(values, argument, owner)
            return f"UPDATE SET {', '.join(f'{column} = {value}' for column, value in pairs)}"

        # What is wrong with the arguments is said at the call, and not by `execute`.
        assignments(values, argument, _anywhere)
        return self._with(kind, condition, action)

    def _with(self, kind: str, condition: Any, action: str | Clause) -> DeltaMergeBuilder:
        if condition is not None:
            with self._runner.working():
                expression(condition, _CONDITION, _anywhere)

        def clause(owner: Owner) -> str:
            tested = "" if condition is None else f" AND {expression(condition, _CONDITION, owner)}"
            return f"{kind}{tested} THEN {action if isinstance(action, str) else action(owner)}"

        return replace(self, _clauses=(*self._clauses, clause))


class _Owner:
    """The aliases of columns that are bound to the source of a MERGE, or to a DataFrame of its target."""

    def __init__(self, target: MergeTarget, source: Any, alias: str) -> None:
        self._target, self._source, self._alias = target, source, alias

    def __call__(self, origin: int) -> str:
        of_source = hasattr(self._source, "sparkSession") and origin in origins(self._source)
        of_target = any(origin in origins(frame) for frame in self._target.frames)
        if of_source == of_target:
            raise LookupError("both the source and the target" if of_source else FOREIGN)
        return self._alias if of_source else self._target.qualifier


def _anywhere(_: int) -> None:
    return None


def _as(alias: str | None) -> str:
    return "" if alias is None else f" AS {exact_name((alias,))}"


class MergeIntoWriter:
    """The MERGE of a DataFrame into a table; `merge` runs it."""

    def __init__(self, builder: DeltaMergeBuilder) -> None:
        self._builder = builder

    def whenMatched(self, condition: Any = None) -> WhenMatched:
        return WhenMatched(self, condition)

    def whenNotMatched(self, condition: Any = None) -> WhenNotMatched:
        return WhenNotMatched(self, condition)

    def whenNotMatchedBySource(self, condition: Any = None) -> WhenNotMatchedBySource:
        return WhenNotMatchedBySource(self, condition)

    def withSchemaEvolution(self) -> MergeIntoWriter:
        return self.having(self._builder.withSchemaEvolution())

    def merge(self) -> None:
        self._builder.execute()

    @property
    def builder(self) -> DeltaMergeBuilder:
        """The clauses so far."""
        return self._builder

    def having(self, builder: DeltaMergeBuilder) -> MergeIntoWriter:
        """This writer with other clauses."""
        self._builder = builder
        return self


class _When:
    def __init__(self, writer: MergeIntoWriter, condition: Any) -> None:
        self._writer, self._condition = writer, condition


class WhenMatched(_When):
    """The action on rows of the target that a row of the source matches."""

    def updateAll(self) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenMatchedUpdateAll(self._condition))

    def update(self, assignments: Mapping[str, Any]) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenMatchedUpdate(self._condition, assignments))

    def delete(self) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenMatchedDelete(self._condition))


class WhenNotMatched(_When):
    """The action on rows of the source that match no row of the target."""

    def insertAll(self) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenNotMatchedInsertAll(self._condition))

    def insert(self, assignments: Mapping[str, Any]) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenNotMatchedInsert(self._condition, assignments))


class WhenNotMatchedBySource(_When):
    """The action on rows of the target that no row of the source matches."""

    def updateAll(self) -> MergeIntoWriter:
        """Always raises ArgumentValueError: no row of the source gives values."""
        raise errors.ArgumentValueError(
            "updateAll()", "used after whenNotMatchedBySource", "give the values: update({…})"
        )

    def update(self, assignments: Mapping[str, Any]) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenNotMatchedBySourceUpdate(self._condition, assignments))

    def delete(self) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenNotMatchedBySourceDelete(self._condition))
