"""Errors of names: catalogs, schemas and tables, and the catalog that stores them."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "TABLE_OR_VIEW_NOT_FOUND",
    "42P01",
    "There is no table {table}. {advice}",
    remedy="Check the spelling and the schema with SHOW TABLES; a table of another schema is written schema.table.",
)
class TableNotFoundError(DeltaSqlError):
    """A statement names a table or view that the schema does not have.

    `similar` holds the closest existing names, best first; `advice` is the sentence made of them.
    """

    table: str
    advice: str
    similar: tuple[str, ...] = ()


@condition(
    "TABLE_OR_VIEW_ALREADY_EXISTS",
    "42P07",
    "Table {table} already exists. Choose another name, drop the table, or add IF NOT EXISTS or OR REPLACE.",
)
class TableAlreadyExistsError(DeltaSqlError):
    """CREATE TABLE, or RENAME TO, of a name that a table has."""

    table: str


@condition(
    "SCHEMA_NOT_FOUND",
    "42704",
    "There is no schema {schema}. {advice}",
    remedy="Check the spelling with SHOW SCHEMAS, or run CREATE SCHEMA.",
)
class SchemaNotFoundError(DeltaSqlError):
    """A statement names a schema that the catalog does not have.

    `similar` holds the closest existing names, best first.
    """

    schema: str
    advice: str
    similar: tuple[str, ...] = ()


@condition(
    "SCHEMA_ALREADY_EXISTS", "42P06", "Schema {schema} exists already. Choose another name or add IF NOT EXISTS."
)
class SchemaAlreadyExistsError(DeltaSqlError):
    """CREATE SCHEMA of a name that exists."""

    schema: str


@condition(
    "SCHEMA_NOT_EMPTY",
    "2BP01",
    "Schema {schema} cannot be dropped: it holds {tables}. Drop them first, or run: DROP SCHEMA {schema} CASCADE.",
)
class SchemaNotEmptyError(DeltaSqlError):
    """DROP SCHEMA without CASCADE of a schema with tables."""

    schema: str
    tables: tuple[str, ...]


@condition(
    "UNSUPPORTED_FEATURE.DROP_DATABASE",
    "0A000",
    "The default schema {schema} cannot be dropped.",
    remedy="Drop its tables instead.",
)
class DropDefaultSchemaError(DeltaSqlError):
    """DROP SCHEMA default, with or without CASCADE."""

    schema: str


@condition(
    "CATALOG_NOT_FOUND",
    "42P08",
    "There is no catalog {catalog}. Known catalogs: {known}.",
    remedy="Use a catalog of SHOW CATALOGS, or run CREATE CATALOG.",
)
class CatalogNotFoundError(DeltaSqlError):
    """A statement names a catalog that the warehouse does not have."""

    catalog: str
    known: tuple[str, ...]


@condition(
    "CATALOG_ALREADY_EXISTS", "42P06", "Catalog {catalog} exists already. Choose another name or add IF NOT EXISTS."
)
class CatalogAlreadyExistsError(DeltaSqlError):
    """CREATE CATALOG of a name that exists."""

    catalog: str


@condition(
    "CATALOG_NOT_EMPTY",
    "2BP01",
    "Catalog {catalog} cannot be dropped: it has {names}. Drop them first, or run: DROP CATALOG {catalog} CASCADE.",
)
class CatalogNotEmptyError(DeltaSqlError):
    """DROP CATALOG without CASCADE of a catalog with schemas besides `default`, or with tables in that."""

    catalog: str
    names: tuple[str, ...]


@condition(
    "UNSUPPORTED_FEATURE.DROP_CATALOG",
    "0A000",
    "The default catalog {catalog} cannot be dropped.",
    remedy="Drop its schemas instead.",
)
class DropDefaultCatalogError(DeltaSqlError):
    """DROP CATALOG spark_catalog, with or without CASCADE."""

    catalog: str


@condition(
    "INVALID_SCHEMA_OR_RELATION_NAME",
    "42602",
    "{name} cannot be the name of a catalog, schema or table: a name is not empty and holds no space, '.', '/' or "
    "control character.",
    remedy="Choose another name.",
)
class InvalidNameError(DeltaSqlError):
    """A part of a name, in CREATE or RENAME, that could not be the name of a directory."""

    name: str


@condition(
    "REQUIRES_SINGLE_PART_NAMESPACE",
    "42K05",
    "{name} has too many parts: write table, schema.table or catalog.schema.table.",
    remedy="Write table, schema.table or catalog.schema.table.",
)
class TooManyNamePartsError(DeltaSqlError):
    """A name of more than three parts, or of more than two for a schema."""

    name: str


@condition(
    "INFORMATION_SCHEMA_READ_ONLY",
    "42832",
    "{name} belongs to the information schema, which is computed from the catalog and cannot be changed. Change the "
    "tables that it describes, or choose another name.",
)
class InformationSchemaReadOnlyError(DeltaSqlError):
    """A statement that creates, changes or drops something in an information schema, or the catalog `system`."""

    name: str


@condition(
    "CATALOG_FILE_UNUSABLE",
    "58030",
    "The catalog file {path} cannot be used: {reason}. {advice}",
    remedy="Follow the advice in the message. Tables are unharmed: CREATE TABLE … LOCATION names them again.",
)
class CatalogFileError(DeltaSqlError):
    """The SQLite file of the warehouse, or an object with its names, cannot be used.

    It is damaged, locked or changed by others for too long, of a later version, or not permitted; or it is unknown
    whether an object was written.
    """

    path: str
    reason: str
    advice: str
