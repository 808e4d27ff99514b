"""Whether commits carry their own timestamps, and since when. Source: Delta protocol, In-Commit Timestamps."""

from __future__ import annotations

from deltasql.log.actions.actions import Metadata
from deltasql.log.properties.property_registry import (
    IN_COMMIT_TIMESTAMPS,
    TIMESTAMPS_SINCE_TIME,
    TIMESTAMPS_SINCE_VERSION,
)


def has_commit_timestamps(metadata: Metadata) -> bool:
    """Whether the table's commits carry their own timestamps."""
    return metadata.properties.switches_on(IN_COMMIT_TIMESTAMPS)


def first_with_timestamp(metadata: Metadata) -> int | None:
    """The first version with a timestamp of its own; None if the table's commits have none."""
    return (metadata.properties[TIMESTAMPS_SINCE_VERSION] or 0) if has_commit_timestamps(metadata) else None


def with_enablement(metadata: Metadata, version: int, timestamp_ms: int) -> Metadata:
    """The metadata of the commit that turns timestamps on in a table that has commits without them."""
    since = {TIMESTAMPS_SINCE_VERSION.name: str(version), TIMESTAMPS_SINCE_TIME.name: str(timestamp_ms)}
    return metadata.with_configuration(since)
