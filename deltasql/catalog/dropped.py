"""Managed tables that were dropped, on a local disk: each in a folder beside its old one, with its entry in a file.

DROP TABLE gives the folder of a table another name, so that its place is free at once; UNDROP TABLE gives the old name
back. Whoever is interrupted leaves a folder that the next call finds: with the file it can come back, whatever it is
called. The file is removed last, once the name is in the catalog again.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from deltasql.catalog.documents import read_table, written_table
from deltasql.catalog.entries import TableEntry, now

_RECORD = "_deltasql_dropped.json"
"""The name of the file in the folder of a dropped table. Readers of tables skip names that begin with an underscore."""
_DAY = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class DroppedTable:
    """A table that can come back. `dropped_at` is milliseconds since the epoch, `folder` where its files are now."""

    id: str
    entry: TableEntry
    dropped_at: int
    folder: str


def keep_dropped(entry: TableEntry) -> bool:
    """Gives the folder of a table that was dropped another name, and whether it could: only on a local disk."""
    if not entry.location.startswith("/"):
        return False
    place = Path(entry.location)
    if place.is_symlink() or not place.is_dir():
        return False
    identity = secrets.token_hex(16)
    document = {"id": identity, "dropped_at": now(), **written_table(entry)}
    try:
        (place / _RECORD).write_text(json.dumps(document), encoding="utf-8")
        place.rename(place.with_name(f".{identity}.dropped"))
    except OSError:
        return False
    return True


def dropped_tables(folders: Collection[str], days: int) -> list[DroppedTable]:
    """The tables that were dropped from these folders in the last `days`, the latest first."""
    found = [table for folder in folders for table in _found(folder) if not _is_over(table, days)]
    return sorted(found, key=lambda table: table.dropped_at, reverse=True)


def remove_expired(folder: str, days: int) -> None:
    """Removes the files of tables that were dropped from a folder more than `days` ago."""
    for table in _found(folder):
        if _is_over(table, days) and Path(table.folder).name.startswith("."):
            (Path(table.folder) / _RECORD).unlink(missing_ok=True)
            shutil.rmtree(table.folder, ignore_errors=True)


def bring_back(table: DroppedTable) -> str:
    """Gives the files of a dropped table a place again, its old one if that is free; the place."""
    folder, wanted = Path(table.folder), Path(table.entry.location)
    if folder == wanted:
        return str(wanted)
    free = next(place for place in _places(wanted) if not place.exists())
    folder.rename(free)
    return str(free)


def _places(wanted: Path) -> Iterator[Path]:
    """The old place of a table, and others beside it: `t`, `t-2`, `t-3`."""
    yield wanted
    yield from (wanted.with_name(f"{wanted.name}-{number}") for number in count(2))


def forget_dropped(location: str) -> None:
    """Removes the file that says that the table of a folder was dropped."""
    (Path(location) / _RECORD).unlink(missing_ok=True)


def _found(folder: str) -> Iterator[DroppedTable]:
    """All below one folder. One that is there under its own name was interrupted on its way."""
    if not folder.startswith("/"):
        return
    for record in Path(folder).glob(f"*/{_RECORD}"):
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            document = json.loads(record.read_text(encoding="utf-8"))
            yield DroppedTable(
                str(document["id"]), read_table(document), int(document["dropped_at"]), str(record.parent)
            )


def _is_over(table: DroppedTable, days: int) -> bool:
    return now() - table.dropped_at >= days * _DAY
