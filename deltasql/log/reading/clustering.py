"""Clustering columns in the log: a metadata domain of physical paths. Source: Delta protocol, Clustered Table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from deltasql.log.actions.actions import DomainMetadata
from deltasql.log.replay.snapshot import Snapshot
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.paths import Path
from deltasql.schema.types import StructType

CLUSTERING_FEATURE = "clustering"
CLUSTERING_DOMAIN = "delta.clustering"
AUTO_PROPERTY = "clusterByAuto"
PROVIDER = "liquid"
CUBE_ID, CUBE_COLUMNS, CUBE_CURVE = "ZCUBE_ID", "ZCUBE_ZORDER_BY", "ZCUBE_ZORDER_CURVE"
"""Tags of a clustered file: the cube it was written in, by which columns (JSON), along which curve."""


def is_clustered(snapshot: Snapshot) -> bool:
    """Whether the table has clustering columns, or has had some."""
    return CLUSTERING_FEATURE in snapshot.protocol.features and CLUSTERING_DOMAIN in snapshot.domains


def clustering_columns(snapshot: Snapshot) -> tuple[Path, ...]:
    """The clustering columns as the schema calls them; a path that leads nowhere is left out."""
    if CLUSTERING_FEATURE not in snapshot.protocol.features:
        return ()
    paths = (logical_path(snapshot.schema, path) for path in _physical_paths(snapshot.domains))
    return tuple(path for path in paths if path is not None)


def _physical_paths(domains: Mapping[str, str]) -> list[Path]:
    """The domain holds paths, or plain names as the protocol's example has them."""
    columns = json.loads(domains.get(CLUSTERING_DOMAIN) or "{}").get("clusteringColumns") or []
    return [(column,) if isinstance(column, str) else tuple(column) for column in columns]


def clustering_domain(schema: StructType, columns: Iterable[Path]) -> DomainMetadata:
    """The action that makes `columns` the clustering columns; their paths are as the schema spells them."""
    paths = [physical_path(schema, path) for path in columns]
    configuration = {"clusteringColumns": paths, "domainName": CLUSTERING_DOMAIN}
    return DomainMetadata(CLUSTERING_DOMAIN, json.dumps(configuration, separators=(",", ":"), ensure_ascii=False))


def physical_path(schema: StructType, path: Path) -> Path:
    """A path of struct fields as data files call them, by physical names."""
    field = schema.find(path[0])
    assert field is not None
    below = physical_path(field.type, path[1:]) if isinstance(field.type, StructType) and len(path) > 1 else ()
    return (physical_name(field), *below)


def logical_path(schema: StructType, path: Path) -> Path | None:
    """A path of physical names as the schema calls its fields; None where there is no such field."""
    field = next((item for item in schema if physical_name(item) == path[0]), None)
    if field is None or len(path) == 1:
        return None if field is None else (field.name,)
    below = logical_path(field.type, path[1:]) if isinstance(field.type, StructType) else None
    return None if below is None else (field.name, *below)
