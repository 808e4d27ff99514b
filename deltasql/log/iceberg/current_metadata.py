"""Where the newest Iceberg metadata of a table is, and of which version of the log. Needs no PyIceberg."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from deltasql.log.storage.listing import is_local
from deltasql.log.storage.log_store import LogStore

METADATA_FOLDER = "metadata"
HINT = f"{METADATA_FOLDER}/version-hint.text"
DELTA_VERSION, DELTA_TIMESTAMP = "delta-version", "delta-timestamp"
"""Properties of the Iceberg table: which version of the log it shows, and when that was committed (ms)."""
_NAME = re.compile(r"v(\d+)\.metadata\.json")


@dataclass(frozen=True, slots=True)
class CurrentMetadata:
    """The newest metadata file: its number, its path in the store, and its text."""

    number: int
    path: str
    data: bytes

    @property
    def converted(self) -> tuple[int, int]:
        """The version of the log that the metadata show, and its time in ms; -1 where they do not say."""
        properties = json.loads(self.data).get("properties", {})
        return int(properties.get(DELTA_VERSION, -1)), int(properties.get(DELTA_TIMESTAMP, -1))


def root_uri(root: str) -> str:
    """The location of a table or a file as Iceberg writes it: a URI, whose path is not encoded."""
    return f"file://{root}" if is_local(root) and not root.startswith("file:") else root


def metadata_path(number: int) -> str:
    return f"{METADATA_FOLDER}/v{number}.metadata.json"


def current_metadata(store: LogStore) -> CurrentMetadata | None:
    """The newest Iceberg metadata of a table; None if it was never converted. The hint may lag behind, or be lost."""
    number = _hinted(store) or max(_numbers(store), default=0)
    newest = None
    while number:
        try:
            data = store.read(metadata_path(number))
        except FileNotFoundError:
            if newest is None:
                # A hint at nothing: what is there counts.
                number = max(_numbers(store), default=0)
                if not number:
                    return None
                continue
            return newest
        newest = CurrentMetadata(number, metadata_path(number), data)
        number += 1
    return newest


def _hinted(store: LogStore) -> int:
    try:
        text = store.read(HINT).decode()
    except FileNotFoundError:
        return 0
    return int(text) if text.strip().isdigit() else 0


def _numbers(store: LogStore) -> list[int]:
    names = (_NAME.fullmatch(entry.name) for entry in store.list_folder(METADATA_FOLDER))
    return [int(match[1]) for match in names if match]
