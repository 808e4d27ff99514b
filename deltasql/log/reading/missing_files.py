"""Which files of a version are not where the log says.

Snapshots of tables that have no log of Delta's: the files that another format lists, as one version.
"""

from __future__ import annotations

import pyarrow as pa

from deltasql.log.actions.actions import Json
from deltasql.log.actions.deletion_vectors import vector_file
from deltasql.log.storage.listing import path_exists
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.locations import absolute, folder_and_name, is_local, local_path, located
from deltasql.log.storage.log_store import LogStore
from deltasql.schema.arrow_values import flags


def missing_files(store: LogStore, files: pa.Table) -> tuple[pa.BooleanArray, pa.BooleanArray]:
    """Two masks of `files` (`path`, `deletionVector` as in the log): whose data file is gone, and whose vector is.

    An object store is listed once, and asked by name only for what is not in the list. Raises StorageError.
    """
    paths = [absolute(path, store.root) for path in files["path"].to_pylist()]
    vectors = [vector_location(vector, store.root) for vector in files["deletionVector"].to_pylist()]
    listed = _listed(store)
    gone = {item for item in {*paths, *vectors} - listed if item is not None and not _exists(store, item)}
    return flags([item in gone for item in paths]), flags([item in gone for item in vectors])


def vector_location(vector: Json | None, root: str) -> str | None:
    """The absolute place of the file that a vector is in; None where it is in the log, or there is none."""
    path = None if vector is None else vector_file(vector, root)
    return None if path is None else located(path, root)


def _listed(store: LogStore) -> set[str | None]:
    # On a local disk to look for a file is as cheap as to list it.
    if isinstance(store, LocalLogStore):
        return set()
    return {store.url(entry.path) for entry in store.list_below("")}


def _exists(store: LogStore, location: str) -> bool:
    if is_local(location):
        return path_exists(local_path(location))
    folder, name = folder_and_name(location)
    return store.at(folder).exists(name)
