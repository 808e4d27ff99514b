"""The state of a table besides its files: protocol, metadata, transactions and domains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deltasql.log.actions.actions import DomainMetadata, Metadata, SetTransaction
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.protocol.protocol import Protocol


@dataclass(frozen=True, slots=True)
class TableState:
    """The newest protocol and metadata, and the live transactions and domains; None where they are unknown."""

    protocol: Protocol | None = None
    metadata: Metadata | None = None
    transactions: Mapping[str, SetTransaction] | None = field(default_factory=dict)
    domains: Mapping[str, DomainMetadata] | None = field(default_factory=dict)

    def after(self, commit: CommitFile) -> TableState:
        """The state with one more commit on top."""
        return TableState(
            self.protocol if commit.protocol is None else Protocol.from_json(commit.protocol),
            self.metadata if commit.metadata is None else Metadata.from_json(commit.metadata),
            _merged(self.transactions, commit.transactions),
            _live(_merged(self.domains, commit.domains)),
        )


def _merged(base: Mapping[str, Any] | None, newer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if base is None or not newer:
        return base
    return {**base, **newer}


def _live(domains: Mapping[str, DomainMetadata] | None) -> Mapping[str, DomainMetadata] | None:
    if domains is None or not any(item.removed for item in domains.values()):
        return domains
    return {name: item for name, item in domains.items() if not item.removed}
