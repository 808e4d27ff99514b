"""Whether commits carry their own timestamps, and since when. Source: Delta protocol, In-Commit Timestamps."""

from __future__ import annotations

from deltasql.log.actions.actions import Metadata

_ENABLED = "delta.enableInCommitTimestamps"
_SINCE_VERSION = "delta.inCommitTimestampEnablementVersion"
_SINCE_TIMESTAMP = "delta.inCommitTimestampEnablementTimestamp"


def has_commit_timestamps(metadata: Metadata) -> bool:
    """Whether the table's commits carry their own timestamps."""
    return metadata.configuration.get(_ENABLED, "false").lower() == "true"


def first_with_timestamp(metadata: Metadata) -> int | None:
    """The first version with a timestamp of its own; None if the table's commits have none."""
    return int(metadata.configuration.get(_SINCE_VERSION, 0)) if has_commit_timestamps(metadata) else None


def with_enablement(metadata: Metadata, version: int, timestamp_ms: int) -> Metadata:
    """The metadata of the commit that turns timestamps on in a table that has commits without them."""
    return metadata.with_configuration({_SINCE_VERSION: str(version), _SINCE_TIMESTAMP: str(timestamp_ms)})
