"""Actions as the lines of a commit. File actions, which may be many, are put together by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring_ascii as _quoted

from deltasql.log.actions.actions import Action, AddFile, RemoveFile
from deltasql.log.protocol.protocol import Protocol

_ENCODER = json.JSONEncoder(separators=(",", ":"))


def encode_actions(actions: Iterable[Action]) -> bytes:
    """The text of a commit: one line of JSON per action, each with its line end."""
    return "".join(map(_line, actions)).encode()


def _line(action: Action) -> str:
    # Measured on 100,000 adds: a fifth of the time of `to_json` and a JSON encoder.
    if type(action) is AddFile and action.tags is None and action.deletion_vector is None:
        return _plain_add(action)
    if type(action) is RemoveFile and _is_plain(action):
        return _plain_remove(action)
    body = {"protocol": action.to_json()} if isinstance(action, Protocol) else action.to_json()
    return _ENCODER.encode(body) + "\n"


def _is_plain(action: RemoveFile) -> bool:
    complete = action.partition_values is not None and action.size is not None
    return complete and action.tags is None and action.deletion_vector is None


def _plain_add(action: AddFile) -> str:
    text = (
        f'{{"add":{{"path":{_quoted(action.path)},"partitionValues":{_values(action.partition_values)},"size":{action.size},'
        f'"modificationTime":{action.modification_time},"dataChange":{_boolean(action.data_change)}'
    )
    if action.stats is not None:
        text += f',"stats":{_quoted(action.stats)}'
    if action.base_row_id is not None or action.default_row_commit_version is not None:
        text += _row_ids(action)
    if action.clustering_provider is not None:
        text += f',"clusteringProvider":{_quoted(action.clustering_provider)}'
    return text + "}}\n"


def _plain_remove(action: RemoveFile) -> str:
    text = f'{{"remove":{{"path":{_quoted(action.path)}'
    if action.deletion_timestamp is not None:
        text += f',"deletionTimestamp":{action.deletion_timestamp}'
    text += f',"dataChange":{_boolean(action.data_change)}'
    if action.extended_file_metadata is not None:
        text += f',"extendedFileMetadata":{_boolean(action.extended_file_metadata)}'
    text += f',"partitionValues":{_values(action.partition_values or {})},"size":{action.size}'
    if action.stats is not None:
        text += f',"stats":{_quoted(action.stats)}'
    return text + _row_ids(action) + "}}\n"


def _row_ids(action: AddFile | RemoveFile) -> str:
    text = "" if action.base_row_id is None else f',"baseRowId":{action.base_row_id}'
    if action.default_row_commit_version is not None:
        text += f',"defaultRowCommitVersion":{action.default_row_commit_version}'
    return text


def _values(values: Mapping[str, str | None]) -> str:
    if not values:
        return "{}"
    items = [f"{_quoted(key)}:{'null' if value is None else _quoted(value)}" for key, value in values.items()]
    return "{" + ",".join(items) + "}"


def _boolean(value: bool) -> str:
    return "true" if value else "false"
