"""The data files of a table without a log: those that Spark would read below a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from deltasql.errors.sources import NestedTableError, SourceFileError
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.storage.paths import LOG, decode_path, relative_path

SINK_LOG = "_spark_metadata"
"""The folder in which Spark's streams keep the list of the files that they have written."""
_SINK_FILE = re.compile(rf"{SINK_LOG}/(\d+)(\.compact)?")
_MARKER = "_$folder$"


def data_files(store: LogStore) -> list[Entry]:
    """The data files below the store's root, in order of path. Raises NestedTableError where one of Delta's tables is
    among them, and SourceFileError for a damaged log of a stream.

    Names that begin with `_` or `.` are hidden, with all below, unless they are partitions; so are the objects that
    stand for folders. What a stream of Spark's has written counts where its log names it.
    """
    entries = store.list_below("")
    _refuse_tables(store, entries)
    sink = [entry for entry in entries if _SINK_FILE.fullmatch(entry.path)]
    if sink:
        named = _sink_files(store, sink)
        entries = [entry for entry in entries if entry.path in named]
    files = [entry for entry in entries if not is_hidden(entry.path)]
    folders = _folders(files) if any(not entry.size for entry in files) else set()
    return [entry for entry in files if not _is_marker(entry, folders)]


def _refuse_tables(store: LogStore, entries: Iterable[Entry]) -> None:
    """Raises NestedTableError for a log in a folder below."""
    for entry in entries:
        table, log, _ = entry.path.partition(f"/{LOG}/")
        if log:
            raise NestedTableError(location=store.root, relation="around", table=store.url(table))


def _folders(entries: Iterable[Entry]) -> set[str]:
    return {str(folder) for entry in entries for folder in PurePosixPath(entry.path).parents}


def is_hidden(path: str) -> bool:
    """Whether a path, relative to the table, is none of its data."""
    *folders, name = path.split("/")
    return name.startswith(("_", ".")) or any(part.startswith(("_", ".")) and "=" not in part for part in folders)


def _is_marker(entry: Entry, folders: Iterable[str]) -> bool:
    """Whether an object without a byte stands for a folder, as Hadoop makes them in object stores."""
    if entry.size:
        return False
    return entry.name.endswith(_MARKER) or "=" in entry.name or entry.path in folders


def _sink_files(store: LogStore, entries: Iterable[Entry]) -> set[str]:
    """The paths of the files that a stream has written and not taken back, from its batches in order."""
    batches: dict[int, tuple[bool, str]] = {}
    for entry in entries:
        match = _SINK_FILE.fullmatch(entry.path)
        assert match is not None
        number, compact = int(match[1]), match[2] is not None
        if compact or number not in batches:
            batches[number] = (compact, entry.path)
    first = max((number for number, (compact, _) in batches.items() if compact), default=min(batches))
    files: set[str] = set()
    for number in sorted(batches):
        if number < first:
            continue
        path = batches[number][1]
        try:
            for line in store.read(path).decode().splitlines()[1:]:
                action = json.loads(line)
                relative = relative_path(decode_path(action["path"]), store.root)
                (files.discard if action.get("action") == "delete" else files.add)(relative)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SourceFileError(store.url(path), "this log of a stream is damaged") from error
    return files
