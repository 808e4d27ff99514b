"""Iceberg compatibility: what a table that has it may not be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.actions.actions import AddFile, DeletionVector
from deltasql.log.configuration.properties import check_readable, check_writable, protocol_for
from deltasql.log.configuration.row_ids import check_compatible, check_files, check_replacement, with_column_mapping
from deltasql.log.protocol import Protocol
from deltasql.schema.types import (
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)

V1, V2 = ({f"delta.enableIcebergCompatV{number}": "true", "delta.columnMapping.mode": "name"} for number in (1, 2))


def struct(kind: DataType) -> StructType:
    return StructType((StructField("s", StructType((StructField("a", kind),))),))


def refused(condition: str, check: Callable[[], None]) -> DeltaSqlError:
    with pytest.raises(DeltaSqlError) as caught:
        check()
    assert caught.value.condition == f"DELTA_ICEBERG_COMPAT_VIOLATION.{condition}"
    assert caught.value.sqlstate == "KD00E"
    return caught.value


@pytest.mark.parametrize("configuration", [V1, V2])
def test_a_table_that_is_fine(configuration: dict[str, str]) -> None:
    for kind in (LONG, TIMESTAMP_NTZ, struct(STRING)):
        check_compatible(struct(kind), configuration, (), "main.t")
    check_compatible(struct(ArrayType(MapType(STRING, LONG))), V2, (), "main.t")
    features = protocol_for(struct(LONG), configuration).features
    assert {"columnMapping"} < features
    assert features & {"icebergCompatV1", "icebergCompatV2"}


@pytest.mark.parametrize(
    ("kind", "configuration"),
    [(VARIANT, V1), (VARIANT, V2), (VOID, V1), (VOID, V2), (ArrayType(LONG), V1), (MapType(STRING, LONG), V1)],
)
def test_types(kind: DataType, configuration: dict[str, str]) -> None:
    error = refused("UNSUPPORTED_DATA_TYPE", lambda: check_compatible(struct(kind), configuration, (), "main.t"))
    assert "column s.a of type" in error.message


def test_one_version_with_column_mapping() -> None:
    refused("VERSION_MUTUAL_EXCLUSIVE", lambda: check_compatible(struct(LONG), {**V1, **V2}, (), "main.t"))
    plain = {**V2, "delta.columnMapping.mode": "none"}
    refused("WRONG_REQUIRED_TABLE_PROPERTY", lambda: check_compatible(struct(LONG), plain, (), "main.t"))
    assert with_column_mapping({"delta.enableIcebergCompatV2": "true"}) == V2
    assert with_column_mapping(plain) == plain
    assert with_column_mapping({"a": "b"}) == {"a": "b"}


def test_deletion_vectors() -> None:
    on = {"delta.enableDeletionVectors": "true"}
    for configuration in (V1, V2):
        check = "DELETION_VECTORS_SHOULD_BE_DISABLED"
        refused(check, lambda: check_compatible(struct(LONG), {**configuration, **on}, (), "main.t"))  # noqa: B023
    refused(check, lambda: check_compatible(struct(LONG), V1, {"deletionVectors"}, "main.t"))
    check_compatible(struct(LONG), V2, {"deletionVectors"}, "main.t")


def test_types_that_widened() -> None:
    changes = [{"fromType": "integer", "toType": "double"}]
    schema = StructType((StructField("a", DOUBLE, metadata={"delta.typeChanges": changes}),))
    error = refused("UNSUPPORTED_TYPE_WIDENING", lambda: check_compatible(schema, V2, (), "main.t"))
    assert "a changes from int to double" in error.message
    wider = [{"fromType": "integer", "toType": "long"}]
    check_compatible(StructType((StructField("a", LONG, metadata={"delta.typeChanges": wider}),)), V2, (), "main.t")


def test_new_files() -> None:
    good = AddFile("f", {}, 1, 1, stats='{"numRecords":1}')
    check_files([good], V2, "main.t")
    check_files([replace(good, stats=None)], {}, "main.t")
    refused("MISSING_STATISTICS", lambda: check_files([good, replace(good, stats="{}")], V2, "main.t"))
    marked = replace(good, deletion_vector=DeletionVector("i", "x", None, 1, 1))
    refused("DELETION_VECTORS_SHOULD_BE_DISABLED", lambda: check_files([marked], V1, "main.t"))


def test_other_partitions() -> None:
    check_replacement(("p",), ("p",), V2, "main.t")
    check_replacement((), ("p",), V2, "main.t")
    check_replacement(("p",), ("q",), {}, "main.t")
    refused("REPLACE_TABLE_CHANGE_PARTITION_NAMES", lambda: check_replacement(("p",), ("q",), V2, "main.t"))


def test_a_table_of_others_is_refused_before_rows_are_made() -> None:
    protocol = Protocol(2, 7, None, frozenset({"columnMapping", "icebergCompatV2"}))
    check_writable(protocol, "main.t", struct(INTEGER), V2)
    check_readable(protocol, "main.t", struct(VARIANT), V2)
    refused("UNSUPPORTED_DATA_TYPE", lambda: check_writable(protocol, "main.t", struct(VARIANT), V2))
