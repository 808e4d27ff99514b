"""Our types as Spark's: objects, so that no name of a table goes through a text that Spark parses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deltasql.engine.session.loading import load_pyspark
from deltasql.schema.json import schema_from_json, type_to_json
from deltasql.schema.types import ArrayType, DataType, MapType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql import types as spark


def spark_schema(schema: StructType) -> spark.StructType:
    """The columns of `schema` for a reader or a new DataFrame: all nullable, and without their metadata."""
    load_pyspark()
    from pyspark.sql.types import StructType as SparkStruct

    return SparkStruct.fromJson(type_to_json(bare_schema(schema)))


def spark_type(kind: DataType) -> spark.DataType:
    """A type for a cast."""
    return spark_schema(StructType((StructField("x", kind),))).fields[0].dataType


def with_whole_intervals(schema: spark.StructType) -> spark.StructType:
    """The schema, in which intervals of days and times, at any depth, are INTERVAL DAY TO SECOND."""
    load_pyspark()
    from pyspark.sql.types import StructType as SparkStruct

    return SparkStruct.fromJson(_whole(schema.jsonValue()))


def _whole(node: Any) -> Any:
    match node:
        case {"fields": [*fields]}:
            return {**node, "fields": [{**field, "type": _whole(field["type"])} for field in fields]}
        case {"type": "array"}:
            return {**node, "elementType": _whole(node["elementType"])}
        case {"type": "map"}:
            return {**node, "keyType": _whole(node["keyType"]), "valueType": _whole(node["valueType"])}
        case str() if _DAY_TIME.fullmatch(node):
            return "interval day to second"
        case _:
            return node


_DAY_TIME = re.compile(r"interval (?:day|hour|minute|second)(?: to \w+)?")


def bare_schema(kind: StructType) -> StructType:
    """The columns of `kind`, all nullable, and without their metadata."""
    return StructType(tuple(StructField(field.name, _bare_type(field.type)) for field in kind))


def _bare_type(kind: DataType) -> DataType:
    match kind:
        case StructType():
            return bare_schema(kind)
        case ArrayType(element):
            return ArrayType(_bare_type(element))
        case MapType(key, value):
            return MapType(_bare_type(key), _bare_type(value))
        case _:
            return kind


def frame_schema(frame: DataFrame) -> StructType:
    """Our schema of a DataFrame's columns."""
    return schema_from_json(frame.schema.json())
