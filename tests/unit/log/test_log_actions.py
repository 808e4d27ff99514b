from __future__ import annotations

import json
from dataclasses import replace

from deltasql.log.actions.actions import (
    AddCDCFile,
    AddFile,
    CommitInfo,
    DeletionVector,
    DomainMetadata,
    Metadata,
    RemoveFile,
    SetTransaction,
)
from deltasql.schema.types import LONG, StructField, StructType

VECTOR = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 4, 40, 6)
ADD = AddFile("p=1/f", {"p": "1"}, 5, 6, False, "{}", {"T": "1"}, VECTOR, 7, 8, "liquid")


def test_add_round_trip() -> None:
    assert AddFile.from_json(ADD.to_json()["add"]) == ADD
    plain = AddFile("f", {}, 1, 2)
    assert plain.to_json() == {
        "add": {"path": "f", "partitionValues": {}, "size": 1, "modificationTime": 2, "dataChange": True}
    }


def test_remove_keeps_everything() -> None:
    remove = ADD.remove(99, data_change=False)
    action = remove.to_json()["remove"]
    added = ADD.to_json()["add"]
    for key in ("partitionValues", "size", "stats", "tags", "deletionVector", "baseRowId", "defaultRowCommitVersion"):
        assert action[key] == added[key]
    assert (action["extendedFileMetadata"], action["deletionTimestamp"], action["dataChange"]) == (True, 99, False)
    assert RemoveFile.from_json(action) == remove


def test_deletion_vector_identity() -> None:
    assert VECTOR.unique_id == "uab^-aqEH.-t@S}K{vb[*k^@4"
    assert replace(VECTOR, offset=None).unique_id == "uab^-aqEH.-t@S}K{vb[*k^"


def test_the_small_ones() -> None:
    for action, kind in (
        (SetTransaction("app", 3, 4), "txn"),
        (DomainMetadata("d", "{}", True), "domainMetadata"),
        (AddCDCFile("_change_data/f", {"p": None}, 3), "cdc"),
    ):
        assert type(action).from_json(action.to_json()[kind]) == action
    assert AddCDCFile("f", {}, 3).to_json()["cdc"]["dataChange"] is False


def test_commit_info_says_what_it_can() -> None:
    info = CommitInfo({"operation": "X", "txnId": "1", "inCommitTimestamp": 5, "isBlindAppend": True})
    assert (info.operation, info.transaction_id, info.in_commit_timestamp, info.is_blind_append) == ("X", "1", 5, True)
    assert not CommitInfo({}).is_blind_append
    assert CommitInfo({}).operation


def test_metadata_keeps_the_text_of_its_schema_and_unknown_fields() -> None:
    text = '{ "type":"struct", "fields":[{"name":"a","type":"long","nullable":true,"metadata":{}}]}'
    action = {
        "id": "1",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": text,
        "partitionColumns": ["a"],
        "configuration": {"k": "v"},
        "createdTime": 3,
        "later": {"x": 1},
    }
    metadata = Metadata.from_json(action)
    assert metadata.to_json()["metaData"] == action
    assert metadata.schema.names == ("a",)
    changed = replace(metadata, schema=StructType((StructField("b", LONG),)))
    assert json.loads(changed.schema_string)["fields"][0]["name"] == "b"
    assert changed.with_configuration({"l": "w"}).configuration == {"k": "v", "l": "w"}


def test_a_property_that_is_null_is_not_set() -> None:
    metadata = Metadata.from_json({"id": "1", "partitionColumns": [], "configuration": {"k": None, "l": "v"}})
    assert metadata.configuration == {"l": "v"}
