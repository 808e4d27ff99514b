"""Listing of a table's location: its files as Arrow columns, and its empty folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from deltasql.lazy import pa

IsHidden = Callable[[str], bool]
"""Whether files and folders of this name, and all below them, are not table data."""
LOG_FOLDER = "_delta_log"
# Hadoop's local file system writes a checksum file beside each file: `.name.crc`.
CHECKSUM_MARKS = (".", ".crc")


@dataclass(frozen=True, eq=False, slots=True)
class TableListing:
    """Files and empty folders of a table: Arrow tables with `path`, relative and decoded, and `modified` in ms.

    `files` also have their `size` in bytes, `empty` are folders, the deepest first. `folders` counts all folders, the
    table's own included.
    """

    files: pa.Table
    empty: pa.Table
    folders: int = 1


def list_local(root: str, is_hidden: IsHidden) -> TableListing:
    """The files and empty folders below a local folder, without nested tables. Links to folders are not followed.

    Files that disappear meanwhile are left out. Raises OSError.
    """
    files: list[tuple[str, int, int]] = []
    folders: dict[str, int] = {}
    occupied: set[str] = set()
    pending = [""]
    while pending:
        folder = pending.pop()
        items = _items(f"{root}/{folder}")
        names = {item.name for item in items}
        if folder and LOG_FOLDER in names:
            occupied.add(folder)
            folders.pop(folder)
            continue
        for item in items:
            path = f"{folder}{item.name}"
            if is_hidden(item.name) and not _is_left_checksum(item.name, names):
                occupied.add(folder)
            elif item.is_dir(follow_symlinks=False):
                folders[f"{path}/"] = _modified(item)
                pending.append(f"{path}/")
            elif item.is_dir():
                occupied.add(folder)
            else:
                occupied.add(folder)
                _append(files, path, item)
    return TableListing(_table(files), _empty(folders, occupied), len(folders) + 1)


def list_objects(entries: Iterable[tuple[str, int, int]], is_hidden: IsHidden) -> TableListing:
    """The files of an object store, which has no folders, from (path, size, modified) per object."""
    visible: dict[str, bool] = {}
    listed = list(entries)
    nested = {path.partition(f"/{LOG_FOLDER}/")[0] for path, _, _ in listed if f"/{LOG_FOLDER}/" in path}
    files = []
    for entry in listed:
        folder, _, name = entry[0].rpartition("/")
        if folder not in visible:
            parents = folder.split("/") if folder else []
            inside = any(f"{folder}/".startswith(f"{table}/") for table in nested)
            visible[folder] = not inside and not any(is_hidden(part) for part in parents)
        if visible[folder] and not is_hidden(name):
            files.append(entry)
    return TableListing(_table(files), no_folders(), sum(visible.values()))


def checksum_beside(path: str) -> str:
    """The checksum file that Hadoop's local file system keeps for `path`."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.join(CHECKSUM_MARKS)}"


def file_table(paths: list[str], sizes: list[int], times: list[int]) -> pa.Table:
    """Files as the columns of `TableListing.files`."""
    from deltasql.log.storage.arrow_values import integers, strings

    return pa.table({"path": strings(paths), "size": integers(sizes), "modified": integers(times)})


def no_folders() -> pa.Table:
    """`TableListing.empty` without rows, for a listing of files only."""
    return _empty({}, set())


def _is_left_checksum(name: str, names: set[str]) -> bool:
    """Whether this is the checksum of a missing file. Other checksums are deleted with their file."""
    before, after = CHECKSUM_MARKS
    return name.startswith(before) and name.endswith(after) and name[len(before) : -len(after)] not in names


def _items(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as items:
            return list(items)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _append(files: list[tuple[str, int, int]], path: str, item: os.DirEntry[str]) -> None:
    try:
        status = item.stat(follow_symlinks=False)
    except FileNotFoundError:
        return
    files.append((path, status.st_size, status.st_mtime_ns // 1_000_000))


def _modified(item: os.DirEntry[str]) -> int:
    try:
        return item.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
    except FileNotFoundError:
        return 0


def _table(files: list[tuple[str, int, int]]) -> pa.Table:
    paths, sizes, times = zip(*files, strict=True) if files else ((), (), ())
    return file_table(list(paths), list(sizes), list(times))


def _empty(folders: dict[str, int], occupied: set[str]) -> pa.Table:
    """The empty folders as `TableListing.empty`; keys of `folders` end with a slash."""
    from deltasql.log.storage.arrow_values import integers, strings

    for folder in sorted(occupied, key=len, reverse=True):
        parent = folder
        while parent:
            parent = parent[:-1].rpartition("/")[0] + "/" if "/" in parent[:-1] else ""
            if parent in occupied:
                break
            occupied.add(parent)
    paths = sorted((path for path in folders if path not in occupied), key=lambda path: (-path.count("/"), path))
    names, times = [path[:-1] for path in paths], [folders[path] for path in paths]
    return pa.table({"path": strings(names), "modified": integers(times)})
