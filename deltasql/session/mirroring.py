"""The news of commits for external catalogs, which repeat schema and properties of a log.

The external catalogs of a session: where their configuration is from, and what they ask of a table's log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from deltasql.catalog import Catalog, Catalogs, ExternalCatalogs, MirroredTable, TableFacts, configured, of_spark
from deltasql.log import DeltaLog, Snapshot, Stores
from deltasql.schema import schema_to_json
from deltasql.statements import all_properties


def follow(log: DeltaLog, catalog: Catalog, stores: Stores) -> None:
    """Gives a log the storages of its session, and its catalog, which hears of each commit of this session."""
    log.store.at, log.catalog, log.on_commit = stores.open, catalog.commits, partial(_mirror, catalog)


def _mirror(catalog: Catalog, before: Snapshot | None, after: Snapshot) -> None:
    if catalog.external.opened:
        catalog.external.mirror(after.location, mirrored_table(before, after))


def mirrored_table(before: Snapshot | None, after: Snapshot) -> MirroredTable:
    """The part of a version, `after`, that catalogs repeat; it was committed on top of `before`."""
    properties = dict(all_properties(after))
    changed = before is None or before.metadata != after.metadata or before.protocol != after.protocol
    old = () if before is None or not changed else (key for key, _ in all_properties(before))
    return MirroredTable(
        after.version,
        after.timestamp_ms,
        after.schema,
        after.partition_columns,
        after.metadata.description,
        properties,
        frozenset(old) - frozenset(properties),
        changed,
    )


def external_catalogs(
    catalogs: Catalogs | None, spark_settings: Callable[[], Mapping[str, str] | Any], stores: Stores
) -> ExternalCatalogs:
    """The external catalogs of a session: those of `catalogs`, and those that its Spark session has.

    They lend `stores` the credentials for their tables. Raises CatalogConfigurationError for `catalogs`; the others
    are read, and checked, when a name needs them.
    """
    given = configured(catalogs)

    def find() -> Mapping[str, Any]:
        return {**configured(of_spark((spark_settings() or {}).items())), **given}

    external = ExternalCatalogs(find, lambda location: _facts(location, stores))
    stores.lender = external.lend
    return external


def _facts(location: str, stores: Stores) -> TableFacts:
    """The newest version of the table at a location. Raises what `DeltaLog.snapshot` raises."""
    snapshot = DeltaLog(location, store=stores.open(location)).snapshot()
    protocol, metadata = snapshot.protocol, snapshot.metadata
    features = {"readerFeatures": protocol.reader_features, "writerFeatures": protocol.writer_features}
    return TableFacts(
        snapshot.version,
        snapshot.timestamp_ms,
        json.loads(schema_to_json(metadata.schema)),
        tuple(metadata.partition_columns),
        dict(metadata.configuration),
        {
            "minReaderVersion": protocol.min_reader_version,
            "minWriterVersion": protocol.min_writer_version,
            **{name: sorted(found) for name, found in features.items() if found},
        },
        {name: json.loads(text) for name, text in snapshot.domains.items() if name.startswith("delta.")},
        metadata.description,
    )
