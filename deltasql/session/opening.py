"""Opening of sessions, and reflection of a session's catalog for other tools.

Reflection lists relations, columns and keys, and needs no Spark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deltasql.base import Listener, errors, session_settings
from deltasql.catalog import Catalogs, ViewEntry, sql_name
from deltasql.log import keys_of
from deltasql.plan import TableName
from deltasql.schema import StructType
from deltasql.schema import quote_name as quote
from deltasql.session.session import Session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltasql.catalog import Entry
    from deltasql.log import Key, Metadata


def connect(
    warehouse: str = "warehouse",
    spark: SparkSession | str | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
    progress: Listener | None = None,
    engine: str | None = None,
    catalog: str | None = None,
    catalogs: Catalogs | None = None,
    staging_allowed_local_path: str | Sequence[str] | None = None,
    directory: str = "",
    user: str | None = None,
    groups: str | Sequence[str] | None = None,
    create_catalogs: bool = False,
) -> Session:
    """A session over the tables of `warehouse`, a directory or the URL of a place in an object store.

    `catalog` is the current catalog, `spark_catalog` by default, which every warehouse has; its schema `default` is
    current. Raises CatalogNotFoundError for any other that CREATE CATALOG has not created. `catalogs` configures
    external catalogs by name: `{"main": {"type": "unity", "uri": "https://…", "token": "…"}}`; those of a Spark session
    that is handed in (`spark.sql.catalog.main`) are added. Raises CatalogConfigurationError.

    `spark` is None for a local Spark that starts when it is first needed, a SparkSession to use, or the address of a
    Spark Connect server: "sc://host:port". `engine` is "spark" or "sail", used if no Spark is given; the default is
    that of the environment variable DELTASQL_ENGINE. `storage_options` configure access to object stores with obstore's
    keys: `{"aws_access_key_id": …, "aws_endpoint": …}`; missing ones come from the settings of the given Spark session
    (`spark.hadoop.fs.s3a.*`), else from the environment. `progress`, later `on_progress` of the session, is called with
    a Progress, in a separate thread, while Spark starts and works. `staging_allowed_local_path` is a folder, or
    several, whose files PUT and GET may use; by default they may use all files of this machine, and with `()` none.
    `directory` is the folder of relative paths in statements; by default the working directory of the process, as it is
    now. `user` is the user that current_user() gives. `groups` are the groups of that user, for is_member() and
    is_account_group_member(): names, or one text with commas. By default they are those of the environment variables
    DELTASQL_USER and DELTASQL_GROUPS. They protect nothing: SET changes them. With `create_catalogs` statements create
    the catalogs and schemas that they make current, or create something in: the setting deltasql.catalog.autoCreate.
    """
    session = Session(warehouse, spark, storage_options, progress, engine, catalogs, directory)
    if staging_allowed_local_path is not None:
        session.stores.local_folders = local_folders(staging_allowed_local_path)
    for setting, value in ((session_settings.USER, user), (session_settings.GROUPS, groups)):
        if value is not None:
            session.settings.give(setting.name, value if isinstance(value, str) else ",".join(value))
    if create_catalogs:
        session.settings.give(session_settings.AUTO_CREATE.name, "true")
    if catalog is not None:
        try:
            if create_catalogs:
                session.sql(f"USE CATALOG {quote(catalog)}")
            session.catalog.use_catalog(catalog)
        except BaseException:
            session.close()
            raise
    return session


def local_folders(paths: str | Sequence[str]) -> tuple[str, ...]:
    """The folders that PUT and GET may use, given as one path or several."""
    return (paths,) if isinstance(paths, str) else tuple(paths)


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view of the catalog; `parts` is its full name: catalog, schema, name."""

    parts: tuple[str, str, str]
    is_view: bool


@dataclass(frozen=True, slots=True)
class Description:
    """Description of a table or view. `columns` are the top-level ones; `keys` has the primary key first."""

    relation: Relation
    columns: StructType
    comment: str | None = None
    keys: tuple[Key, ...] = ()
    partition_columns: tuple[str, ...] = ()
    checks: Mapping[str, str] = field(default_factory=dict)
    """Conditions of CHECK constraints, by name."""
    query: str | None = None
    """The SQL query of a view; None for a table."""


def schemas(session: Session, catalog: str | None = None) -> list[str]:
    """The schemas of a catalog (None: the current one), by name."""
    if catalog is None:
        return [entry.name for entry in session.catalog.schemas()]
    return [entry.name for entry in session.catalog.within(catalog.lower(), "").schemas()]


def relations(session: Session, catalog: str | None = None, schema: str | None = None) -> Iterator[Relation]:
    """Tables and views of one schema (None: the current one), by name. Raises SchemaNotFoundError."""
    names = session.catalog
    schema_key = (catalog or names.current_catalog, schema or names.current_schema)
    for entry in names.entries(schema_key):
        yield _relation(entry)


def described(session: Session, parts: tuple[str, ...]) -> Description:
    """The description of a table or view of the catalog, by 1–3 parts of its name; temporary views are not found.

    Raises TableNotFoundError, and errors of the table's log.
    """
    entry = session.catalog.find(parts)
    if isinstance(entry, ViewEntry):
        view = entry.definition
        return Description(_relation(entry), view.schema, view.comment, query=view.text)
    entry = session.catalog.require(parts)
    if entry.source is not None:
        source = entry.source
        columns = source.schema
        if columns is None:
            columns = session.sql(f"SELECT * FROM {sql_name(entry.parts)}").schema
        return Description(_relation(entry), columns, source.comment, partition_columns=source.partition_columns)
    metadata: Metadata = session.log(TableName(entry.parts)).snapshot().metadata
    return Description(
        _relation(entry),
        metadata.schema,
        metadata.description,
        keys_of(metadata),
        metadata.partition_columns,
        metadata.properties.constraints,
    )


def has_relation(session: Session, parts: tuple[str, ...]) -> bool:
    """Whether the catalog has a table or view of this name, or the session a temporary view."""
    if len(parts) == 1 and parts[0].lower() in session.views:
        return True
    try:
        return session.catalog.find(parts) is not None
    except errors.TableNotFoundError:
        return False


def _relation(entry: Entry) -> Relation:
    return Relation(entry.parts, isinstance(entry, ViewEntry))
