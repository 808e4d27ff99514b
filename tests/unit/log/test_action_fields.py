"""Fields of actions whose values have another JSON type: told where the action is read, in small and in big commits."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import InvalidDeletionVectorError, InvalidLogJsonError
from deltasql.log.actions import commit_file
from deltasql.log.actions.action_fields import ACTIONS, Fields, parse_line
from deltasql.log.actions.commit_file import CommitFile, parse_commit

_VECTOR = {"storageType": "i", "pathOrInlineDv": "abcde", "offset": 1, "sizeInBytes": 4, "cardinality": 2}
_FILE = {
    "path": "a.parquet", "partitionValues": {"p": "1", "q": None}, "size": 5, "dataChange": True, "stats": "{}",
    "tags": {"k": "v"}, "deletionVector": _VECTOR, "baseRowId": 3, "defaultRowCommitVersion": 4,
}  # fmt: skip
_WHOLE: dict[str, dict[str, Any]] = {
    "add": {**_FILE, "modificationTime": 6, "clusteringProvider": "liquid"},
    "remove": {**_FILE, "deletionTimestamp": 7, "extendedFileMetadata": True},
    "cdc": dict(_FILE),
    "metaData": {
        "id": "i", "name": "n", "description": "d", "format": {"provider": "parquet", "options": {}},
        "schemaString": "{}", "partitionColumns": ["a"], "configuration": {"a": "b"}, "createdTime": 8,
    },
    "protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["a"], "writerFeatures": ["b"]},
    "txn": {"appId": "a", "version": 1, "lastUpdated": 2},
    "domainMetadata": {"domain": "d", "configuration": "{}", "removed": False},
    "commitInfo": {"inCommitTimestamp": 9, "txnId": "t", "operation": ["whatever"]},
    "sidecar": {"path": "s", "sizeInBytes": 1, "modificationTime": 2, "tags": {}},
    "checkpointMetadata": {"version": 1, "tags": {}},
}  # fmt: skip
_VALUES = ["text", "5", 5, 1.5, True, [], [1], ["a"], {}, {"a": 1}, {"a": "b"}, 1 << 70, float("inf"), float("nan")]
_ONLY = {
    str: lambda value: isinstance(value, str),
    bool: lambda value: isinstance(value, bool),
    int: lambda value: type(value) is int and abs(value) < 1 << 63,
}


def _fits(kind: Any, value: Any) -> bool:
    if isinstance(kind, Fields):
        return isinstance(value, dict) and not kind.required
    return bool(_ONLY[kind](value) if kind in _ONLY else kind.accepts(value))


def _cases() -> list[tuple[str, dict[str, Any]]]:
    return [
        (kind, {**_WHOLE[kind], field: value})
        for kind, action in ACTIONS.items()
        for field, wanted in action.fields.items()
        for value in _VALUES
        if not _fits(wanted, value)
    ]


def _line(kind: str, action: Any) -> bytes:
    return json.dumps({kind: action}).encode()


def _read(text: bytes) -> CommitFile:
    commit = parse_commit(text, 0, "_delta_log/0.json", "t")
    if commit.is_big:
        commit.file_tables("t")
    return commit


@pytest.fixture(params=["small", "big"])
def read(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], CommitFile]:
    if request.param == "big":
        monkeypatch.setattr(commit_file, "BIG", 0)
    return _read


def test_every_field_is_listed_here() -> None:
    assert {kind: set(action.fields) for kind, action in ACTIONS.items()} == {
        kind: set(action) - {"operation"} for kind, action in _WHOLE.items()
    }


@pytest.mark.parametrize("kind", _WHOLE)
def test_whole_actions_are_read(kind: str) -> None:
    assert parse_line(_line(kind, _WHOLE[kind]), 1, "p", "t") == {kind: _WHOLE[kind]}
    nulls = {**_WHOLE[kind], **{name: None for name in ACTIONS[kind].fields if name not in ACTIONS[kind].required}}
    assert parse_line(_line(kind, nulls), 1, "p", "t") == {kind: nulls}


def test_values_of_another_type_are_damage(read: Callable[[bytes], CommitFile]) -> None:
    whole = _line("add", _WHOLE["add"])
    for kind, action in _cases():
        text = b"\n".join([whole, _line(kind, action), whole])
        with pytest.raises((InvalidLogJsonError, InvalidDeletionVectorError)) as caught:
            read(text) if kind != "cdc" else parse_line(_line(kind, action), 2, "p", "t")
        assert caught.value.condition == "DELTA_INVALID_LOG_JSON", action
        assert ", line 2: " in str(caught.value)


@pytest.mark.parametrize("kind", ["add", "remove", "metaData", "protocol", "txn", "commitInfo"])
@pytest.mark.parametrize("value", ["text", 5, [], True])
def test_an_action_that_is_no_object(read: Callable[[bytes], CommitFile], kind: str, value: Any) -> None:
    with pytest.raises(InvalidLogJsonError):
        read(_line(kind, value))


@pytest.mark.parametrize("path", ["a%00b", "a\0b", "a\ud800b", "\udc00"])
def test_paths_that_no_file_has(read: Callable[[bytes], CommitFile], path: str) -> None:
    whole = _line("add", _WHOLE["add"])
    with pytest.raises(InvalidLogJsonError, match=r"line 2: .*(NUL|surrogate|invalid)"):
        read(b"\n".join([whole, _line("add", {**_WHOLE["add"], "tags": None, "path": path}), whole]))
    with pytest.raises(InvalidLogJsonError):
        read(json.dumps({"add": {**_WHOLE["add"], "path": path}}, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def test_characters_outside_of_the_first_plane_are_read(read: Callable[[bytes], CommitFile]) -> None:
    add = {**_WHOLE["add"], "tags": None, "path": "😀한.parquet"}
    for text in (_line("add", add), json.dumps({"add": add}, ensure_ascii=False).encode()):
        assert read(text).materialized("t").adds[0]["path"] == "😀한.parquet"


@pytest.mark.parametrize("field", ["offset", "sizeInBytes"])
def test_a_vector_cannot_lie_where_no_file_reaches(read: Callable[[bytes], CommitFile], field: str) -> None:
    add = {**_WHOLE["add"], "tags": None, "deletionVector": {**_VECTOR, field: 10**12}}
    with pytest.raises(InvalidDeletionVectorError) as caught:
        read(_line("add", add))
    assert caught.value.condition == "DELTA_DELETION_VECTOR_INVALID"


def test_whole_numbers_may_be_spelled_as_decimals(read: Callable[[bytes], CommitFile]) -> None:
    add = {**_WHOLE["add"], "size": 5.0, "deletionVector": {**_VECTOR, "offset": 1.0}}
    found = read(_line("add", add)).materialized("t").adds[0]
    assert (found["size"], found["deletionVector"]["offset"], type(found["size"])) == (5, 1, int)


@pytest.mark.parametrize("field", ["path", "size", "modificationTime"])
def test_what_an_add_must_have(read: Callable[[bytes], CommitFile], field: str) -> None:
    add = {name: value for name, value in _WHOLE["add"].items() if name not in (field, "tags")}
    whole = _line("add", _WHOLE["add"])
    for action in (add, {**add, field: None}):
        with pytest.raises(InvalidLogJsonError, match=field):
            read(b"\n".join([whole, _line("add", action), whole]))


@pytest.mark.parametrize(
    ("domain", "configuration"),
    [
        ("delta.clustering", "%zz"),
        ("delta.clustering", "[]"),
        ("delta.clustering", '{"clusteringColumns":5}'),
        ("delta.clustering", '{"clusteringColumns":[["a",1]]}'),
        ("delta.clustering", '{"clusteringColumns":[[]]}'),
        ("delta.clustering", '{"clusteringColumns":[5]}'),
        ("delta.clustering", "[" * 5000),
        ("delta.rowTracking", '{"rowIdHighWaterMark":"5"}'),
        ("delta.rowTracking", "null"),
    ],
)
def test_domains_that_tables_rely_on(domain: str, configuration: str) -> None:
    action = {"domainMetadata": {"domain": domain, "configuration": configuration, "removed": False}}
    with pytest.raises(InvalidLogJsonError, match=domain):
        parse_line(json.dumps(action).encode(), 1, "path", "t")
    action["domainMetadata"]["removed"] = True
    assert parse_line(json.dumps(action).encode(), 1, "path", "t") == action


@pytest.mark.parametrize("configuration", ["", "{}", '{"clusteringColumns":[["a","b"],"c"]}', '{"x":1}'])
def test_domains_that_are_right(configuration: str) -> None:
    action = {"domainMetadata": {"domain": "delta.clustering", "configuration": configuration, "removed": False}}
    assert parse_line(json.dumps(action).encode(), 1, "path", "t") == action
