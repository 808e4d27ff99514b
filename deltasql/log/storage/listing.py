"""Locations of tables and paths of their files, in all spellings, and the listing of a location as Arrow columns.

A location is absolute, decoded and canonical: one directory has one location, a prefix of all paths below it. A local
one is a plain path, any other a URL with its storage's canonical scheme (`s3a://b/t` is `s3://b/t`), without a last
slash.

A data file has three spellings. *As in the log*: URI-encoded, relative to the table or absolute. *Canonical*: decoded,
relative where the file lies below the table; two actions are about one file if these are equal. *Absolute*: decoded, as
a reader opens it. A table's `root` is its location, absolute and decoded.
Source: Delta protocol, File Types, Add File and Remove File; java.net.URI for the characters that are encoded.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from os.path import normpath, realpath
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from deltasql.base import pa

_ALIASES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "gcs": "gs"}
"""Aliases of schemes, with the canonical ones: names of Hadoop's older connectors, or of those without TLS."""

_HADOOP = {"s3": "s3a"}
"""Hadoop's names of those schemes that it names differently."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def scheme(location: str) -> str:
    """The canonical scheme of a location in lower case; `file` for a plain path."""
    match = _SCHEME.match(location)
    if match is None or location.startswith("/"):
        return "file"
    return _ALIASES.get(match[1].lower(), match[1].lower())


def is_local(location: str) -> bool:
    """True for an absolute path or a `file:` URL."""
    return location.startswith(("/", "file:"))


def is_url(location: str) -> bool:
    """True for a text that begins with a scheme, `file:` included."""
    return _SCHEME.match(location) is not None


def plain_location(decoded: str) -> str:
    """A decoded path or URI with its canonical scheme; a `file:` URI becomes a plain path, without its authority."""
    match = _SCHEME.match(decoded)
    if match is None:
        return decoded
    if match[1] == "file":
        rest = decoded[len("file:") :]
        if rest.startswith("//"):
            rest = rest[2:].partition("/")[2]
        return "/" + rest.lstrip("/")
    return scheme(decoded) + decoded[match.end(1) :]


def local_path(location: str) -> str:
    """The plain path of a local location: `file:///a%20b` and `file:/a%20b` are `/a b`; a path stays as it is."""
    path = location
    if location.startswith("file:"):
        path = plain_location(unquote(location) if "%" in location else location)
    return path.rstrip("/") or "/"


def table_location(location: str) -> str:
    """The canonical form of an absolute location, see the module."""
    return local_path(location) if is_local(location) else plain_location(location).rstrip("/")


def absolute_location(location: str, directory: str = "") -> str:
    """The location of a path or URL that a user has written.

    A relative path is below `directory`, by default the working directory of the process.
    """
    if is_local(location):
        return str(Path(local_path(location)))
    return table_location(location) if is_url(location) else relative_location(location, directory or str(Path.cwd()))


def is_relative(path: str) -> bool:
    """Whether a text is a relative path, and neither an absolute one nor a URL."""
    return bool(path) and not path.startswith("/") and not is_url(path)


def relative_location(path: str, directory: str) -> str:
    """The location of a relative path below an absolute directory, without `.` and `..`."""
    return normpath(f"{directory}/{path}")


def is_same_directory(location: str, other: str) -> bool:
    """Whether two locations are of one directory: a local one may have several paths, by links and `..`."""
    return location == other or (is_local(location) and is_local(other) and realpath(location) == realpath(other))


def hadoop_scheme(location: str) -> str:
    """Hadoop's scheme for the storage of a location, such as `s3a`."""
    name = scheme(location)
    return _HADOOP.get(name, name)


def hadoop_location(location: str) -> str:
    """A location as Spark reads and writes it: `s3a://b/t` for `s3://b/t`; a local path stays as it is."""
    return location if is_local(location) else hadoop_scheme(location) + location[location.index(":") :]


def table_uri(location: str) -> str:
    """A location as Spark names it in results, which does not encode it: `file:/a b` for a local one."""
    return f"file:{location}" if location.startswith("/") else location


LOG = "_delta_log"
LAST_CHECKPOINT = f"{LOG}/_last_checkpoint"
STAGED_COMMITS = f"{LOG}/_staged_commits"

_PLAIN = "_-!.~'()*:@&=+$,;/"
_IS_PLAIN = re.compile(rf"[A-Za-z0-9{re.escape(_PLAIN)}]*")
_BLANK = frozenset({"Zs", "Zl", "Zp", "Cc"})


def commit_path(version: int) -> str:
    """`_delta_log/00000000000000000010.json`."""
    return f"{LOG}/{version:020d}.json"


def checksum_path(version: int) -> str:
    """`_delta_log/00000000000000000010.crc`."""
    return f"{LOG}/{version:020d}.crc"


def checkpoint_path(version: int) -> str:
    """Where the classic checkpoint of a version is that has one file."""
    return f"{LOG}/{version:020d}.checkpoint.parquet"


def compacted_path(first: int, last: int) -> str:
    """Where the commits of the versions from `first` to `last` are in one file."""
    return f"{LOG}/{first:020d}.{last:020d}.compacted.json"


# Paths of data files


def encode_path(path: str) -> str:
    """A decoded path as the log has it: what java.net.URI quotes is %XX, letters outside ASCII stay."""
    return path if _IS_PLAIN.fullmatch(path) else "".join(map(_encoded, path))


def decode_path(path: str) -> str:
    """A path or URI as in the log, or as Spark's `_metadata.file_path` has it, decoded and in our spelling."""
    return plain_location(unquote(path) if "%" in path else path)


def relative_path(decoded: str, root: str) -> str:
    """The canonical path of a file: relative where it lies below the table's `root`."""
    return decoded.removeprefix(f"{root}/") if is_absolute(decoded) else decoded


def canonical(path: str, root: str) -> str:
    """The canonical path of a file; `path` as in the log. `/a/f`, `file:/a/f` and `file:///a/f` are one file."""
    return relative_path(decode_path(path), root)


def located(canonical_path: str, root: str) -> str:
    """The absolute place of a file, from its canonical path."""
    return canonical_path if is_absolute(canonical_path) else f"{root}/{canonical_path}"


def absolute(path: str, root: str) -> str:
    """The absolute place of a file: what a reader opens. `path` as in the log."""
    return located(canonical(path, root), root)


def folder_and_name(location: str) -> tuple[str, str]:
    """The folder of an absolute place, `/` for what lies at the top of a disk, and the name of the file there."""
    folder, _, name = location.rpartition("/")
    return folder or "/", name


def is_absolute(path: str) -> bool:
    """True if a decoded data path stands for itself, not for a place below the table."""
    return path.startswith("/") or is_url(path)


def _encoded(char: str) -> str:
    if char > "\x7f" and unicodedata.category(char) not in _BLANK:
        return char
    return quote(char, safe=_PLAIN)


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
    from deltasql.schema import integers, strings

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
    from deltasql.schema import integers, strings

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


# Without it a FIFO waits for a writer, maybe for ever. Windows has no such files.
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)


def open_regular(path: str) -> BinaryIO:
    """A regular file, open for reading. Raises OSError, also for files that may block for ever: FIFOs, devices."""
    number = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError("it is no regular file")
    return os.fdopen(number, "rb")


def require_regular(path: str) -> int:
    """The size of a regular file. Raises OSError, also for a file of another kind."""
    status = os.stat(path)  # noqa: PTH116 - a Path for each of very many files costs as much as the call
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is no regular file")
    return status.st_size


def file_state(path: str) -> tuple[int, ...]:
    """Size, inode, mtime and ctime in ns of a file: they change with its content or permissions. Raises OSError."""
    status = os.stat(path)  # noqa: PTH116 - a Path for each of very many files costs as much as the call
    return status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def path_exists(path: str) -> bool:
    """Whether a file or folder exists at a plain path; links are followed."""
    return os.path.exists(path)  # noqa: PTH110 - a Path for each of very many files costs as much


def real_path(path: str) -> str:
    """A plain path with all links in it followed."""
    return os.path.realpath(path)


class Inside:
    """The set of relative paths that stay inside of a folder once links in their folders are resolved.

    The last part of a path may be a link itself: removing or replacing it affects nothing else. Resolved folders are
    cached, so that later checks need a new object.
    """

    def __init__(self, root: str) -> None:
        self._root, self._real = root, _real(root)
        self._folders: dict[str, bool] = {}

    def __contains__(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if name in {"", ".", ".."}:
            return False
        if folder not in self._folders:
            self._folders[folder] = _real(f"{self._root}/{folder}").startswith(self._real)
        return self._folders[folder]


def make_folders(folder: str, *, lasting: bool) -> None:
    """Creates a folder and its parents; with `lasting`, their names are synced to survive a crash of the machine."""
    missing, above = [], folder
    while not os.path.isdir(above):  # noqa: PTH112
        missing.append(above)
        above = os.path.dirname(above)  # noqa: PTH120
    for path in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(path)  # noqa: PTH102
    if lasting:
        _sync_names(os.path.dirname(folder))  # noqa: PTH120


def _sync_names(folder: str) -> None:
    """Syncs a folder and those above it, some of which this process may have made while it wrote files.

    It ends at the mount and where this process may not write: it has made no folder there. Raises OSError.
    """
    while os.access(folder, os.R_OK | os.W_OK):
        sync_folder(folder)
        if os.path.ismount(folder):
            return
        folder = os.path.dirname(folder)  # noqa: PTH120


def sync_folder(folder: str) -> None:
    """Makes the names in a folder survive a crash of the machine. Raises OSError."""
    if os.name == "nt":
        # Windows opens no folders, and keeps their names itself.
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def sync_trees(folders: Iterable[str], above: str) -> None:
    """Makes the files below some folders, and all names down from `above`, survive a crash of the machine.

    They are synced at once, so that the file system writes its journal for all of them together. Raises OSError.
    """
    work: list[Callable[[], None]] = [partial(sync_folder, above)]
    for folder in folders:
        for directory, _, names in os.walk(folder):
            work += [partial(_sync_file, f"{directory}/{name}") for name in names]
            work.append(partial(sync_folder, directory))
    if len(work) == 1:
        return work[0]()
    with ThreadPoolExecutor(min(len(work), _SYNCS_AT_ONCE)) as threads:
        for done in [threads.submit(item) for item in work]:
            done.result()
    return None


_SYNCS_AT_ONCE = 8


def _sync_file(path: str) -> None:
    with open_regular(path) as file:
        os.fsync(file.fileno())


def may_read(path: str) -> bool:
    """Whether a file exists and this process may read it."""
    return os.access(path, os.R_OK)


def may_make(folder: str) -> bool:
    """Whether this process may create a folder and its missing parents."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)  # noqa: PTH120
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)  # noqa: PTH112


def _real(folder: str) -> str:
    """A folder with its links resolved and one slash at its end."""
    return os.path.realpath(folder).rstrip("/") + "/"


STAGED_FOLDER = re.compile(r"[0-9a-f]{32}")
"""The name of the folder of one statement's new files."""
_WRITTEN = ("part-", "deletion_vector_", "_", ".")


def left_behind(path: str) -> bool:
    """Whether a new table may ignore an object of this path below its location.

    True for hidden files of the operating system, a log without a commit, and files that a running or interrupted
    statement has staged or copied. Of two running statements one will commit, and VACUUM of the resulting table removes
    the leftovers.
    """
    first, _, rest = path.partition("/")
    name = path.rpartition("/")[2]
    if first.startswith("."):
        return True
    if first == LOG:
        return rest.startswith(".")
    return bool(rest) and STAGED_FOLDER.fullmatch(first) is not None and name.startswith(_WRITTEN)
