"""Nodes of CREATE, REPLACE, DROP, RENAME, TRUNCATE and SET LOCATION of tables, and of statements on schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, NoReturn, TypeVar

from deltasql.base import Caret, errors, session_settings, skip_blanks
from deltasql.catalog import INFORMATION_SCHEMA
from deltasql.plan import Alone, ColumnPath, LogicalPlan, SqlText, TableName, make_note
from deltasql.planner import CatalogChange, CatalogCreation, Context, SchemaCreation
from deltasql.schema import BINARY_COLLATION, DataType, declared_as, declared_text, plain_type, with_default_collation
from deltasql.sql import TYPE_NAMES, Clause, GrammarToken, Tree, builds, caret, collect, sql_text
from deltasql.statements.constraints import CheckConstraint, KeyConstraint, KeyOption
from deltasql.statements.governance import ColumnMask, RowFilterClause
from deltasql.statements.query import SparkStatement


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """name type [NOT NULL] [COMMENT 'text'] [DEFAULT expr] [GENERATED ALWAYS AS (expr)] …

    `type_text` is the type as it was declared: in `type` CHAR(n) and VARCHAR(n) are strings.
    """

    name: str
    type: DataType
    type_text: str
    start: int
    end: int
    nullable: bool = True
    comment: str | None = None
    default: SqlText | None = None
    generated: SqlText | None = None
    identity: IdentitySpec | None = None
    constraints: tuple[CheckConstraint | KeyConstraint, ...] = ()
    mask: ColumnMask | None = None


@dataclass(frozen=True, slots=True)
class IdentitySpec:
    """GENERATED {ALWAYS | BY DEFAULT} AS IDENTITY [(START WITH n INCREMENT BY n)]"""

    always: bool
    start: int = 1
    step: int = 1


@dataclass(frozen=True, slots=True)
class PartitionColumn:
    """PARTITIONED BY (name [type [COMMENT text]]): with a type, as it was declared, it declares the column as well."""

    name: str
    type: DataType | None = None
    comment: str | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class ClusterBy:
    """CLUSTER BY {(columns) | NONE | AUTO}: no columns for the last two"""

    columns: tuple[ColumnPath, ...]
    auto: bool = False


DEFAULT_COLLATION = "collation"
"""The table property for the collation of new columns. Source: Spark's reserved properties."""


@dataclass(frozen=True, slots=True)
class CreateTable(LogicalPlan):
    """CREATE [OR REPLACE] [EXTERNAL] TABLE [IF NOT EXISTS] t [(columns)] [USING format] {clauses} [[AS] query]

    and REPLACE TABLE.

    `mode` is "create", "create_or_replace" or "replace". `columns` is None when no list was written; `constraints` are
    those of the list and of its columns.
    `cluster_by` is None without the clause.
    """

    table_words: ClassVar[str] = "CREATE OR REPLACE TABLE"
    write_name: ClassVar[str] = "CREATE TABLE AS SELECT"
    alone: ClassVar[tuple[str, Alone] | None] = ("CREATE TABLE", Alone.MAKES)

    mode: str
    external: bool
    if_not_exists: bool
    table: TableName
    columns: tuple[ColumnDefinition, ...] | None
    provider: str | None
    partitioned_by: tuple[PartitionColumn, ...]
    cluster_by: ClusterBy | None
    location: str | None
    comment: str | None
    properties: tuple[tuple[str, str], ...]
    query: SqlText | None
    constraints: tuple[CheckConstraint | KeyConstraint, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    row_filter: RowFilterClause | None = None

    @property
    def stored_properties(self) -> tuple[tuple[str, str], ...]:
        """The properties of a Delta table: options are stored as Spark does, by their key and behind `option.`."""
        pairs = (((key, value), (f"option.{key}", value)) for key, value in self.options)
        return (*chain.from_iterable(pairs), *self.properties)

    def table_change(self) -> str:
        return "" if self.mode == "create" else self.table_words

    def idempotent_write(self) -> str:
        return "" if self.query is None else self.write_name

    def created(self) -> TableName | None:
        return None if self.mode == "replace" else self.table


@dataclass(frozen=True, slots=True)
class CreateTemporaryTable(LogicalPlan):
    """CREATE [OR REPLACE] {TEMPORARY | TEMP} TABLE [IF NOT EXISTS] t [(columns)] {clauses} [[AS] query]

    and REPLACE {TEMPORARY | TEMP} TABLE.
    """

    alone: ClassVar[tuple[str, Alone] | None] = ("CREATE TEMPORARY TABLE", Alone.MAKES)

    table: TableName
    definition: CreateTable


@dataclass(frozen=True, slots=True)
class CreateTableLike(LogicalPlan):
    """CREATE TABLE [IF NOT EXISTS] t LIKE source [USING DELTA] [LOCATION 'path'] [TBLPROPERTIES (key = value, …)]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("CREATE TABLE … LIKE", Alone.MAKES)

    if_not_exists: bool
    table: TableName
    source: TableName
    provider: str | None
    location: str | None
    properties: tuple[tuple[str, str], ...]

    def created(self) -> TableName | None:
        return self.table


@dataclass(frozen=True, slots=True)
class DropTable(LogicalPlan):
    """DROP [TEMPORARY | TEMP] TABLE [IF EXISTS] t [PURGE]"""

    object_words: ClassVar[str] = "DROP TABLE"
    alone: ClassVar[tuple[str, Alone] | None] = ("DROP TABLE", Alone.CATALOG)

    if_exists: bool
    table: TableName
    purge: bool = False
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class UndropTable(LogicalPlan):
    """UNDROP {TABLE | MATERIALIZED VIEW} {t | WITH ID 'id'}: one of name and id is None"""

    alone: ClassVar[tuple[str, Alone] | None] = ("UNDROP TABLE", Alone.CATALOG)

    is_view: bool
    table: TableName | None
    id: str | None


@dataclass(frozen=True, slots=True)
class RenameTable(LogicalPlan):
    """ALTER TABLE t RENAME TO name"""

    object_words: ClassVar[str] = "ALTER TABLE … RENAME TO"
    alone: ClassVar[tuple[str, Alone] | None] = ("ALTER TABLE … RENAME TO", Alone.CATALOG)

    table: TableName
    name: TableName

    def created(self) -> TableName | None:
        return self.name if len(self.name.parts) > 1 else None


@dataclass(frozen=True, slots=True)
class SetTableLocation(LogicalPlan):
    """ALTER TABLE t SET LOCATION 'path'"""

    table_words: ClassVar[str] = "ALTER TABLE … SET LOCATION"
    alone: ClassVar[tuple[str, Alone] | None] = ("ALTER TABLE … SET LOCATION", Alone.CATALOG)

    table: TableName
    location: str


@dataclass(frozen=True, slots=True)
class SetManaged(LogicalPlan):
    """ALTER TABLE t {SET MANAGED [TRUNCATE [UNIFORM] HISTORY | MOVE | COPY] | UNSET MANAGED}"""

    table: TableName
    managed: bool


@dataclass(frozen=True, slots=True)
class TruncateTable(LogicalPlan):
    """TRUNCATE TABLE t"""

    table_words: ClassVar[str] = "TRUNCATE TABLE"

    table: TableName


@dataclass(frozen=True, slots=True)
class AlterClustering(LogicalPlan):
    """ALTER TABLE t CLUSTER BY {(columns) | NONE | AUTO}"""

    table: TableName
    cluster_by: ClusterBy


@dataclass(frozen=True, slots=True)
class CreateSchema(LogicalPlan):
    """CREATE {SCHEMA | DATABASE} [IF NOT EXISTS] s [COMMENT 'text'] [LOCATION 'path']

    [WITH DBPROPERTIES (key = value, …)]
    """

    alone: ClassVar[tuple[str, Alone] | None] = ("CREATE SCHEMA", Alone.CATALOG)

    if_not_exists: bool
    schema: TableName
    comment: str | None
    location: str | None
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SetSchemaProperties(LogicalPlan):
    """ALTER {SCHEMA | DATABASE} s SET DBPROPERTIES (key = value, …)"""

    alone: ClassVar[tuple[str, Alone] | None] = ("ALTER SCHEMA", Alone.CATALOG)

    schema: TableName
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnsetSchemaProperties(LogicalPlan):
    """ALTER {SCHEMA | DATABASE} s UNSET DBPROPERTIES [IF EXISTS] (key, …)"""

    alone: ClassVar[tuple[str, Alone] | None] = ("ALTER SCHEMA", Alone.CATALOG)

    schema: TableName
    if_exists: bool
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropSchema(LogicalPlan):
    """DROP {SCHEMA | DATABASE} [IF EXISTS] s [RESTRICT | CASCADE]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("DROP SCHEMA", Alone.CATALOG)

    if_exists: bool
    schema: TableName
    cascade: bool


@dataclass(frozen=True, slots=True)
class UseSchema(LogicalPlan):
    """USE [SCHEMA | DATABASE] s"""

    schema: TableName


@dataclass(frozen=True, slots=True)
class UseCatalog(LogicalPlan):
    """{USE | SET} CATALOG c"""

    catalog: str


_FIELDS = {
    "using_clause": "provider",
    "cluster_by_clause": "cluster_by",
    "location_clause": "location",
    "comment_clause": "comment",
    "properties_clause": "properties",
    "collation_clause": "collation",
    "identity_start": "start",
    "identity_increment": "step",
}


# One column: a type, and options that may hold text in parentheses. A < ends with its own >, or a text could be cut in
# more ways than can be tried.
_PARTS = r"<(?:[^()<>]|<(?:[^()<>]|<[^()<>]*>)*>)*>"
_TYPED = rf"(?:{'|'.join(TYPE_NAMES)})\b(?:(?!\bFROM\b)[^,()<]|{_PARTS}|\([^()]*\))*"
_COLUMNS = re.compile(rf"\(\s*(?P<name>\w+)\s+{_TYPED}(?:,\s*\w+\s+{_TYPED})*\)", re.IGNORECASE)


@builds("create_mode")
def _mode(children: list[Any], tree: Tree, text: str) -> str:
    return "_".join(word.lower() for word in children)


@builds("create_table")
def _create_table(children: list[Any], tree: Tree, text: str) -> CreateTable:
    mode, external, if_not_exists, table, elements, *clauses, query = children
    if if_not_exists and mode != "create":
        reason = "A table is created IF NOT EXISTS or replaced, not both. Leave out one of them."
        raise errors.ParseSyntaxError(reason, "IF NOT EXISTS").at(caret(tree.children[2], text))
    if query is not None and elements is None:
        _refuse_reserved_columns(tree.children[-1], text)
    values = collect(clauses, tree.children[5:-1], text)
    columns = None if elements is None else tuple(item for item in elements if isinstance(item, ColumnDefinition))
    if columns == ():
        reason = "A table with constraints needs columns for them."
        raise errors.ParseSyntaxError(reason, "CONSTRAINT").at(caret(tree.children[4], text))
    values["columns"] = columns
    _apply_default_collation(values, tree, text)
    return CreateTable(
        mode,
        external,
        if_not_exists,
        table,
        values["columns"],
        values.get("provider"),
        values.get("partitioned_by", ()),
        values.get("cluster_by"),
        values.get("location"),
        values.get("comment"),
        values.get("properties", ()),
        query,
        tuple(_constraints(elements or ())),
        values.get("options", ()),
        values.get("row_filter"),
    )


@builds("create_temporary_table")
def _create_temporary_table(children: list[Any], tree: Tree, text: str) -> CreateTemporaryTable | SparkStatement:
    """With the name of another format it is Spark's temporary view of files."""
    mode, *rest = children
    own = tree.children[: tree.size]
    inner = tree._replace(children=[own[0], own[0], *own[1:]], size=tree.size + 1)
    definition = _create_table([mode, False, *rest], inner, text)
    if definition.provider is None:
        return CreateTemporaryTable(definition.table, definition)
    if definition.provider.lower() != "delta":
        return SparkStatement(sql_text(tree, text))
    name = definition.table
    raise errors.TemporaryTableError(str(name), "USING", "Leave it out.").at(Caret(text, name.start, name.end))


@builds("drop_temporary_table")
def _drop_temporary_table(children: list[Any], tree: Tree, text: str) -> DropTable:
    if_exists, table = children
    if len(table.parts) > 1:
        error = errors.TemporaryTableNameError(str(table), f"DROP TEMPORARY TABLE {TableName(table.parts[-1:])}")
        raise error.at(Caret(text, table.start, table.end))
    return DropTable(if_exists, table, temporary=True)


@builds("use_schema_text")
def _use_schema_text(children: list[Any], tree: Tree, text: str) -> UseSchema:
    """The name is a text, as the value of a parameter is."""
    name = tree.children[0]
    return UseSchema(TableName((children[0],), name.start, name.end))


@builds("format_name")
def _format_name(children: list[Any], tree: Tree, text: str) -> str:
    """The name of a format, or of a class that reads one; Spark's classes by the names of their formats."""
    name = ".".join(children)
    return _CLASSES_OF_FORMATS.get(name.lower(), name)


_CLASSES_OF_FORMATS = {
    f"{prefix}.{name}": name
    for prefix in ("org.apache.spark.sql", "org.apache.spark.sql.execution.datasources", "com.databricks.spark")
    for name in ("csv", "json", "parquet", "orc", "avro", "text", "delta")
}
"""Formats by the names that their classes have, or had. Source: the names that Spark takes for them."""


@builds("binary_collation")
def _binary_collation(children: list[Any], tree: Tree, text: str) -> Clause:
    """DEFAULT COLLATION of a view. Raises DefaultCollationError for any but UTF8_BINARY."""
    if children[0] != BINARY_COLLATION:
        raise errors.DefaultCollationError(children[0]).at(caret(tree, text))
    return Clause("collation", children[0])


def _apply_default_collation(values: dict[str, Any], tree: Tree, text: str) -> None:
    """The columns with the default collation, which becomes a property unless it is UTF8_BINARY.

    Raises DefaultCollationError where there are no columns that it could be of.
    """
    default, columns = values.get("collation"), values["columns"]
    collation = None if default == BINARY_COLLATION else default
    if collation is not None and (columns is None or values.get("provider", "delta").lower() != "delta"):
        raise errors.DefaultCollationError(collation).at(caret(tree, text))
    values["columns"] = columns and tuple(_in_collation(item, collation) for item in columns)
    values["partitioned_by"] = tuple(_in_collation(item, collation) for item in values.get("partitioned_by", ()))
    if collation is not None:
        values["properties"] = (*values.get("properties", ()), (DEFAULT_COLLATION, collation))


_Column = TypeVar("_Column", ColumnDefinition, PartitionColumn)


def _in_collation(column: _Column, collation: str | None) -> _Column:
    """A column of a table whose default collation is `collation`."""
    if column.type is None:
        return column
    # CHAR and VARCHAR have none.
    declared = declared_as(column.type, column.type_text) if isinstance(column, ColumnDefinition) else column.type
    return replace(column, type=plain_type(with_default_collation(declared, collation)))


def _refuse_reserved_columns(query: GrammarToken, text: str) -> None:
    """Raises ParseSyntaxError for `(select INT, from STRING)`: columns, the first called like a query's word."""
    first = _COLUMNS.fullmatch(text, query.start, query.end)
    if first is None:
        return
    name = first["name"]
    reason = f"{name} is a reserved word. To use it as a name, write `{name}`."
    raise errors.ParseSyntaxError(reason, name).at(Caret(text, *first.span("name")))


@builds("create_table_like")
def _create_table_like(children: list[Any], tree: Tree, text: str) -> CreateTableLike:
    mode, external, if_not_exists, table, source, *clauses = children
    if mode != "create" or external:
        reason = "A table like another one is created by CREATE TABLE … LIKE. To replace one, name the columns."
        raise errors.ParseSyntaxError(reason, "LIKE").at(caret(tree.children[0], text))
    values = collect(clauses, tree.children[5:], text)
    location, properties = values.get("location"), values.get("properties", ())
    return CreateTableLike(if_not_exists, table, source, values.get("provider"), location, properties)


def _constraints(
    elements: Sequence[ColumnDefinition | CheckConstraint | KeyConstraint],
) -> Iterator[CheckConstraint | KeyConstraint]:
    for item in elements:
        if isinstance(item, ColumnDefinition):
            yield from item.constraints
        else:
            yield item


@builds("create_schema")
def _create_schema(children: list[Any], tree: Tree, text: str) -> CreateSchema:
    if_not_exists, schema, *clauses = children
    values = collect(clauses, tree.children[2:], text)
    properties = with_collation(values)
    return CreateSchema(if_not_exists, schema, values.get("comment"), values.get("location"), properties)


@builds("undrop_named")
def _undrop_named(children: list[Any], tree: Tree, text: str) -> UndropTable:
    return UndropTable(children[0], children[1], None)


@builds("undrop_by_id")
def _undrop_by_id(children: list[Any], tree: Tree, text: str) -> UndropTable:
    return UndropTable(children[0], None, children[1])


@builds("set_managed", "unset_managed")
def _set_managed(children: list[Any], tree: Tree, text: str) -> SetManaged:
    return SetManaged(children[0], tree.name == "set_managed")


@builds("set_schema_collation")
def _set_schema_collation(children: list[Any], tree: Tree, text: str) -> SetSchemaProperties:
    """ALTER SCHEMA … DEFAULT COLLATION: a property, for tables that are created later."""
    schema, collation = children
    return SetSchemaProperties(schema, ((DEFAULT_COLLATION, collation),))


def with_collation(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The properties of a schema or a catalog, with the default collation of its new tables among them."""
    collation, properties = values.get("collation", BINARY_COLLATION), values.get("properties", ())
    return properties if collation == BINARY_COLLATION else (*properties, (DEFAULT_COLLATION, collation))


def in_default_collation(statement: CreateTable, collation: str) -> CreateTable:
    """A table without a DEFAULT COLLATION of its own, in a schema that has this one.

    Columns that say COLLATE UTF8_BINARY stay as they are.
    """
    if statement.columns is None or collation == BINARY_COLLATION or DEFAULT_COLLATION in dict(statement.properties):
        return statement
    columns = tuple(
        column if BINARY_COLLATION in column.type_text.upper() else _in_collation(column, collation)
        for column in statement.columns
    )
    return replace(statement, columns=columns, properties=(*statement.properties, (DEFAULT_COLLATION, collation)))


@builds(*_FIELDS)
def _clause(children: list[Any], tree: Tree, text: str) -> Clause:
    """Strings that stand side by side are one text."""
    return Clause(_FIELDS[tree.name], "".join(children) if tree.name == "comment_clause" else children[0])


@builds("clustered", "unclustered", "auto_clustered")
def _cluster_by(children: list[Any], tree: Tree, text: str) -> ClusterBy:
    return ClusterBy(children[0] if children else (), tree.name == "auto_clustered")


@builds("partitioned_by_clause")
def _partitioned_by(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("partitioned_by", tuple(children))


@builds("partition_column")
def _partition_column(children: list[Any], tree: Tree, text: str) -> PartitionColumn:
    name = tree.children[0]
    column, data_type, comment = children
    return PartitionColumn(column, data_type, comment, name.start, name.end)


@builds("column_definition")
def _column_definition(children: list[Any], tree: Tree, text: str) -> ColumnDefinition:
    """`start` and `end` are those of the column's name."""
    name, data_type, *options = children
    name_tree, _, *option_trees = tree.children
    clauses = [(item, option) for item, option in zip(options, option_trees, strict=True) if isinstance(item, Clause)]
    values = collect([item for item, _ in clauses], [option for _, option in clauses], text)
    column = ColumnPath((name,), name_tree.start, name_tree.end)
    constraints = _of_column([item for item in options if not isinstance(item, Clause)], column, text)
    declared = declared_text(data_type)
    return ColumnDefinition(
        name, plain_type(data_type), declared, name_tree.start, name_tree.end, constraints=constraints, **values
    )


def _of_column(
    items: list[CheckConstraint | KeyConstraint | KeyOption], column: ColumnPath, text: str
) -> tuple[CheckConstraint | KeyConstraint, ...]:
    """The constraints of one column: an option belongs to the key before it."""
    constraints: list[CheckConstraint | KeyConstraint] = []
    for item in items:
        if isinstance(item, KeyConstraint):
            constraints.append(replace(item, columns=(column,)))
        elif isinstance(item, CheckConstraint):
            constraints.append(item)
        elif constraints and isinstance(constraints[-1], KeyConstraint):
            constraints[-1] = replace(constraints[-1], options=(*constraints[-1].options, item))
        elif not constraints or item.text != "ENFORCED":
            reason = f"{item.text} stands behind PRIMARY KEY or REFERENCES."
            raise errors.ParseSyntaxError(reason, item.text).at(Caret(text, item.start, item.end))
    return tuple(constraints)


@builds("check_constraint")
def _check(children: list[Any], tree: Tree, text: str) -> CheckConstraint:
    return CheckConstraint(*children)


@builds("credential_clause")
def _credential(children: list[Any], tree: Tree, text: str) -> Clause:
    """The credential of an external location, which only a service has."""
    words = f"WITH (CREDENTIAL {children[0]})"
    make_note(f"{words} has no effect: storage is opened with the keys of the session.", is_warning=True, once=True)
    return Clause("credential", children[0])


@builds("options_clause")
def _options(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("options", children[0])


@builds("bucket_clause")
def _buckets(children: list[Any], tree: Tree, text: str) -> NoReturn:
    raise errors.BucketingError(" ".join(text[tree.start : tree.end].split())).at(caret(tree, text))


@builds("partition_expression")
def _partition_expression(children: list[Any], tree: Tree, text: str) -> NoReturn:
    raise errors.PartitionExpressionError(text[tree.start : tree.end]).at(caret(tree, text))


@builds("generated_option")
def _generated(children: list[Any], tree: Tree, text: str) -> Clause:
    """The expression inside the parentheses."""
    outer: SqlText = children[0]
    start = skip_blanks(text, outer.start + 1)
    inside = text[start : outer.end - 1].rstrip()
    if not inside:
        raise errors.ParseSyntaxError("GENERATED ALWAYS AS needs an expression in its parentheses.", outer.text).at(
            caret(tree.children[0], text)
        )
    return Clause("generated", SqlText(inside, start))


@builds("always_identity", "default_identity")
def _identity(children: list[Any], tree: Tree, text: str) -> Clause:
    steps = collect(children[0], tree.children[0].children, text)
    return Clause("identity", IdentitySpec(tree.name == "always_identity", **steps))


def new_namespaces(statement: LogicalPlan, context: Context) -> Iterator[CatalogChange]:
    """With AUTO_CREATE, creation of the catalog and the schema of what `statement` creates or makes current."""
    namespace = _namespace(statement, context) if context.setting(session_settings.AUTO_CREATE) else None
    if namespace is None or INFORMATION_SCHEMA in namespace[1:]:
        return
    catalog, *schemas = namespace
    if catalog not in context.catalog.catalogs():
        yield CatalogCreation(catalog, None, None, if_not_exists=True)
    for schema in schemas:
        if context.catalog.has_schema((catalog, schema)):
            return
        yield SchemaCreation((catalog, schema), None, None, if_not_exists=True)


def _namespace(statement: LogicalPlan, context: Context) -> tuple[str, ...] | None:
    """The catalog, or the catalog and the schema, in lower case; None for a statement that creates nothing in one."""
    match statement:
        case UseCatalog(name):
            return (name.lower(),)
        case CreateSchema(schema=schema) if len(schema.parts) == 2:
            return (schema.parts[0].lower(),)
        case UseSchema(schema) if len(schema.parts) <= 2:
            parts = tuple(part.lower() for part in schema.parts)
            # A name of one part may be that of a catalog.
            if len(parts) == 2 or parts[0] in context.catalog.catalogs():
                return parts
            return (context.catalog.current_catalog, *parts)
    created = statement.created()
    if created is None or created.path is not None or len(created.parts) > 3:
        return None
    return context.catalog.full_name(created.parts)[:2]
