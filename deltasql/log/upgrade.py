"""The protocol that a table needs for its metadata: which features are added by themselves, and which are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from deltasql.errors.protocol import ColumnDefaultsNotEnabledError, ManualFeaturesError, UnsupportedWriteFeaturesError
from deltasql.log.features import FEATURES, Support, requested_features, with_required
from deltasql.log.protocol import Protocol
from deltasql.schema.types import StructType

DEFAULT_PROTOCOL = Protocol(1, 2)


def protocol_for(
    schema: StructType,
    configuration: Mapping[str, str],
    *,
    explicit_features: Iterable[str] = (),
    min_versions: tuple[int | None, int | None] = (None, None),
    current: Protocol | None = None,
    defaults: Protocol = DEFAULT_PROTOCOL,
    table: str = "the table",
) -> Protocol:
    """The weakest protocol for a new table (`current` is None), or for an existing one after a change of metadata.

    Features come from the metadata, from `explicit_features` (canonical names) and from what those require;
    `min_versions` only raise. `defaults` is where a new table starts.
    Raises UnsupportedWriteFeaturesError for features that deltasql cannot write, ManualFeaturesError and
    ColumnDefaultsNotEnabledError for those that the metadata uses and that must be named, and what
    `Protocol.with_versions` raises.
    """
    reader, writer = min_versions
    base = current or _start(defaults, reader, writer)
    requested, explicit = requested_features(schema, configuration), frozenset(explicit_features)
    wanted = with_required(requested | explicit)
    refused = sorted(name for name in wanted if _refused(name) and (name in requested or name not in base.features))
    if refused:
        raise UnsupportedWriteFeaturesError(table, refused)
    _check_manual(requested - explicit - base.features, table, new=current is None)
    return base.with_features(wanted).with_versions(reader, writer)


def _start(defaults: Protocol, reader: int | None, writer: int | None) -> Protocol:
    """A new table's protocol before its features; at writer version 7 it supports nothing by itself."""
    versions = max(reader or 1, defaults.min_reader_version), max(writer or 1, defaults.min_writer_version)
    return Protocol(1, 1).with_versions(*versions)


def _refused(name: str) -> bool:
    return name in FEATURES and FEATURES[name].write is not Support.YES


def _check_manual(missing: frozenset[str], table: str, *, new: bool) -> None:
    if "allowColumnDefaults" in missing:
        raise ColumnDefaultsNotEnabledError(table)
    names = [] if new else sorted(name for name in missing if FEATURES[name].manual)
    if names:
        properties = ", ".join(f"'delta.feature.{name}' = 'supported'" for name in names)
        raise ManualFeaturesError(table, names, properties)
