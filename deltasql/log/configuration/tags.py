"""Tags of a table and of its columns, stored in its properties."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from deltasql.log.actions.actions import Metadata
from deltasql.log.configuration.keys import Path, current_column, stored_column
from deltasql.log.properties.property import COLUMN_TAGS, TAGS

Tags = dict[str, str]
"""Values by key; a tag that is a key alone has the value ""."""


def read_tags(text: str | None) -> Tags:
    """The tags in the text of a property; empty without a text, or if it is damaged."""
    return _texts(_loaded(text))


def table_tags(metadata: Metadata) -> Tags:
    """The tags of the table."""
    return read_tags(metadata.configuration.get(TAGS))


def column_tags(metadata: Metadata) -> dict[Path, Tags]:
    """The tags of each column that has some, in the order of the columns' names."""
    return dict(sorted(_of_columns(metadata)))


def with_table_tags(metadata: Metadata, tags: Mapping[str, str]) -> Metadata:
    """`metadata` with exactly these tags of the table."""
    return _with(metadata, TAGS, dict(sorted(tags.items())))


def with_column_tags(metadata: Metadata, tags: Mapping[Path, Mapping[str, str]]) -> Metadata:
    """`metadata` with exactly these tags of its columns."""
    stored = [
        stored_column(path, metadata.schema) | {"tags": dict(sorted(column_tags.items()))}
        for path, column_tags in sorted(tags.items())
        if column_tags
    ]
    return _with(metadata, COLUMN_TAGS, stored)


def _with(metadata: Metadata, key: str, value: object) -> Metadata:
    if not value:
        return metadata.without_properties({key})
    return metadata.with_configuration({key: json.dumps(value, ensure_ascii=False)})


def _of_columns(metadata: Metadata) -> Iterator[tuple[Path, Tags]]:
    stored = _loaded(metadata.configuration.get(COLUMN_TAGS))
    for item in stored if isinstance(stored, list) else ():
        path = current_column(item, metadata.schema) if isinstance(item, dict) else None
        if path is not None:
            yield path, _texts(item.get("tags"))


def _loaded(text: str | None) -> Any:
    """The parsed JSON; None without a text, or if another writer has damaged it."""
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return None


def _texts(value: object) -> Tags:
    return {str(key): str(item) for key, item in value.items()} if isinstance(value, dict) else {}
