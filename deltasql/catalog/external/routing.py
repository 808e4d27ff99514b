"""External catalogs: their types and configuration, and the routing of names and commits to their stores.

Each catalog has one store: the embedded one of the warehouse, or that of an external catalog. Operations that no
external catalog supports are refused by name. The commits of a table are ratified by the catalog that manages it.
Configuration comes from mappings, options of the command line, and settings of a Spark session.

External catalogs repeat a part of a table's log, for their users and for tools that read no log; they get the facts on
a Delta table when its name is registered.
"""

from __future__ import annotations

import logging
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from threading import RLock
from typing import Any, ClassVar, NoReturn, TypeAlias, TypeVar, cast

from deltasql.base import DeltaSqlError, conceal, errors, is_secret, similar_names
from deltasql.catalog.commit_stores import CommitRegistry, CommitStore
from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
    Entry,
    FunctionEntry,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    ViewEntry,
    sql_name,
)
from deltasql.catalog.store import (
    CATALOGS,
    FUNCTIONS,
    INFORMATION_SCHEMA,
    RELATIONS,
    SCHEMAS,
    SECURABLES,
    SYSTEM,
    CatalogStore,
    Key,
    Kind,
    NameMissingError,
    NameTakenError,
    RecordGroup,
    SchemaKey,
    TableKey,
)
from deltasql.catalog.temporary import SESSION, TemporaryTables
from deltasql.log import CommitCatalog, Lent, StagedCommit, TableCommits
from deltasql.schema import StructType

Catalogs: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Options of external catalogs by name: `{"main": {"type": "unity", "uri": …, "token": …}}`."""

_R = TypeVar("_R")

TYPE = "type"
_VARIABLE = re.compile(r"\$\{env:(?P<name>\w+)\}")
_SPARK = "spark.sql.catalog."
_OF_SPARK = {"io.unitycatalog.spark.UCSingleCatalog": "unity"}
"""Types by the class that a Spark session has for a catalog."""
_SPARK_NAMES = {
    "auth.token": "token",
    "auth.oauth.uri": "oauth_uri",
    "auth.oauth.clientId": "client_id",
    "auth.oauth.clientSecret": "client_secret",
}
"""Options by their names in Spark's settings, where the two differ."""


@dataclass(frozen=True, slots=True)
class CatalogOptions:
    """The configuration of one external catalog; its name is in lower case. Options may be secrets."""

    name: str
    type: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    def get(self, option: str) -> str | None:
        """The value of an option; None if it is not set, or empty."""
        return self.options.get(option) or None

    def seconds(self, option: str, default: float) -> float:
        """An option that is a number of seconds. Raises CatalogConfigurationError."""
        text = self.get(option)
        try:
            value = default if text is None else float(text)
        except ValueError:
            value = -1.0
        if not 0 < value < float("inf"):
            raise errors.CatalogConfigurationError(
                catalog=self.name, reason=f"{option} must be a positive number of seconds"
            )
        return value


def configured(catalogs: Catalogs | None) -> dict[str, CatalogOptions]:
    """The external catalogs of a mapping, checked, by name. Raises CatalogConfigurationError."""
    found: dict[str, CatalogOptions] = {}
    if not isinstance(catalogs or {}, Mapping):
        raise errors.CatalogConfigurationError(catalog="catalogs", reason="it is no mapping of names to options")
    for name, options in (catalogs or {}).items():
        if not isinstance(name, str):
            raise errors.CatalogConfigurationError(catalog=str(name), reason="its name is no text")
        if name.lower() in found:
            raise errors.CatalogConfigurationError(catalog=name, reason="it is configured twice")
        found[name.lower()] = _checked(name, options)
    return found


def _checked(name: str, options: Any) -> CatalogOptions:
    if name.lower() in {DEFAULT_CATALOG, SYSTEM} or not re.fullmatch(r"[^\x00-\x20./\x7f]+", name):
        raise errors.CatalogConfigurationError(catalog=name, reason="an external catalog cannot have this name")
    if not isinstance(options, Mapping):
        raise errors.CatalogConfigurationError(catalog=name, reason="its configuration is no mapping of options")
    given = ((str(key), value) for key, value in options.items() if value is not None)
    texts = {key: _text(name, key, value).strip() for key, value in given}
    type_name = texts.pop(TYPE, "").lower()
    if type_name not in TYPES:
        reason = f"there is no type {type_name} of catalogs" if type_name else "it has no type"
        raise errors.CatalogConfigurationError(catalog=name, reason=f"{reason}; types are {', '.join(sorted(TYPES))}")
    _check_options(name, type_name, texts)
    for option, text in texts.items():
        if is_secret(option):
            conceal(text)
    return CatalogOptions(name.lower(), type_name, texts)


def _check_options(name: str, type_name: str, options: Mapping[str, str]) -> None:
    """Raises CatalogConfigurationError for an option that the type does not have, and for one that it lacks."""
    kind = TYPES[type_name]
    for option in options:
        if option not in kind.options:
            close = similar_names(option, kind.options)
            advice = f"did you mean {close[0]}" if close else f"options are {', '.join(sorted(kind.options))}"
            raise errors.CatalogConfigurationError(
                catalog=name, reason=f"{type_name} has no option {option} ({advice})"
            )
    missing = [option for option in kind.needed if not options.get(option)]
    if missing:
        raise errors.CatalogConfigurationError(catalog=name, reason=f"its option {missing[0]} is missing")


def _text(catalog: str, option: str, value: Any) -> str:
    """The value of an option as text; `${env:NAME}` is a variable of the environment."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    variable = _VARIABLE.fullmatch(text)
    if variable is None:
        return text
    if variable["name"] not in os.environ:
        reason = f"its option {option} is the variable {variable['name']}, which the environment does not have"
        raise errors.CatalogConfigurationError(catalog=catalog, reason=reason)
    return os.environ[variable["name"]]


def of_spark(settings: Iterable[tuple[str, str]]) -> dict[str, dict[str, str]]:
    """The external catalogs of a Spark session's settings; options that are unknown are the connector's own."""
    values = {key.removeprefix(_SPARK): value for key, value in settings if key.startswith(_SPARK)}
    found: dict[str, dict[str, str]] = {}
    for name, implementation in values.items():
        kind = _OF_SPARK.get(implementation)
        # Spark needs an implementation of its own catalog, which stays that of the warehouse.
        if kind is None or name == DEFAULT_CATALOG:
            continue
        given = {key.removeprefix(f"{name}."): value for key, value in values.items() if key.startswith(f"{name}.")}
        options = {_SPARK_NAMES.get(key, key): value for key, value in given.items()}
        found[name] = {TYPE: kind, **{key: value for key, value in options.items() if key in TYPES[kind].options}}
    return found


@dataclass(frozen=True, slots=True)
class CatalogType:
    """A type of external catalogs.

    `opener` is a function of `module` that makes a store of the CatalogOptions of a catalog; a package that `module`
    imports and that is missing is installed by `extra`. `needed` are options that must be there.
    """

    module: str
    opener: str
    needed: tuple[str, ...]
    others: tuple[str, ...]
    extra: str

    @property
    def options(self) -> frozenset[str]:
        return frozenset((*self.needed, *self.others))


TYPES: Mapping[str, CatalogType] = {
    "unity": CatalogType(
        "deltasql.catalog.external.unity.store",
        "UnityStore",
        needed=("uri",),
        others=("token", "client_id", "client_secret", "oauth_uri", "scope", "catalog", "timeout"),
        extra="unity",
    ),
    "hive": CatalogType(
        "deltasql.catalog.external.hive",
        "HiveStore",
        needed=("uri",),
        others=("user", "timeout"),
        extra="hive",
    ),
    "glue": CatalogType(
        "deltasql.catalog.external.glue",
        "GlueStore",
        needed=(),
        others=(
            *("region", "endpoint", "profile", "access_key_id", "secret_access_key", "session_token"),
            *("catalog_id", "warehouse", "timeout"),
        ),
        extra="glue",
    ),
}
"""Types by their names in configurations."""


@dataclass(frozen=True, slots=True)
class MirroredTable:
    """A version of a table, as its log says it. `timestamp` is milliseconds since the epoch.

    `changed`: its schema or properties differ from those of the version before, which has had the properties `dropped`.
    """

    version: int
    timestamp: int
    schema: StructType
    partition_columns: tuple[str, ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    changed: bool = True


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The newest version of a table, in the terms of its log: `schema` is the JSON of its columns."""

    version: int
    timestamp: int
    schema: Mapping[str, Any]
    partition_columns: Sequence[str]
    properties: Mapping[str, str]
    protocol: Mapping[str, Any]
    domains: Mapping[str, Mapping[str, Any]]
    comment: str | None = None


ReadFacts: TypeAlias = Callable[[str], TableFacts]
"""Reads the facts of the table at a location. Raises a DeltaSqlError."""


def _unread(location: str) -> TableFacts:
    raise errors.StorageError("read", location, "this catalog was opened without a session")


class ExternalStore(ABC):
    """A CatalogStore for one catalog, on a server. See `CatalogStore` for the methods.

    A store opens no connection before it is asked for a name. Names are read each time they are asked for: a statement
    caches them itself.
    """

    type: ClassVar[str]
    """The type, as configurations and messages name it."""
    takes_shallow_clones: ClassVar[bool] = True
    """Whether a table at a place of its choice may consist of files of another table."""

    def __init__(self, options: CatalogOptions) -> None:
        self.name = options.name
        self.configuration = options

    def refused(self, operation: str) -> errors.CatalogOperationError:
        """The error for an operation that the catalog does not support."""
        return errors.CatalogOperationError(catalog=self.name, type=self.type, operation=operation)

    def _refuse(self, operation: str) -> NoReturn:
        raise self.refused(operation)

    # What a store may add to the protocol

    read_facts: ReadFacts = staticmethod(_unread)
    """Reads what a registration says of a table; set by the session."""

    @property
    def commit_catalog(self) -> CommitCatalog | None:
        """The catalog of commits of its managed tables, if it ratifies commits."""
        return None

    def manages(self, location: str) -> bool:
        """Whether it ratifies the commits of the table at a location."""
        return False

    def holds(self, location: str) -> bool:
        """Whether a table at a location is known to it, although it does not ratify its commits."""
        return False

    def lend(self, location: str) -> Lent | None:
        """Credentials for the storage of one of its tables; None: the session's own are used."""
        return None

    def required_properties(self, key: TableKey) -> Mapping[str, str]:
        """Properties that a new table without LOCATION must have; `new_location` was called before."""
        return {}

    def lasting_properties(self, configuration: Mapping[str, str]) -> Mapping[str, str]:
        """Those properties of one of its managed tables that the table still has when it is replaced."""
        return {}

    def announce(self, location: str) -> None:  # noqa: B027 - not every store lends credentials
        """A table is to be created, or registered, at a location that the statement names."""

    def new_location(self, key: TableKey) -> str | None:
        """The location of a new table without LOCATION; None: below the location of its schema."""
        return None

    def mirror(self, location: str, described: MirroredTable) -> None:  # noqa: B027 - most catalogs repeat nothing
        """Repeats what was committed to a table at this location, for those who read no log.

        A table of this catalog that is not there yet may be added later.
        """

    # The protocol of a store, by the questions below, which a server answers

    def get(self, group: RecordGroup[_R], key: Key) -> _R | None:
        return cast("_R | None", self._get(group.name, key))

    def _get(self, group: str, key: Key) -> Any:
        match group, key:
            case CATALOGS.name, (name,):
                return self.catalog(name)
            case SCHEMAS.name, (catalog, schema):
                return self.schema((catalog, schema))
            case RELATIONS.name, (catalog, schema, name):
                return self.entry((catalog, schema, name))
            case FUNCTIONS.name, (catalog, schema, name):
                return self.function((catalog, schema, name))
        return None

    def list(self, group: RecordGroup[_R], parent: Key = ()) -> Sequence[_R]:
        match group.name, parent:
            case SCHEMAS.name, (catalog,):
                return cast("Sequence[_R]", self.schemas(catalog))
            case RELATIONS.name, (catalog, schema):
                return cast("Sequence[_R]", self.entries((catalog, schema)))
        return ()

    def edit(
        self, group: RecordGroup[_R], key: Key, change: Callable[[_R | None], _R | None], must_exist: Kind | None = None
    ) -> _R | None:
        edit: Callable[..., Any] = {
            CATALOGS.name: self._edit_catalog,
            SCHEMAS.name: self._edit_schema,
            RELATIONS.name: self._edit_relation,
        }.get(group.name, lambda *_: self._refuse(group.name))
        return cast("_R | None", edit(key, change, must_exist))

    def _edit_catalog(self, key: Key, change: Callable[[Any], Any], must_exist: Kind | None) -> Any:
        self.change_catalog(key[0], change)

    def _edit_schema(self, key: Key, change: Callable[[Any], Any], must_exist: Kind | None) -> Any:
        if must_exist is not None:
            return self.change_schema((key[0], key[1]), change)
        added = change(self.schema((key[0], key[1])))
        self.add_schema(added)
        return added

    def _edit_relation(self, key: Key, change: Callable[[Any], Any], must_exist: Kind | None) -> Any:
        """Finds out what the change does, since servers have a request for each."""
        name = (key[0], key[1], key[2])
        if must_exist is Kind.VIEW:
            # Only a removal asks for a view that exists.
            return change(self.remove_entry(name, Kind.VIEW))
        found = self.entry(name)
        if found is None and must_exist is not None:
            raise NameMissingError(must_exist)
        changed = change(found)
        if changed is None:
            # The entry that the server returns says whose the files are.
            change(self.remove_entry(name, Kind.TABLE))
        elif isinstance(changed, ViewEntry):
            self.change_view(name, change)
        elif found is None:
            self.add_table(changed)
        else:
            return self.change_table(name, change)
        return changed

    def move(self, key: TableKey, new: TableKey) -> Entry:
        return self.rename(key, new)

    def remove(self, key: Key, cascade: bool = False) -> Sequence[TableEntry]:
        if len(key) == 1:
            self._refuse("DROP CATALOG")
        return self.drop_schema((key[0], key[1]), cascade)

    # Catalogs

    def catalog(self, name: str) -> StoredCatalog | None:
        return StoredCatalog(self.name, None, None, 0)

    def change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        self._refuse("comments, properties and tags of a catalog")

    # Schemas

    @abstractmethod
    def schemas(self, catalog: str) -> Sequence[StoredSchema]: ...

    @abstractmethod
    def schema(self, key: SchemaKey) -> StoredSchema | None: ...

    def add_schema(self, schema: StoredSchema) -> None:
        self._refuse("CREATE SCHEMA")

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        self._refuse("comments, properties and tags of a schema")

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        self._refuse("DROP SCHEMA")

    # Tables

    @abstractmethod
    def entries(self, schema: SchemaKey) -> Sequence[Entry]: ...

    @abstractmethod
    def entry(self, key: TableKey) -> Entry | None: ...

    def add_table(self, entry: TableEntry) -> None:
        self._refuse("CREATE TABLE")

    def remove_entry(self, key: TableKey, kind: Kind) -> Entry:
        if kind is Kind.VIEW:
            raise NameMissingError(kind)
        self._refuse("DROP TABLE")

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        self._refuse("RENAME TO")

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        self._refuse("SET LOCATION and changes of definitions")

    # Views and functions

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        self._refuse("views")

    def function(self, key: TableKey) -> FunctionEntry | None:
        return None

    def close(self) -> None:  # noqa: B027 - not every store has a connection
        """Closes connections; a later call opens them again."""


_LOGGER = logging.getLogger(__name__)

EMBEDDED = "the warehouse"


class ExternalCatalogs:
    """The external catalogs of a session. Each is opened, and its library imported, when it is first asked.

    `find` gives the configurations when a name of another catalog than the default one is first looked up.
    """

    def __init__(
        self, find: Callable[[], Mapping[str, CatalogOptions]] = dict, read_facts: ReadFacts | None = None
    ) -> None:
        self._find, self._read_facts = find, read_facts
        self._options: Mapping[str, CatalogOptions] | None = None
        self._stores: dict[str, ExternalStore] = {}
        self._lock = RLock()

    @property
    def options(self) -> Mapping[str, CatalogOptions]:
        """The configurations by name. Raises CatalogConfigurationError."""
        if self._options is None:
            self._options = self._find()
        return self._options

    def type_of(self, catalog: str) -> str | None:
        """The type of an external catalog; None for any other. Opens nothing."""
        options = None if catalog == DEFAULT_CATALOG else self.options.get(catalog)
        return None if options is None else options.type

    def store(self, catalog: str) -> ExternalStore | None:
        """The store of an external catalog; None for any other name. Raises CatalogLibraryMissingError."""
        if catalog == DEFAULT_CATALOG or catalog not in self.options:
            return None
        with self._lock:
            if catalog not in self._stores:
                store = self._stores[catalog] = _opened(self.options[catalog])
                if self._read_facts is not None:
                    store.read_facts = self._read_facts
            return self._stores[catalog]

    @property
    def opened(self) -> Sequence[ExternalStore]:
        """The stores that were asked so far."""
        return tuple(self._stores.values())

    def manager(self, location: str) -> ExternalStore | None:
        """The external catalog that ratifies the commits of the table at a location; None if there is none."""
        return next((store for store in self.opened if store.manages(location)), None)

    def lend(self, location: str) -> Lent | None:
        """Credentials for the storage of a table of an external catalog; None for any other location."""
        return next((lent for store in self.opened if (lent := store.lend(location)) is not None), None)

    def mirror(self, location: str, described: MirroredTable) -> None:
        """Has the catalogs repeat what was committed to a table. A failure is logged: the log has the table."""
        for store in self.opened:
            try:
                store.mirror(location, described)
            except (DeltaSqlError, NameMissingError) as error:
                version = described.version
                _LOGGER.warning("catalog %s does not show version %d of %s: %s", store.name, version, location, error)

    def close(self) -> None:
        """Closes connections; a later call opens them again."""
        for store in self.opened:
            store.close()


def _opened(options: CatalogOptions) -> ExternalStore:
    kind = TYPES[options.type]
    try:
        store = getattr(import_module(kind.module), kind.opener)(options)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("deltasql"):
            raise
        package = error.name or kind.extra
        raise errors.CatalogLibraryMissingError(
            catalog=options.name, type=options.type, package=package, extra=kind.extra
        ) from None
    assert isinstance(store, ExternalStore)
    return store


class RoutedStore:
    """A CatalogStore that passes each call to the store of the catalog it is about."""

    def __init__(self, embedded: CatalogStore, external: ExternalCatalogs, temporary: TemporaryTables) -> None:
        self._embedded, self._external, self._temporary = embedded, external, temporary

    def _of(self, catalog: str) -> CatalogStore | ExternalStore:
        return self._external.store(catalog) or self._embedded

    @property
    def commits(self) -> CommitStore:
        """Commits of the tables that the embedded catalog manages; external ones have a CommitCatalog."""
        return self._embedded.commits

    def get(self, group: RecordGroup[_R], key: Key) -> _R | None:
        if key[:2] == SESSION:
            return self._temporary.get(group, key)
        return None if self._is_built_in(group, key) else self._store_of(group, key).get(group, key)

    def list(self, group: RecordGroup[_R], parent: Key = ()) -> Sequence[_R]:
        if parent == SESSION:
            return self._temporary.list(group)
        if group.name == RELATIONS.name and self._is_built_in(SCHEMAS, parent):
            raise NameMissingError(Kind.SCHEMA)
        found = self._store_of(group, parent).list(group, parent)
        if group.name == CATALOGS.name:
            # No server is asked for this.
            others = (StoredCatalog(name, None, None, 0) for name in self._external.options if name != DEFAULT_CATALOG)
            named = {group.key(item): item for item in (*found, *cast("Iterator[_R]", others))}
            return [*named.values()]
        return [item for item in found if not self._is_built_in(group, group.key(item))]

    def edit(
        self, group: RecordGroup[_R], key: Key, change: Callable[[_R | None], _R | None], must_exist: Kind | None = None
    ) -> _R | None:
        if group.name == CATALOGS.name and must_exist is None and self._external.type_of(key[0]) is not None:
            raise NameTakenError
        if key[:2] == SESSION:
            return self._temporary.edit(group, key, change, must_exist)
        return self._store_of(group, key).edit(group, key, change, must_exist)

    def move(self, key: TableKey, new: TableKey) -> Entry:
        store = self._of(key[0])
        if store is not self._of(new[0]):
            raise errors.RenameAcrossCatalogsError(
                table=sql_name(key),
                new_name=sql_name(new),
                system=self._external.type_of(key[0]) or EMBEDDED,
                new_system=self._external.type_of(new[0]) or EMBEDDED,
            )
        return store.move(key, new)

    def remove(self, key: Key, cascade: bool = False) -> Sequence[TableEntry]:
        return self._of(key[0]).remove(key, cascade)

    def below(self, location: str) -> Sequence[TableEntry]:
        """Tables of the warehouse; external catalogs choose the locations of their new tables themselves."""
        return self._embedded.below(location)

    def _store_of(self, group: RecordGroup[Any], key: Key) -> CatalogStore | ExternalStore:
        """Securables are records of the warehouse, and so is the list of catalogs."""
        return self._embedded if group.name == SECURABLES.name or not key else self._of(key[0])

    def _is_built_in(self, group: RecordGroup[Any], key: Key) -> bool:
        """Of the information schema of an external catalog, the views are deltasql's."""
        named = group.name in {SCHEMAS.name, RELATIONS.name} and len(key) > 1 and key[1] == INFORMATION_SCHEMA
        return named and self._external.type_of(key[0]) is not None

    def close(self) -> None:
        self._external.close()
        self._embedded.close()


class RoutedCommits:
    """A CommitCatalog that passes each call to the catalog that manages the table at a location."""

    def __init__(self, embedded: CommitRegistry, external: ExternalCatalogs) -> None:
        self._embedded, self._external = embedded, external

    @property
    def durable(self) -> bool:
        """Whether a commit that the embedded catalog has ratified outlives a crash of the machine."""
        return self._embedded.durable

    @durable.setter
    def durable(self, value: bool) -> None:
        self._embedded.durable = value

    def _owner(self, location: str) -> ExternalStore | None:
        return self._external.manager(location)

    def _of(self, location: str) -> CommitCatalog:
        owner = self._owner(location)
        return (owner and owner.commit_catalog) or self._embedded

    def find(self, location: str) -> TableCommits | None:
        return self._of(location).find(location)

    def all(self) -> Mapping[str, TableCommits]:
        states = dict(self._embedded.all())
        for store in self._external.opened:
            if store.commit_catalog is not None:
                states |= store.commit_catalog.all()
        return states

    def _holder(self, location: str) -> ExternalStore | None:
        """The external catalog of a table whose commits it does not ratify."""
        return next((store for store in self._external.opened if store.holds(location)), None)

    def adopt(self, location: str, known: TableCommits | None) -> bool:
        holder = self._holder(location)
        if holder is not None:
            raise holder.refused("the feature catalogManaged for a table that is not managed")
        return self._of(location).adopt(location, known)

    def settle(self, location: str, version: int) -> None:
        self._of(location).settle(location, version)

    def ratify(self, commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        places = [*(commit.location for commit in commits), *unchanged]
        owners = [owner for place in places if (owner := self._owner(place)) is not None]
        if owners and len(places) > 1:
            raise owners[0].refused("transactions over several tables")
        return self._of(places[0]).ratify(commits, unchanged)

    def published(self, location: str, versions: Collection[int]) -> bool:
        return self._of(location).published(location, versions)

    def forget(self, location: str) -> None:
        self._of(location).forget(location)

    def maintains(self, location: str) -> bool:
        return self._of(location).maintains(location)

    def separate(self, location: str) -> str | None:
        holder = self._holder(location)
        if holder is None or self._embedded.find(location) is not None:
            return self._of(location).separate(location)
        return holder.name
