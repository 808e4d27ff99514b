"""CREATE and REPLACE TABLE … CLONE: a table with the definition and the rows of a version of another one.

The source is one version of a Delta table, a folder of Parquet files, or an Iceberg table.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

from deltasql.base import Caret, DeltaSqlError, errors, pa, pc, session_settings
from deltasql.log import (
    AUTO_PROPERTY,
    CLUSTERING_DOMAIN,
    COPY_INTO,
    DomainMetadata,
    LogStore,
    Metadata,
    ParsedProperties,
    Protocol,
    SetTransaction,
    Snapshot,
    TableProperties,
    assigns_row_ids,
    check_configuration,
    check_replacement,
    clustering_columns,
    clustering_domain,
    is_clustered,
    is_local,
    is_url,
    operations,
    parse_properties,
    protocol_for,
    table_properties,
    table_uri,
    with_column_mapping,
    with_row_id_columns,
    with_valid_formats,
)
from deltasql.plan import Alone, LogicalPlan, TableName, Temporal
from deltasql.planner import WHOLE_TABLE, Answer, CloneChange, CommitSpec, Context, Plan, plan, refuse_enforced
from deltasql.schema import LONG, Path, StructField, StructType, check_table_schema, quote_name
from deltasql.sql import Clause, Tree, builds, caret, collect
from deltasql.statements.convert import PROVIDERS, adopted_table, refuse_table_above
from deltasql.statements.create_table import OF_ONE_TABLE
from deltasql.statements.delete import refuse_append_only
from deltasql.statements.table_metadata import keeping_log_properties
from deltasql.statements.target import Target, is_of_view, registration, required_properties, target_of

if TYPE_CHECKING:
    from deltasql.log import Action, ClonedFiles, Metadata, Protocol, Snapshot


_MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class CloneSource:
    """A source to clone. `name` is its name in the history, `root` its decoded location.

    `version` is -1 for a source without versions. `files` are add actions as `file_tables.ADD`. `clustering` is None
    for a table that is not clustered, and `transactions` the last version of every application that has written.
    """

    name: str
    root: str
    version: int
    metadata: Metadata
    protocol: Protocol
    files: pa.Table
    clustering: tuple[Path, ...] | None
    transactions: Mapping[str, int]

    @property
    def size(self) -> int:
        """Bytes of the data files."""
        return pc.sum(self.files["size"]).as_py() or 0


def clone_source(name: TableName, context: Context) -> CloneSource:
    """The source that a statement names.

    Raises CloneUnsupportedSourceError, TableNotFoundError, and the errors of the table or the version; for other
    formats than Delta also CloneOfDeltaFolderError, ClonePartitionsError, CloneVersionError and those of
    `errors.sources`.
    """
    try:
        kind = _foreign_kind(name, context)
        if kind is not None:
            raise errors.CloneUnsupportedSourceError(str(name), kind)
        return _file_source(name, context) if _is_path(name, context) else _delta_source(name, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _foreign_kind(name: TableName, context: Context) -> str | None:
    """The kind of an object that cannot be cloned, for messages; None for one that can, and for a missing one."""
    if context.is_view(name):
        return "a view"
    if _is_path(name, context):
        kind = name.parts[0].lower()
        return None if kind in PROVIDERS else f"a directory of {kind} files"
    return "a table of Spark's" if context.is_sparks(name) else None


def _is_path(name: TableName, context: Context) -> bool:
    """Whether a name is a format other than Delta and a path."""
    return len(name.parts) == 2 and name.path is None and "/" in name.parts[1] and not _is_ours(name, context)


def _is_ours(name: TableName, context: Context) -> bool:
    try:
        return context.catalog.resolve(name.parts) is not None
    except DeltaSqlError:
        return False


def _file_source(name: TableName, context: Context) -> CloneSource:
    """The source for files without a log: the table that CONVERT TO DELTA would create, without writing its log."""
    from deltasql.files import source_table
    from deltasql.log import ADD, from_files

    provider, path = name.parts[0].lower(), name.parts[1]
    if name.temporal is not None:
        raise errors.CloneVersionError(str(name))
    log = context.logs(path, str(name))
    if log.exists():
        raise errors.CloneOfDeltaFolderError(str(name), f"delta.{quote_name(path)}")
    refuse_table_above(log)
    try:
        table = adopted_table(
            source_table(context.analyst.stores, provider, log.location), (), context, table=str(name)
        )
    except errors.PartitionCountError as error:
        raise errors.ClonePartitionsError(str(name), error.found) from None
    parameter = f"{provider}.{quote_name(table_uri(log.location))}"
    files = from_files(table.files, ADD)
    return CloneSource(parameter, log.location, -1, table.metadata, table.protocol, files, None, {})


def _delta_source(name: TableName, context: Context) -> CloneSource:
    from deltasql.log import ADD

    snapshot = context.snapshot(name)
    snapshot.check_readable()
    refuse_enforced("CLONE", name, snapshot.location, context)
    files = snapshot.live_adds(ADD.names)
    if name.temporal is not None:
        _check_present(context.log(name).store, snapshot, files)
    if name.path is not None:
        parameter = f"delta.{quote_name(table_uri(snapshot.location))}"
    else:
        parameter = ".".join(map(quote_name, context.catalog.full_name(name.parts)))
    return CloneSource(
        parameter,
        snapshot.location,
        snapshot.version,
        snapshot.metadata,
        snapshot.protocol,
        files,
        clustering_columns(snapshot) if is_clustered(snapshot) else None,
        snapshot.transactions,
    )


def _check_present(store: LogStore, snapshot: Snapshot, files: pa.Table) -> None:
    """Raises VacuumedVersionError where files of an older version are missing."""
    from deltasql.log import missing_files

    gone = files.filter(pc.or_(*missing_files(store, files)))["path"].to_pylist()
    if gone:
        raise errors.VacuumedVersionError(str(snapshot.table), snapshot.version, len(gone), tuple(gone[:_MOST_SHOWN]))


@dataclass(frozen=True, slots=True)
class CloneTable(LogicalPlan):
    """CREATE [OR REPLACE] TABLE [IF NOT EXISTS] t [USING format] [SHALLOW | DEEP] CLONE source [version] [clauses]

    A clause is TBLPROPERTIES (…) or LOCATION 'path', for the clone. `mode` is create, create_or_replace or replace.
    `source` says which of its versions is cloned. The format is delta or iceberg, and says nothing.
    """

    table_words: ClassVar[str] = "CREATE TABLE … CLONE"
    alone: ClassVar[tuple[str, Alone] | None] = ("CREATE TABLE … CLONE", Alone.MAKES)

    mode: str
    if_not_exists: bool
    table: TableName
    shallow: bool
    source: TableName
    location: str | None
    properties: tuple[tuple[str, str], ...]

    def created(self) -> TableName | None:
        return None if self.mode == "replace" else self.table


@builds("clone_table")
def _clone_table(children: list[Any], tree: Tree, text: str) -> CloneTable:
    # The format stands before the source or behind it.
    format_first = len(children) > 5 and isinstance(children[4], Clause)
    formats, trees = (children[4:5], tree.children[4:5]) if format_first else ([], [])
    mode, external, if_not_exists, table, shallow, source, *rest = (*children[:4], *children[4 + len(formats) :])
    if external:
        reason = "A clone with a LOCATION is external without the word. Leave it out."
        raise errors.ParseSyntaxError(reason, "EXTERNAL").at(caret(tree.children[1], text))
    if if_not_exists and mode != "create":
        reason = "A table is created IF NOT EXISTS or replaced, not both. Leave out one of them."
        raise errors.ParseSyntaxError(reason, "IF NOT EXISTS").at(caret(tree.children[2], text))
    if rest and isinstance(rest[0], Temporal):
        source = _at(source, rest[0], caret(tree.children[5 + len(formats)], text))
    clauses = [item for item in rest if isinstance(item, Clause)]
    trees = [*trees, *tree.children[len(tree.children) - len(clauses) :]]
    values = collect([*formats, *clauses], trees, text)
    _check_format(values.get("provider"), trees, text)
    return CloneTable(mode, if_not_exists, table, shallow, source, values.get("location"), values.get("properties", ()))


def _check_format(provider: str | None, trees: list[Tree], text: str) -> None:
    """Raises ParseSyntaxError for another format than that of a clone, which is Delta's.

    A clone of an Iceberg table, which says so behind its source, is a Delta table as well.
    """
    if provider is not None and provider.lower() not in {"delta", "iceberg"}:
        reason = "A clone is a Delta table. Leave USING out."
        raise errors.ParseSyntaxError(reason, provider).at(caret(trees[0], text))


def _at(source: TableName, temporal: Temporal, place: Caret) -> TableName:
    """The source with the version after its name. Raises ParseSyntaxError for a name that has one already."""
    if source.temporal is not None:
        reason = "The version of a table is given twice: after @ and with AS OF."
        raise errors.ParseSyntaxError(reason, str(source)).at(place)
    return replace(source, temporal=temporal)


CLONED = StructType(
    tuple(
        StructField(name, LONG)
        for name in (
            "source_table_size",
            "source_num_of_files",
            "num_removed_files",
            "num_copied_files",
            "removed_files_size",
            "copied_files_size",
        )
    )
)
METRICS = (
    "sourceTableSize",
    "sourceNumOfFiles",
    "numRemovedFiles",
    "numCopiedFiles",
    "removedFilesSize",
    "copiedFilesSize",
)
_SOURCE_ONLY = (OF_ONE_TABLE - {table_properties.MAX_COLUMN_ID.name, AUTO_PROPERTY}) | {
    table_properties.TAGS,
    table_properties.COLUMN_TAGS,
}
"""Properties of the source that concern its history alone, and neither its columns nor its files."""


@plan.register
def plan_clone_table(statement: CloneTable, context: Context) -> Plan:
    """Clones the version that is read at planning, whatever is committed to the source meanwhile."""
    context.refuse_version(statement.table)
    try:
        target = _target(statement, context)
        if target is None:
            return Answer(CLONED)
        source = clone_source(statement.source, context)
        return _cloned(statement, source, target, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.table.start, statement.table.end)) from None


def _target(statement: CloneTable, context: Context) -> Target | None:
    """The target of the clone; None where IF NOT EXISTS finds a table or view.

    Raises CloneAmbiguousTargetError, InvalidClonePathError, TableAlreadyExistsError, CannotReplaceMissingTableError,
    NonEmptyLocationError, and what `is_of_view` and `target_of` raise.
    """
    table = statement.table
    _check_location(table.path, statement.location, str(table))
    if is_of_view(table, statement.mode, context, if_not_exists=statement.if_not_exists):
        return None
    _refuse_shallow(statement, context)
    target = target_of(table, statement.location, context, defines_columns=True)
    if target.exists and statement.mode == "create":
        if statement.if_not_exists:
            return None
        raise errors.TableAlreadyExistsError(table=str(table))
    if not target.exists and statement.mode == "replace":
        raise errors.CannotReplaceMissingTableError(table=str(table))
    if target.snapshot is not None and statement.mode == "create":
        raise errors.NonEmptyLocationError(location=target.log.location)
    return target


def _refuse_shallow(statement: CloneTable, context: Context) -> None:
    """Raises CatalogOperationError for a shallow clone that an external catalog manages, where none could read it."""
    table = statement.table
    if not statement.shallow or table.path is not None or statement.location is not None:
        return
    external = context.catalog.external.store(context.catalog.full_name(table.parts)[0])
    if external is None or external.takes_shallow_clones:
        return
    entry = context.catalog.resolve(table.parts)
    if entry is None or entry.managed:
        reason = "its credentials for the clone would not open the files of the source: write DEEP CLONE"
        raise external.refused(f"SHALLOW CLONE into a managed table ({reason})")


def _check_location(path: str | None, location: str | None, table: str) -> None:
    """Raises CloneAmbiguousTargetError, InvalidClonePathError."""
    if path is not None and location is not None:
        raise errors.CloneAmbiguousTargetError(table, location)
    target = path or location
    if target is not None and not is_local(target) and not is_url(target):
        raise errors.InvalidClonePathError(target)


def _cloned(statement: CloneTable, source: CloneSource, target: Target, context: Context) -> CloneChange:
    if target.log.location == source.root:
        raise errors.CloneSameTableError(str(statement.table))
    metadata, protocol = _definition(statement, source, target, context)
    numbered = assigns_row_ids(protocol, metadata)
    if numbered:
        _refuse_unknown_counts(source)
    folder = uuid4().hex
    files = _files(source, target, folder, shallow=statement.shallow, numbered=numbered)
    if target.snapshot is not None and len(files.removed):
        refuse_append_only(target.snapshot)
    row = (
        source.size,
        len(source.files),
        files.removed_amount.files,
        files.copied.files,
        files.removed_amount.size,
        files.copied.size,
    )
    commit = CommitSpec(
        target.log,
        target.snapshot,
        operations.CLONE,
        {"source": source.name, "sourceVersion": source.version, "isShallow": str(statement.shallow).lower()},
        tuple(_actions(source, metadata, protocol, target.snapshot, shallow=statement.shallow)),
        register=registration(target, shallow_clone=_is_recorded(statement, context)),
        reads=None if target.snapshot is None else WHOLE_TABLE,
    )
    return CloneChange(commit, files, folder, Answer(CLONED, (row,)), dict(zip(METRICS, row, strict=True)))


def _is_recorded(statement: CloneTable, context: Context) -> bool:
    """Whether the catalog records that the table is a shallow clone: an external one has no records of ours."""
    table = statement.table
    if not statement.shallow or table.path is not None:
        return False
    return context.catalog.external.type_of(context.catalog.full_name(table.parts)[0]) is None


def _files(source: CloneSource, target: Target, folder: str, *, shallow: bool, numbered: bool) -> ClonedFiles:
    from deltasql.log import ADD, OF_TARGET, deep_files, shallow_files
    from deltasql.schema import no_rows

    existing: pa.Table = no_rows(ADD) if target.snapshot is None else target.snapshot.live_adds(OF_TARGET)
    if shallow:
        return shallow_files(source.files, source.root, existing, target.log.location, numbered=numbered)
    return deep_files(source.files, source.root, existing, folder, numbered=numbered)


def _definition(
    statement: CloneTable, source: CloneSource, target: Target, context: Context
) -> tuple[Metadata, Protocol]:
    """Metadata and protocol of the clone: those of the source, changed by the clauses of the statement.

    A clone that existed before stays the same table, with its id and description. Ids and physical names of columns are
    those in the files. Row ids begin anew, since the rows are new ones.
    """
    table, old = str(statement.table), target.snapshot
    arbitrary = context.setting(session_settings.ARBITRARY_PROPERTIES)
    properties = (*required_properties(target, context).items(), *statement.properties)
    parsed = parse_properties(properties, allow_arbitrary=arbitrary, on_create=True)
    configuration = _configuration(source, parsed, str(statement.source))
    check_configuration(configuration, table=table)
    check_table_schema(
        source.metadata.schema,
        partitioned_by=source.metadata.partition_columns,
        column_mapping=TableProperties(configuration).maps_columns,
        change_data_feed=TableProperties(configuration)[table_properties.CHANGE_DATA_FEED],
        where=table,
    )
    metadata = replace(
        source.metadata,
        id=str(uuid4()),
        name=None,
        description=parsed.comment,
        created_time=int(time.time() * 1000),
        configuration=MappingProxyType(configuration),
    )
    if old is not None:
        check_replacement(old.partition_columns, metadata.partition_columns, configuration, table)
        metadata = _on_top_of(metadata, old)
    given = source.protocol.unmanaged()
    current = given if old is None else old.protocol.merge(given)
    protocol = protocol_for(
        metadata.schema, metadata.configuration, parsed=parsed, current=current, creating=True, table=table
    )
    return with_row_id_columns(metadata, protocol, {} if old is None else old.configuration), protocol


def _configuration(source: CloneSource, parsed: ParsedProperties, name: str) -> dict[str, str]:
    """The source's properties, overridden by the statement's. Raises CloneColumnMappingError."""
    copied = {key: value for key, value in source.metadata.configuration.items() if key not in _SOURCE_ONLY}
    configuration = with_column_mapping(with_valid_formats({**copied, **parsed.configuration}, copied, name))
    before, after = (TableProperties(item)[table_properties.COLUMN_MAPPING_MODE] for item in (copied, configuration))
    if before != after:
        raise errors.CloneColumnMappingError(name, before, after)
    return dict(configuration)


def _on_top_of(metadata: Metadata, old: Snapshot) -> Metadata:
    """The metadata as an update of the existing table `old`."""
    has_vectors = table_properties.DELETION_VECTORS in metadata.properties
    metadata = keeping_log_properties(metadata, old.configuration)
    if not has_vectors:
        metadata = metadata.without_properties((table_properties.DELETION_VECTORS.name,))
    if metadata.properties.maps_columns:
        # The ids of columns that go are never used again.
        highest = max(item[table_properties.MAX_COLUMN_ID] for item in (metadata.properties, old.properties))
        metadata = metadata.with_configuration({table_properties.MAX_COLUMN_ID.name: str(highest)})
    return replace(
        metadata,
        id=old.metadata.id,
        name=old.metadata.name,
        description=old.metadata.description if metadata.description is None else metadata.description,
        created_time=old.metadata.created_time,
    )


def _actions(
    source: CloneSource, metadata: Metadata, protocol: Protocol, old: Snapshot | None, *, shallow: bool
) -> list[Action]:
    """The clone's actions besides its files. A deep clone copies transaction identifiers, at which streams resume."""
    actions: list[Action] = []
    if old is None or protocol != old.protocol:
        actions.append(protocol)
    if old is None or metadata != old.metadata:
        actions.append(metadata)
    clustering = _clustering(source, metadata, old)
    if clustering is not None:
        actions.append(clustering)
    if not shallow:
        actions += _transactions(source, {} if old is None else old.transactions)
    return actions


def _transactions(source: CloneSource, versions: Mapping[str, int]) -> list[SetTransaction]:
    """The transaction identifiers of the source that the target lacks or has at another version.

    Those of COPY INTO are left out: the record of loaded files lies beside the log, for one table.
    """
    others = ((app, version) for app, version in source.transactions.items() if app != COPY_INTO)
    return [SetTransaction(app, version) for app, version in others if versions.get(app) != version]


def _clustering(source: CloneSource, metadata: Metadata, old: Snapshot | None) -> DomainMetadata | None:
    """The clustering domain of the source; where it has none, the removal of the target's."""
    old_domain = None if old is None else old.domains.get(CLUSTERING_DOMAIN)
    if source.clustering is None:
        return None if old_domain is None else DomainMetadata(CLUSTERING_DOMAIN, old_domain, removed=True)
    new_domain = clustering_domain(metadata.schema, source.clustering)
    return None if new_domain.configuration == old_domain else new_domain


def _refuse_unknown_counts(source: CloneSource) -> None:
    """Raises CloneWithoutStatisticsError for a file without a row count, since its rows cannot get row ids."""
    counted = pc.fill_null(pc.match_substring(source.files["stats"], '"numRecords"'), False)
    unknown = source.files.filter(pc.invert(counted))
    if len(unknown):
        raise errors.CloneWithoutStatisticsError(source.name, unknown["path"][0].as_py())
