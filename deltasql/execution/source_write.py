"""Writes of tables of other formats, which have no commits.

Rows are written into a hidden folder below the table, and appear when its files are moved. If the statement fails
before that, the table stays as it was.
"""

from __future__ import annotations

from uuid import uuid4

from deltasql.catalog import Catalog
from deltasql.engines.door import Runtime
from deltasql.execution.commit import Committed
from deltasql.interrupts import shielded
from deltasql.log.storage.log_store import LogStore
from deltasql.planner.changes import INSERTED, SourceWrite

_STAGING = "_deltasql_staging_"


def write_source(change: SourceWrite, runtime: Runtime, catalog: Catalog) -> Committed:
    """Writes the files of a change, removes those that they replace, and registers a new table."""
    store = runtime.stores.open(change.location)
    folder = f"{_STAGING}{uuid4().hex}"
    try:
        count = runtime.write_files(change.operator, store.url(folder), change.source, change.table)
        with shielded():
            _publish(change, store, folder, catalog)
    finally:
        store.delete_below(folder)
    return Committed(INSERTED, ((count, count),))


def _publish(change: SourceWrite, store: LogStore, folder: str, catalog: Catalog) -> None:
    """Moves the files of a folder into the table, registers it if it is new, and removes replaced files."""
    names = [entry.path.removeprefix(f"{folder}/") for entry in store.list_below(folder)]
    replaced = _replaced(change, store, folder, names)
    for name in names:
        store.move(f"{folder}/{name}", name)
    if change.register is not None:
        new = change.register
        try:
            catalog.register(new.parts, new.location, new.managed, new.source)
        except BaseException:
            # Another process has taken the name: its files are not these.
            store.delete_all(names)
            raise
    store.delete_all(replaced)


def _replaced(change: SourceWrite, store: LogStore, folder: str, names: list[str]) -> list[str]:
    """The files that the new ones replace: those of the statement, or of the partitions that the new ones are in."""
    if not change.dynamic:
        return list(change.removed)
    partitions = {_folder(name) for name in names}
    return [entry.path for entry in store.list_below("") if _folder(entry.path) in partitions]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
