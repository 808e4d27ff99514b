"""The dialect of SQLAlchemy: connections, URLs of warehouses, reflection, and the classes of its compilers and types.

A URL is deltasql:///warehouse, deltasql:////data/warehouse, or with connection options
deltasql:///s3://bucket/warehouse?storage.aws_region=eu-west-1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import exc, schema, types
from sqlalchemy import types as sa
from sqlalchemy.engine import URL, default, reflection
from sqlalchemy.sql.compiler import IdentifierPreparer

from deltasql.base import SAIL, DeltaSqlError, chosen_engine, errors
from deltasql.clients import dbapi
from deltasql.clients.sqlalchemy import types as reflecting
from deltasql.clients.sqlalchemy.compilers import Definitions, PreparedNames, Queries, Types
from deltasql.clients.sqlalchemy.types import LiteralArray, QuotedBytes, QuotedString
from deltasql.schema import quote_text
from deltasql.session import Description, Session, described, has_relation, relations, schemas


def _step(step: Any) -> str:
    """One step of a path. Raises ArgumentError for a name that no path of Spark's can hold."""
    if isinstance(step, int):
        return f"[{step}]"
    if "'" in step:
        raise exc.ArgumentError(f"A path of JSON in Spark takes no name with a quote in it: {step}")
    return f"['{step}']"


def _path(value: Any) -> str:
    steps = value if isinstance(value, (list, tuple)) else (value,)
    return "$" + "".join(map(_step, steps))


class _AsPath(sa.JSON.JSONElementType):
    """The value of a parameter that is a place."""

    def bind_processor(self, dialect: Any) -> Callable[[Any], Any]:
        return _path

    def literal_processor(self, dialect: Any) -> Callable[[Any], str]:
        return lambda value: quote_text(_path(value))


class JsonIndex(_AsPath, sa.JSON.JSONIndexType):
    """One step."""


class JsonPath(_AsPath, sa.JSON.JSONPathType):
    """Several steps at once."""


AUTOCOMMIT, SERIALIZABLE = "AUTOCOMMIT", "SERIALIZABLE"


class DeltaSqlDialect(default.DefaultDialect):
    """Each statement is a commit of its own, so that `rollback` has nothing to undo: isolation level AUTOCOMMIT.

    With SERIALIZABLE, or `?autocommit=false`, statements wait for `commit`; one transaction writes one table.
    """

    name = "deltasql"
    driver = "dbapi"
    default_paramstyle = "qmark"
    statement_compiler = Queries
    ddl_compiler = Definitions
    type_compiler_cls = Types
    preparer: type[IdentifierPreparer] = PreparedNames
    colspecs = {  # noqa: RUF012 - SQLAlchemy's own way
        types.String: QuotedString,
        # A String that has more to it.
        types.Enum: types.Enum,
        types.LargeBinary: QuotedBytes,
        types.ARRAY: LiteralArray,
        types.JSON.JSONIndexType: JsonIndex,
        types.JSON.JSONPathType: JsonPath,
    }
    construct_arguments = [  # noqa: RUF012
        (schema.Table, {"partition_by": None, "cluster_by": None, "location": None, "properties": None})
    ]

    supports_statement_cache = True
    supports_native_boolean = True
    supports_native_decimal = True
    supports_alter = True
    supports_comments = True
    inline_comments = True
    supports_default_values = False
    supports_default_metavalue = True
    supports_empty_insert = False
    supports_multivalues_insert = True
    supports_identity_columns = True
    supports_sequences = False
    postfetch_lastrowid = False
    supports_sane_rowcount = True
    supports_sane_multi_rowcount = True
    div_is_floordiv = False
    cte_follows_insert = True
    # Rows of one `execute` go to the cursor's executemany, which is one commit.
    use_insertmanyvalues = False
    is_sail = False
    """Whether the URL has Sail run the queries."""

    def __init__(
        self,
        json_serializer: Callable[[Any], str] | None = None,
        json_deserializer: Callable[[str], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """`json_serializer` and `json_deserializer` replace `json.dumps` and `json.loads` for JSON columns."""
        super().__init__(**kwargs)
        # The type JSON looks for these names.
        self._json_serializer, self._json_deserializer = json_serializer, json_deserializer

    @classmethod
    def import_dbapi(cls) -> Any:
        return dbapi

    def create_connect_args(self, url: URL) -> Any:
        arguments = arguments_of(url)
        self.is_sail = chosen_engine(arguments.get("engine"), has_spark="spark" in arguments) == SAIL
        return [], arguments

    def _get_default_schema_name(self, connection: Any) -> str:
        return _session(connection).catalog.current_schema

    def _get_server_version_info(self, connection: Any) -> Any:
        return None

    def _check_max_identifier_length(self, connection: Any) -> Any:
        return None

    def do_ping(self, dbapi_connection: Any) -> bool:
        dbapi_connection.check_open()
        return True

    def do_execute(self, cursor: Any, statement: Any, parameters: Any, context: Any = None) -> None:
        # An index, which is no statement.
        if statement:
            cursor.execute(statement, parameters)

    def do_execute_no_params(self, cursor: Any, statement: Any, context: Any = None) -> None:
        self.do_execute(cursor, statement, None, context)

    # Transactions

    def get_isolation_level_values(self, dbapi_conn: Any) -> Sequence[Any]:
        return [AUTOCOMMIT, SERIALIZABLE]

    def get_isolation_level(self, dbapi_connection: Any) -> Any:
        return AUTOCOMMIT if dbapi_connection.autocommit else SERIALIZABLE

    def set_isolation_level(self, dbapi_connection: Any, level: Any) -> None:
        dbapi_connection.autocommit = level == AUTOCOMMIT

    def get_default_isolation_level(self, dbapi_conn: Any) -> Any:
        return self.get_isolation_level(dbapi_conn)

    def detect_autocommit_setting(self, dbapi_conn: Any) -> bool:
        return bool(dbapi_conn.autocommit)

    # Reflection

    @reflection.cache
    def get_schema_names(self, connection: Any, **kw: Any) -> list[str]:
        return schemas(_session(connection))

    @reflection.cache
    def get_table_names(self, connection: Any, schema: str | None = None, **kw: Any) -> list[str]:
        return _names(connection, schema, views=False)

    @reflection.cache
    def get_view_names(self, connection: Any, schema: str | None = None, **kw: Any) -> list[str]:
        return _names(connection, schema, views=True)

    @reflection.cache
    def get_temp_view_names(self, connection: Any, schema: str | None = None, **kw: Any) -> list[str]:
        return sorted(_session(connection).views)

    @reflection.cache
    def has_table(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> bool:
        return has_relation(_session(connection), _parts(table_name, schema))

    @reflection.cache
    def has_schema(self, connection: Any, schema_name: str, **kw: Any) -> bool:
        try:
            return _session(connection).catalog.has_schema(tuple(schema_name.split(".")))
        except DeltaSqlError:
            return False

    def get_columns(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        return reflecting.columns(self._described(connection, table_name, schema, **kw))

    def get_pk_constraint(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        return reflecting.primary_key(self._described(connection, table_name, schema, **kw))

    def get_foreign_keys(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        description = self._described(connection, table_name, schema, **kw)
        return reflecting.foreign_keys(description, schema, _session(connection).catalog)

    def get_check_constraints(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        return reflecting.checks(self._described(connection, table_name, schema, **kw))

    def get_table_comment(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        return {"text": self._described(connection, table_name, schema, **kw).comment}

    def get_table_options(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        description = self._described(connection, table_name, schema, **kw)
        return {"deltasql_partition_by": list(description.partition_columns)} if description.partition_columns else {}

    def get_view_definition(self, connection: Any, view_name: str, schema: str | None = None, **kw: Any) -> str:
        query = self._described(connection, view_name, schema, **kw).query
        if query is None:
            raise exc.NoSuchTableError(view_name)
        return query

    def get_indexes(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        self._described(connection, table_name, schema, **kw)
        return []

    def get_unique_constraints(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        self._described(connection, table_name, schema, **kw)
        return []

    @reflection.cache
    def _described(self, connection: Any, table_name: str, schema: str | None = None, **kw: Any) -> Description:
        """Raises NoSuchTableError."""
        parts = _parts(table_name, schema)
        description: Description = _or_missing(table_name, lambda: described(_session(connection), parts))
        return description


def _session(connection: Any) -> Session:
    """The session below a connection of SQLAlchemy."""
    session: Session = connection.connection.dbapi_connection.session
    return session


def _parts(name: str, schema: str | None) -> tuple[str, ...]:
    return (*(schema.split(".") if schema else ()), name)


def _names(connection: Any, schema: str | None, *, views: bool) -> list[str]:
    catalog, _, name = (schema or "").rpartition(".")
    entries = _or_missing(schema or "", lambda: list(relations(_session(connection), catalog or None, name or None)))
    return [item.parts[2] for item in entries if item.is_view == views]


def _or_missing(name: str, find: Callable[[], Any]) -> Any:
    try:
        return find()
    except (errors.TableNotFoundError, errors.SchemaNotFoundError, errors.CatalogNotFoundError) as error:
        raise exc.NoSuchTableError(name) from error
    except DeltaSqlError as error:
        raise exc.DBAPIError(None, None, error) from error


_STORAGE = "storage."
_KEYS = ("catalog", "schema", "spark", "engine", "autocommit")


def arguments_of(url: URL) -> dict[str, Any]:
    """The keyword arguments of `dbapi.connect`. Raises ArgumentError."""
    if url.host or url.username:
        raise exc.ArgumentError(
            "A warehouse is a place and no server: deltasql:///relative/path, deltasql:////absolute/path, "
            "deltasql:///s3://bucket/path."
        )
    query = _query(url)
    arguments: dict[str, Any] = {"warehouse": url.database or "warehouse"}
    arguments |= {key: query[key] for key in ("catalog", "schema", "spark", "engine") if key in query}
    if "autocommit" in query:
        arguments["autocommit"] = _flag(query["autocommit"])
    storage = {key.removeprefix(_STORAGE): value for key, value in query.items() if key.startswith(_STORAGE)}
    return {**arguments, "storage_options": storage} if storage else arguments


def _query(url: URL) -> dict[str, str]:
    """The query parameters of the URL; of repeated ones the last value. Raises ArgumentError for unknown ones."""
    query = {key: value if isinstance(value, str) else value[-1] for key, value in url.query.items()}
    unknown = sorted(key for key in query if key not in _KEYS and not key.startswith(_STORAGE))
    if unknown:
        names = ", ".join((*_KEYS, f"{_STORAGE}…"))
        raise exc.ArgumentError(f"A URL of deltasql has no {', '.join(unknown)}. It has {names}.")
    return query


def _flag(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise exc.ArgumentError(f"autocommit is true or false, not {text}.")
    return text.lower() == "true"
