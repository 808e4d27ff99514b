"""The statistics of files that a table takes over, by the code that makes them of files of our own."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.datafiles.foreign.footers import Leaf, ReadFooter, file_leaves
from deltasql.datafiles.foreign.tables import SourceTable
from deltasql.datafiles.statistics.of_footers import file_statistics, stats_json
from deltasql.errors.sources import SourceFileError
from deltasql.log.actions.actions import Metadata
from deltasql.log.configuration.indexed_columns import index_rule
from deltasql.log.properties.property_registry import DELETION_VECTORS
from deltasql.log.storage.locations import located
from deltasql.schema.column_mapping import ID, physical_name
from deltasql.schema.types import ArrayType, DataType, MapType, StructType


def source_statistics(table: SourceTable, metadata: Metadata) -> list[str]:
    """The JSON of `add.stats` of each file. Raises SourceFileError for a file whose footer contradicts itself."""
    rule, columns, ids = index_rule(metadata.configuration), dict(_leaf_types(metadata.schema)), {}
    if metadata.properties.maps_columns:
        ids = dict(_names_by_id(metadata.schema))
    tight = metadata.properties[DELETION_VECTORS] or None
    leaves_by_schema: dict[bytes, list[Leaf]] = {}
    texts = []
    for file, footer in zip(table.files, table.footers, strict=True):
        try:
            if footer.schema not in leaves_by_schema:
                leaves_by_schema[footer.schema] = file_leaves(footer.schema, columns, ids)
            read = ReadFooter(footer, leaves_by_schema[footer.schema])
        except ValueError as error:
            raise SourceFileError(located(file.path, table.location), str(error)) from error
        statistics = file_statistics(read, metadata.schema, metadata.partition_columns, rule, tight)
        texts.append(stats_json(statistics))
    return texts


def _leaf_types(schema: StructType, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], DataType]]:
    """The leaf columns by physical path, those in arrays and maps left out."""
    for field in schema:
        path = (*above, physical_name(field))
        if isinstance(field.type, StructType):
            yield from _leaf_types(field.type, path)
        else:
            yield path, field.type


def _names_by_id(kind: DataType) -> Iterator[tuple[int, str]]:
    """The physical names of all fields by their ids."""
    match kind:
        case StructType():
            for field in kind:
                if ID in field.metadata:
                    yield int(field.metadata[ID]), physical_name(field)
                yield from _names_by_id(field.type)
        case ArrayType(element):
            yield from _names_by_id(element)
        case MapType(key, value):
            yield from _names_by_id(key)
            yield from _names_by_id(value)
