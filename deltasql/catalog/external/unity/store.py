"""A Unity Catalog as a catalog store, and as the committer of its managed tables.

Names go out as requests, and come back as entries or typed conflicts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, NoReturn

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog.entries import Entry, StoredCatalog, StoredSchema, TableEntry
from deltasql.catalog.external.routing import CatalogOptions, ExternalStore
from deltasql.catalog.external.unity.client import (
    TYPE,
    Lender,
    UnityClient,
    column_infos,
    creation,
    read_commit,
    updates,
)
from deltasql.catalog.external.unity.tables import READABLE, KnownTables, UnityTable, listed, loaded
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError, SchemaInUseError, SchemaKey, TableKey
from deltasql.log import Lent, StagedCommit, TableCommits, is_local, table_location, table_properties

_MANAGED = "catalogManaged"
_LOST = "CommitVersionConflictException"


class UnityCommits:
    """A CommitCatalog over the Delta API. It knows the tables that the session has looked up by name, or created."""

    durable = True
    """A server keeps what it has accepted."""

    def __init__(self, client: UnityClient, tables: KnownTables, path: Callable[[UnityTable], tuple[str, ...]]) -> None:
        self._client, self._tables, self._path = client, tables, path

    def manages(self, location: str) -> bool:
        """Whether the table at a location is a managed one of this catalog."""
        table = self._tables.at(location)
        return table is not None and table.managed

    def find(self, location: str) -> TableCommits | None:
        known = self._tables.at(location)
        if known is None or not known.managed or known.staged is not None:
            return None
        table = self._tables.taken_fresh(location) or self._loaded(known)
        return None if table is None else table.commits

    def all(self) -> Mapping[str, TableCommits]:
        """No server answers for all tables at one moment: each is read as it is when it is asked for."""
        return {}

    def adopt(self, location: str, known: TableCommits | None) -> bool:
        """A staged table becomes a managed one by its registration, which follows its first version."""
        table = self._tables.at(location)
        if table is None or table.staged is None:
            raise self._client.failed("manage an existing table", "only new tables are created as managed ones")
        return True

    def settle(self, location: str, version: int) -> None:
        """The server sets the latest version itself."""

    def ratify(self, commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        (commit,) = commits
        table = self._tables.at(commit.location)
        assert table is not None
        try:
            lines = read_commit(commit.data)
        except (KeyError, TypeError, ValueError) as error:
            raise self._client.failed("take a commit", f"the staged commit cannot be read ({error})") from error
        if lines.protocol is not None and _MANAGED not in (lines.protocol.get("writerFeatures") or ()):
            raise self._client.failed("take a commit", f"a managed table cannot be without the feature {_MANAGED}")
        added = {
            "version": commit.version,
            "timestamp": lines.timestamp,
            "file-name": commit.file,
            "file-size": len(commit.data),
            "file-modification-timestamp": lines.timestamp,
        }
        try:
            changes = [*updates(lines, table.details), {"action": "add-commit", "commit": added}]
            # The answer also tells what is to be published.
            self._tables.remember(self._update(table, changes), fresh=True)
        except errors.CatalogRequestError as error:
            if error.kind == _LOST:
                return [commit.location]
            raise
        return ()

    def published(self, location: str, versions: Collection[int]) -> bool:
        """Reports that versions are published. The staged files stay: readers may have been given their names."""
        table = self._tables.at(location)
        if table is not None and versions:
            with suppress(DeltaSqlError):
                update = {"action": "set-latest-backfilled-version", "latest-published-version": max(versions)}
                self._tables.remember(self._update(table, [update]))
        return False

    def forget(self, location: str) -> None:
        """The server forgets a table when its name is dropped."""

    def maintains(self, location: str) -> bool:
        """Clients write checkpoints, compacted logs and checksums; the server does the rest."""
        return True

    def separate(self, location: str) -> str:
        """The Delta API takes the commit of one table with each request."""
        return self._client.catalog

    def _update(self, table: UnityTable, changes: list[dict[str, Any]]) -> UnityTable:
        requirements = [{"type": "assert-table-uuid", "uuid": table.id}]
        body = {"requirements": requirements, "updates": changes}
        answer = self._client.post(*self._path(table), operation=f"commit to {table.key[2]}", body=body)
        return self._read(table, answer)

    def _loaded(self, known: UnityTable) -> UnityTable | None:
        """The table as it is now; None if it is gone, or if an older server has it, which ratifies nothing."""
        try:
            answer = self._client.get(*self._path(known), operation=f"load table {known.key[2]}")
        except errors.CatalogRequestError as error:
            if error.status == 404:
                return None
            raise
        return self._tables.remember(self._read(known, answer))

    def _read(self, known: UnityTable, answer: Any) -> UnityTable:
        """The table of an answer. Raises CatalogRequestError for another shape, and for another table."""
        try:
            table = loaded(known.key, answer)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._client.failed("load a table", f"its answer lacks {error}") from error
        if table.id != known.id:
            raise self._client.failed("load a table", f"{'.'.join(known.key)} is another table now")
        return table


_PROTOCOL_VERSIONS = "1.0"
_LOAD = "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}"
_DELTA = "DELTA"
_LASTING = frozenset(
    {
        *("delta.checkpointPolicy", "delta.enableDeletionVectors", "delta.enableInCommitTimestamps"),
        *("delta.checkpoint.writeStatsAsStruct", "delta.checkpoint.writeStatsAsJson", table_properties.UNITY_TABLE_ID),
    }
)
"""Properties that the specification requires of every managed table."""
_VIEWS = {"VIEW", "MATERIALIZED_VIEW", "METRIC_VIEW"}


class UnityStore(ExternalStore):
    """A CatalogStore over one catalog of a server. A table is looked up by one request.

    The Delta API is used where the server has it; older servers have external tables alone.
    """

    type = TYPE
    takes_shallow_clones = False

    def __init__(self, options: CatalogOptions) -> None:
        super().__init__(options)
        self._remote = options.get("catalog") or options.name
        self._client = UnityClient(options)
        self._tables = KnownTables()
        self._lender = Lender(self._client, self._tables)
        self._commits = UnityCommits(self._client, self._tables, lambda table: self._delta(table.key))
        self._required: dict[TableKey, Mapping[str, str]] = {}
        self._has_delta: bool | None = None

    # What it adds to the protocol

    @property
    def commit_catalog(self) -> UnityCommits:
        return self._commits

    def lend(self, location: str) -> Lent | None:
        return None if is_local(location) else self._lender.at(location)

    def announce(self, location: str) -> None:
        if not is_local(location):
            self._lender.lend_path(table_location(location))

    def new_location(self, key: TableKey) -> str | None:
        """The place that the server chooses for a managed table."""
        if not self._speaks_delta():
            self._refuse("tables without LOCATION: its server has no Delta API")
        path = ("delta", "v1", "catalogs", self._remote, "schemas", key[1], "staging-tables")
        with self._missing(Kind.SCHEMA):
            answer = self._client.post(*path, operation=f"create table {key[2]}", body={"name": key[2]})
        with self._shaped(f"create table {key[2]}"):
            chosen, identity = str(answer["location"]), str(answer["table-id"])
            self._required[key] = _required(answer)
        place = table_location(chosen)
        self._tables.remember(UnityTable(key, identity, place, managed=True, created_at=0, staged=chosen))
        return place

    def required_properties(self, key: TableKey) -> Mapping[str, str]:
        """The features and properties without which the server does not take a new managed table."""
        return self._required.get(key, {})

    def lasting_properties(self, configuration: Mapping[str, str]) -> Mapping[str, str]:
        return {name: value for name, value in configuration.items() if name in _LASTING}

    def manages(self, location: str) -> bool:
        return self._commits.manages(location)

    def holds(self, location: str) -> bool:
        return self._tables.at(location) is not None and not self.manages(location)

    # Catalogs and schemas

    def catalog(self, name: str) -> StoredCatalog | None:
        with self._none() as found:
            found.append(self._client.get("catalogs", self._remote, operation=f"describe catalog {self._remote}"))
        if not found:
            return None
        with self._shaped(f"describe catalog {self._remote}"):
            return StoredCatalog(self.name, *_described(found[0]))

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        operation = "list its schemas"
        pages = self._client.pages("schemas", operation=operation, items="schemas", catalog_name=self._remote)
        try:
            return [self._schema(info) for info in pages]
        except errors.CatalogRequestError as error:
            if not _is_missing(error):
                raise
            reason = f"the server has no catalog {self._remote}: the option catalog names another one"
            raise self._client.failed(operation, reason) from None

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        with self._none() as found:
            found.append(self._client.get("schemas", self._full(key[1]), operation=f"describe schema {key[1]}"))
        return self._schema(found[0]) if found else None

    def add_schema(self, schema: StoredSchema) -> None:
        body: dict[str, Any] = {"name": schema.name, "catalog_name": self._remote}
        optional = {"comment": schema.comment, "storage_root": schema.location, "properties": dict(schema.properties)}
        body |= {name: value for name, value in optional.items() if value}
        with self._taken(), self._missing(Kind.CATALOG):
            self._client.post("schemas", operation=f"create schema {schema.name}", body=body)

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        found = self.schema(key)
        if found is None:
            raise NameMissingError(Kind.SCHEMA)
        changed = change(found)
        body = {"comment": changed.comment or "", "properties": dict(changed.properties)}
        with self._missing(Kind.SCHEMA):
            path = ("schemas", self._full(key[1]))
            self._client.send("PATCH", path, f"change schema {key[1]}", body=body)

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        """The server removes the files of managed tables itself, so that no table is returned."""
        names = [] if cascade else sorted(str(info["name"]) for info in self._infos(key))
        if names:
            raise SchemaInUseError(names)
        query = {"force": "true"} if cascade else {}
        self._delete("schemas", self._full(key[1]), Kind.SCHEMA, f"drop schema {key[1]}", query)
        return ()

    # Tables

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        """All tables with files; views of the server have no meaning here, and are left out."""
        infos = [info for info in self._infos(schema) if info.get("storage_location")]
        tables = (self._table(info) for info in infos if info.get("table_type") not in _VIEWS)
        return [_entry(self._tables.notice(table)) for table in tables]

    def entry(self, key: TableKey) -> Entry | None:
        table = self._found(key)
        return None if table is None else _entry(self._tables.remember(table, fresh=True))

    def add_table(self, entry: TableEntry) -> None:
        key = entry.parts
        if entry.source is not None:
            self._refuse(f"CREATE TABLE … USING {entry.source.format}")
        staged = self._tables.at(table_location(entry.location))
        if staged is None or staged.staged is None:
            return self._add_external(entry)
        body = creation(key[2], staged.staged, self.read_facts(entry.location), managed=True)
        with self._taken(staged), self._missing(Kind.SCHEMA):
            answer = self._client.post(*self._delta(key)[:-1], operation=f"create table {key[2]}", body=body)
            self._tables.remember(self._understood(key, answer))
        return None

    def _add_external(self, entry: TableEntry) -> None:
        facts = self.read_facts(entry.location)
        body = {
            "name": entry.name,
            "catalog_name": self._remote,
            "schema_name": entry.schema,
            "table_type": "EXTERNAL",
            "data_source_format": _DELTA,
            "storage_location": f"file://{entry.location}" if entry.location.startswith("/") else entry.location,
            "columns": column_infos(facts),
            "properties": dict(facts.properties),
            **({"comment": facts.comment} if facts.comment else {}),
        }
        try:
            self._client.post("tables", operation=f"create table {entry.name}", body=body)
        except errors.CatalogRequestError as error:
            if _is_missing(error):
                raise NameMissingError(Kind.SCHEMA) from None
            if not _is_taken(error):
                raise
            if not error.repeated or not self._is_at(entry):
                raise NameTakenError from None

    def _is_at(self, entry: TableEntry) -> bool:
        """Whether the name belongs to the table that was to be created: an answer was lost."""
        found = self._found(entry.parts)
        return found is not None and found.location == table_location(entry.location)

    def remove_entry(self, key: TableKey, kind: Kind) -> Entry:
        """The server removes the files of a managed table, so that the entry says that it is none."""
        table = None if kind is Kind.VIEW else self._found(key)
        if table is None:
            raise NameMissingError(kind)
        self._delete("tables", self._full(*key[1:]), kind, f"drop table {key[2]}", {})
        self._tables.forget(table.location)
        return replace(_entry(table), managed=False)

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        if key[:2] != new[:2]:
            self._refuse("RENAME TO another schema")
        if not self._speaks_delta():
            self._refuse("RENAME TO: its server has no Delta API")
        table = self._found(key)
        if table is None:
            raise NameMissingError(Kind.TABLE)
        body = {"new-name": new[2]}
        try:
            self._client.post(*self._delta(key), "rename", operation=f"rename {key[2]}", body=body)
        except errors.CatalogRequestError as error:
            if _is_taken(error):
                raise NameTakenError from None
            if not _is_missing(error):
                raise
            moved = self._found(new) if error.repeated else None
            if moved is None or moved.id != table.id:
                raise NameMissingError(Kind.TABLE) from None
        renamed = self._tables.remember(replace(table, key=new))
        return _entry(renamed)

    # Inner parts

    def _delete(self, kind: str, name: str, missing: Kind, operation: str, query: Mapping[str, str]) -> None:
        """Removes something. What is missing after a request without an answer, that request has removed."""
        try:
            self._client.send("DELETE", (kind, name), operation, query=query)
        except errors.CatalogRequestError as error:
            if not _is_missing(error):
                raise
            if not error.repeated:
                raise NameMissingError(missing) from None

    def _found(self, key: TableKey) -> UnityTable | None:
        operation = f"look up {'.'.join(key)}"
        if self._speaks_delta():
            try:
                return self._understood(key, self._client.get(*self._delta(key), operation=operation))
            except errors.CatalogRequestError as error:
                if _is_missing(error):
                    return None
                if error.kind != "UnsupportedTableFormatException":
                    raise
        with self._none() as found:
            found.append(self._client.get("tables", self._full(*key[1:]), operation=operation))
        return self._delta_table(found[0]) if found else None

    def _delta_table(self, info: Mapping[str, Any]) -> UnityTable:
        """A table of the older API. Raises CatalogOperationError for a view, and for a format that is not read."""
        if info.get("table_type") in _VIEWS:
            self._refuse(f"the view {info.get('name')}: it is written for another engine")
        kind = str(info.get("data_source_format") or "")
        if kind != _DELTA and kind not in READABLE:
            self._refuse(f"the table {info.get('name')}, whose format is {kind or 'unknown'}")
        return self._table(info)

    def _table(self, info: Mapping[str, Any]) -> UnityTable:
        with self._shaped("list tables"):
            table = listed(info)
        return replace(table, key=(self.name, *table.key[1:]))

    def _understood(self, key: TableKey, answer: Mapping[str, Any]) -> UnityTable:
        with self._shaped(f"look up {key[2]}"):
            return loaded(key, answer)

    def _infos(self, schema: SchemaKey) -> list[Mapping[str, Any]]:
        named = {"catalog_name": self._remote, "schema_name": schema[1]}
        with self._missing(Kind.SCHEMA):
            return list(self._client.pages("tables", operation=f"list tables of {schema[1]}", items="tables", **named))

    def _schema(self, info: Mapping[str, Any]) -> StoredSchema:
        with self._shaped("describe a schema"):
            return StoredSchema(self.name, str(info["name"]).lower(), *_described(info))

    def _speaks_delta(self) -> bool:
        """Whether the server has the Delta API; it is asked once."""
        if self._has_delta is None:
            query = {"catalog": self._remote, "protocol-versions": _PROTOCOL_VERSIONS}
            try:
                answer = self._client.get("delta", "v1", "config", operation="give its configuration", **query)
                with self._shaped("give its configuration"):
                    self._has_delta = _LOAD in (answer.get("endpoints") or ())
            except errors.CatalogRequestError as error:
                # An older server knows no such path, and has no type of the error.
                if error.status not in {400, 404, 405, 501} or error.kind == "NoSuchCatalogException":
                    raise
                self._has_delta = False
        return self._has_delta

    def _full(self, *parts: str) -> str:
        return ".".join((self._remote, *parts))

    def _delta(self, key: TableKey) -> tuple[str, ...]:
        return ("delta", "v1", "catalogs", self._remote, "schemas", key[1], "tables", key[2])

    @contextmanager
    def _shaped(self, operation: str) -> Iterator[None]:
        """Context: an answer that lacks something, or has something else in its place, is a CatalogRequestError."""
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._client.failed(operation, f"its answer lacks {error}") from error

    @contextmanager
    def _missing(self, kind: Kind) -> Iterator[None]:
        """Context: an answer that something is missing is a NameMissingError."""
        try:
            yield
        except errors.CatalogRequestError as error:
            if _is_missing(error) and error.kind != "NoSuchTableException":
                raise NameMissingError(kind) from None
            raise

    @contextmanager
    def _none(self) -> Iterator[list[Any]]:
        """Context: the list that it yields stays empty where the answer is that something is missing."""
        try:
            yield []
        except errors.CatalogRequestError as error:
            if not _is_missing(error):
                raise

    @contextmanager
    def _taken(self, staged: UnityTable | None = None) -> Iterator[None]:
        """Context: an answer that a name exists is a NameTakenError, unless it is that of an earlier try."""
        try:
            yield
        except errors.CatalogRequestError as error:
            if not _is_taken(error):
                raise
            if not error.repeated:
                raise NameTakenError from None
            if staged is not None:
                found = self._found(staged.key)
                if found is None or found.id != staged.id:
                    raise NameTakenError from None
                self._tables.remember(found)

    def _refuse(self, operation: str) -> NoReturn:
        raise self.refused(operation)


def _entry(table: UnityTable) -> TableEntry:
    return TableEntry(*table.key, table.location, table.managed, table.created_at, table.source)


def _described(info: Mapping[str, Any]) -> tuple[str | None, str | None, int, dict[str, str]]:
    """Comment, location, time of creation and properties of a catalog or a schema. Raises TypeError, ValueError,
    AttributeError."""
    comment, place = info.get("comment"), info.get("storage_root")
    properties = (info.get("properties") or {}).items()
    return (
        None if comment is None else str(comment),
        table_location(place) if place else None,
        int(info.get("created_at") or 0),
        {str(name): str(value) for name, value in properties},
    )


def _required(answer: Mapping[str, Any]) -> dict[str, str]:
    """The properties that a new managed table must have, features included; without those whose value is free."""
    protocol = answer["required-protocol"]
    features = {*(protocol.get("reader-features") or ()), *(protocol.get("writer-features") or ())}
    given = answer["required-properties"].items()
    supported = {f"delta.feature.{name}": "supported" for name in sorted(features)}
    return {**supported, **{name: str(value) for name, value in given if value is not None}}


def _is_missing(error: errors.CatalogRequestError) -> bool:
    return error.status == 404


def _is_taken(error: errors.CatalogRequestError) -> bool:
    """Older servers answer 400 where a name exists."""
    return "ALREADY_EXISTS" in error.kind or error.kind == "AlreadyExistsException"
