"""Our types as Spark's: objects, so that no name of a table goes through a text that Spark parses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deltasql.engines.spark.loading import load_pyspark
from deltasql.schema.arrow_types import bare_schema
from deltasql.schema.edits import without_metadata
from deltasql.schema.json import schema_from_json, type_to_json
from deltasql.schema.types import DataType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql import types as spark


def spark_schema(schema: StructType) -> spark.StructType:
    """The columns of `schema` for a reader or a new DataFrame: all nullable, and without their metadata."""
    return exact_spark_schema(bare_schema(schema))


def declared_spark_schema(schema: StructType) -> spark.StructType:
    """As `spark_schema`, where columns that are NOT NULL stay so."""
    return exact_spark_schema(without_metadata(schema))


def exact_spark_schema(schema: StructType) -> spark.StructType:
    """The columns of `schema`, as nullable as they are declared."""
    load_pyspark()
    from pyspark.sql.types import StructType as SparkStruct

    return SparkStruct.fromJson(type_to_json(schema))


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


def frame_schema(frame: DataFrame) -> StructType:
    """Our schema of a DataFrame's columns."""
    return schema_from_json(frame.schema.json())
