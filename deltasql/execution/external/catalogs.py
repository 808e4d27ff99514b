"""The external catalogs of a session: where their configuration is from, and what they ask of a table's log."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from deltasql.catalog.external.configuration import Catalogs, configured, of_spark
from deltasql.catalog.external.facts import TableFacts
from deltasql.catalog.external.routing import ExternalCatalogs
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.storage.stores import Stores
from deltasql.schema.json import schema_to_json


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
