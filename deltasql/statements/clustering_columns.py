"""Which columns a table may be clustered by.

Cubes: the files that one OPTIMIZE of a clustered table has ordered together, identified by their tags.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.schema import DuplicateColumnsError
from deltasql.base.errors.statements.optimize import (
    ClusteringColumnCountError,
    ClusteringTypeError,
    ClusteringWithoutStatsError,
    CreatedClusteringDiffersError,
    ReplaceClusteredError,
)
from deltasql.base.lazy import pa, pc
from deltasql.log.actions.actions import DomainMetadata, Metadata
from deltasql.log.configuration.iceberg_compat import compat_keys
from deltasql.log.configuration.properties import index_rule, indexed_leaves
from deltasql.log.properties.property_registry import DELETION_VECTORS
from deltasql.log.reading.change_feed import (
    AUTO_PROPERTY,
    CLUSTERING_FEATURE,
    CUBE_COLUMNS,
    CUBE_ID,
    clustering_columns,
    clustering_domain,
    is_clustered,
    logical_path,
    physical_path,
)
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import ColumnPath
from deltasql.plan.way import make_note
from deltasql.planner.changes import Cubes
from deltasql.planner.context import Context
from deltasql.schema.paths import Path, folded, resolve
from deltasql.schema.text import path_text, type_text
from deltasql.schema.types import DataType, DecimalType, PrimitiveType
from deltasql.statements.nodes.table import ClusterBy

MOST_COLUMNS = 4
_BOUNDED = frozenset(
    {"byte", "short", "integer", "long", "float", "double", "string", "date", "timestamp", "timestamp_ntz"}
)


@dataclass(frozen=True, slots=True)
class Clustering:
    """The clustering columns of a table that is created, and the actions that say so."""

    columns: tuple[Path, ...] = ()
    actions: tuple[DomainMetadata, ...] = ()

    @property
    def text(self) -> str:
        """The columns as the history has them: a JSON list of dotted names."""
        return json_list(self.columns)


def new_clustering(
    requested: ClusterBy | None, metadata: Metadata, replaced: Snapshot | None, context: Context
) -> Clustering:
    """The clustering of a table to be: that of a replaced one ends where the statement names none.

    Raises what `checked_columns` raises, and ReplaceClusteredError.
    """
    was_clustered = replaced is not None and is_clustered(replaced)
    if was_clustered and metadata.partition_columns:
        raise ReplaceClusteredError(replaced.table if replaced else "")
    if not needed_features(requested):
        return Clustering((), (clustering_domain(metadata.schema, ()),) if was_clustered else ())
    assert requested is not None
    columns = checked_columns(requested, metadata, "the table", context)
    return Clustering(columns, (clustering_domain(metadata.schema, columns),))


def needed_features(requested: ClusterBy | None) -> tuple[str, ...]:
    """The table feature of a table that is created with this clause."""
    return (CLUSTERING_FEATURE,) if requested is not None and (requested.columns or requested.auto) else ()


def check_same_clustering(requested: ClusterBy, snapshot: Snapshot) -> None:
    """Raises CreatedClusteringDiffersError if a statement declares another clustering than its table has."""
    if requested.auto:
        return
    existing = clustering_columns(snapshot)
    declared = [column.parts for column in requested.columns]
    if [folded(path) for path in declared] != [folded(path) for path in existing]:
        raise CreatedClusteringDiffersError(snapshot.location, comma_list(declared), comma_list(existing))


def automatic(metadata: Metadata, requested: ClusterBy | None) -> Metadata:
    """`metadata` with the property that says whether the columns are to be chosen by the engine: on with AUTO."""
    auto = requested is not None and requested.auto
    if auto:
        make_note("CLUSTER BY AUTO: recorded in the table. deltasql chooses no columns; name some.", is_warning=False)
    if auto == (metadata.configuration.get(AUTO_PROPERTY) == "true"):
        return metadata
    return (
        metadata.with_configuration({AUTO_PROPERTY: "true"}) if auto else metadata.without_properties({AUTO_PROPERTY})
    )


def with_vectors(metadata: Metadata, requested: ClusterBy | None) -> Metadata:
    """`metadata` of a table to be, with deletion vectors where it is clustered, so that writers tell its rows apart.

    Not where the statement or a default of the session says something about them, nor in a table that Iceberg is to
    read, which has none.
    """
    clustered = requested is not None and (requested.columns or requested.auto)
    if not clustered or DELETION_VECTORS in metadata.properties or compat_keys(metadata.configuration):
        return metadata
    return metadata.with_configuration({DELETION_VECTORS.name: "true"})


def checked_columns(requested: ClusterBy, metadata: Metadata, table: str, context: Context) -> tuple[Path, ...]:
    """The columns as the schema spells them, each error at its column.

    Raises ColumnNotFoundError, DuplicateColumnsError, ClusteringColumnCountError, ClusteringTypeError,
    ClusteringWithoutStatsError.
    """
    paths: list[Path] = []
    for column in requested.columns:
        try:
            paths.append(_checked(column, metadata, table, paths))
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None
    if len(paths) > MOST_COLUMNS:
        raise ClusteringColumnCountError(table, MOST_COLUMNS, len(paths))
    check_statistics(paths, metadata, table)
    return tuple(paths)


def _checked(column: ColumnPath, metadata: Metadata, table: str, before: Sequence[Path]) -> Path:
    resolved = resolve(metadata.schema, column.parts, where=table)
    if not _is_bounded(resolved.field.type) or resolved.nested_in_collection:
        raise ClusteringTypeError(str(column), type_text(resolved.field.type))
    if resolved.path in before:
        raise DuplicateColumnsError("CLUSTER_BY", table, [path_text(resolved.path)])
    return resolved.path


def check_statistics(columns: Iterable[Path], metadata: Metadata, table: str) -> None:
    """Raises ClusteringWithoutStatsError if files written with `metadata` would lack statistics of a column."""
    leaves = indexed_leaves(metadata.schema, metadata.partition_columns, index_rule(metadata.configuration))
    names = [leaf.names for leaf in leaves]
    missing = tuple(path_text(path) for path in columns if path not in names)
    if missing:
        raise ClusteringWithoutStatsError(table, missing, tuple(path_text(name) for name in names))


def check_still_indexed(snapshot: Snapshot, metadata: Metadata) -> None:
    """Raises ClusteringWithoutStatsError if the table's clustering columns would lack statistics under `metadata`."""
    # A renamed column keeps its physical name.
    physical = (physical_path(snapshot.schema, path) for path in clustering_columns(snapshot))
    names = (logical_path(metadata.schema, path) for path in physical)
    check_statistics((path for path in names if path is not None), metadata, snapshot.table)


def json_list(columns: Iterable[Path]) -> str:
    """Dotted names as a JSON list: how the history and the tags of files name columns."""
    return json.dumps([path_text(path) for path in columns], separators=(",", ":"))


def comma_list(columns: Iterable[Path]) -> str:
    return ",".join(path_text(path) for path in columns)


def _is_bounded(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or (isinstance(kind, PrimitiveType) and kind.name in _BOUNDED)


@dataclass(frozen=True, slots=True)
class CubeChoice:
    """The files to order anew, and the files that were considered."""

    files: pa.Table
    cubes: Cubes


def chosen_for_clustering(files: pa.Table, columns: str, full_size: int, *, full: bool) -> CubeChoice:
    """Files without a cube, and those of cubes below `full_size` bytes; with `full` all files of the table.

    `columns` is the present CUBE_COLUMNS: cubes of others are only taken by `full`. Nothing is chosen where one cube of
    the present columns is all there would be.
    """
    ids = cube_ids(files)
    in_cube, current = pc.is_valid(ids), pc.fill_null(pc.equal(_tag(files, CUBE_COLUMNS), columns), False)
    counted = in_cube if full else pc.and_(in_cube, current)
    sizes = _sizes(ids.filter(counted), files.filter(counted))
    cubes = Cubes(_total(files.filter(counted)), _total(files.filter(pc.invert(counted))), len(sizes))
    if full:
        single = len(sizes) == 1 and pc.all(pc.and_(in_cube, current)).as_py()
        return CubeChoice(files.slice(0, 0) if single else files, cubes)
    small = pc.and_(current, pc.is_in(ids, _names(size for size in sizes.items() if size[1] < full_size)))
    chosen = files.filter(pc.or_(small, pc.invert(in_cube)))
    nothing_new = pc.all(in_cube, min_count=0).as_py() and len(pc.unique(cube_ids(chosen))) < 2
    return CubeChoice(chosen.slice(0, 0) if nothing_new else chosen, cubes)


def cube_ids(files: pa.Table) -> pa.ChunkedArray:
    """The cube of each file, null for one in none."""
    return _tag(files, CUBE_ID)


def _tag(files: pa.Table, key: str) -> pa.ChunkedArray:
    values = pc.map_lookup(files.column("tags"), key, "first")
    return values.cast(pa.string())


def _sizes(ids: pa.ChunkedArray, files: pa.Table) -> dict[str, int]:
    """Bytes by cube."""
    table = pa.table({"id": ids, "size": files.column("size")}).group_by("id").aggregate([("size", "sum")])
    pairs = zip(table.column("id").to_pylist(), table.column("size_sum").to_pylist(), strict=True)
    return {cube: size for cube, size in pairs if cube is not None}


def _names(sizes: Iterable[tuple[str, int]]) -> pa.Array:
    return pa.array([cube for cube, _ in sizes], pa.string())


def _total(files: pa.Table) -> tuple[int, int]:
    return files.num_rows, int(pc.sum(files.column("size")).as_py() or 0)
