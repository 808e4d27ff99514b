"""Protocol rules for add actions in an Arrow table: the rules of `commit_writer`, evaluated by column."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from deltasql.base import errors
from deltasql.log.actions.actions import AddFile
from deltasql.log.actions.file_tables import add_objects, canonical_paths, first_repeated, has_vector, keys_of_maps
from deltasql.log.configuration.row_ids import compat_keys


def check_table_paths(
    adds: pa.Table, others: Mapping[str, str | None], removes: Mapping[str, str | None], table: str, root: str
) -> None:
    """Raises DuplicateActionsError for a file that is added twice, or removed and added with the same deletion vector.

    `others` are the commit's other adds, `removes` its removes: the deletion vector id, or None, by canonical path.
    """
    paths = canonical_paths(adds["path"], root)
    repeated = first_repeated(paths)
    if repeated is None and others:
        both = paths.filter(pc.is_in(paths, value_set=pa.array(list(others), pa.string())))
        repeated = both[0].as_py() if len(both) else None
    if repeated is not None:
        raise errors.DuplicateActionsError(table, "add", repeated, "a commit adds a path once")
    if not removes:
        return
    mask = pc.is_in(paths, value_set=pa.array(list(removes), pa.string()))
    pairs = zip(paths.filter(mask).to_pylist(), add_objects(adds.filter(mask)), strict=True)
    for path, add in pairs:
        if removes[path] == (None if add.deletion_vector is None else add.deletion_vector.unique_id):
            raise errors.DuplicateActionsError(table, "add and remove", add.path, "both have the same deletion vector")


def check_partition_values(adds: pa.Table, keys: list[str], table: str) -> None:
    """Raises InvalidCommitError for a file whose partition values do not have exactly these keys."""
    if keys_of_maps(adds["partitionValues"], keys):
        return
    for add in add_objects(adds.select(["path", "partitionValues", "size", "modificationTime"])):
        if add.partition_values.keys() != set(keys):
            raise errors.InvalidCommitError(
                table,
                f"the partition values of {add.path} are for {sorted(add.partition_values)}, not {sorted(keys)}",
            )


def notable_adds(adds: pa.Table, configuration: Mapping[str, str]) -> list[AddFile]:
    """The adds to check one by one: those with a deletion vector, or without the row count that Iceberg needs."""
    mask = has_vector(adds)
    if compat_keys(configuration):
        counted = pc.match_substring(adds["stats"], '"numRecords"').fill_null(False)
        mask = pc.or_(mask, pc.invert(counted.combine_chunks()))
    return add_objects(adds.filter(mask)) if pc.any(mask).as_py() else []
