"""Storage of one table: memory, S3, GCS or Azure through obstore, the local disk mostly without it.

Paths are relative to the table's location, `/`-separated and literal (`%` is no escape). The one write that decides
anything is `put_if_absent`; only hints such as `_last_checkpoint` are ever overwritten.
"""

from __future__ import annotations

import io
import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import obstore
from obstore import exceptions
from obstore.store import LocalStore, MemoryStore, from_url

from deltasql.errors.log import AmbiguousWriteError, StorageError, UnsupportedLocationError
from deltasql.log.storage.listing import IsHidden, TableListing, checksum_beside, list_local, list_objects
from deltasql.log.storage.local_files import Inside, make_folders, open_regular, require_regular, sync_folder, sync_tree
from deltasql.log.storage.paths import is_local, local_path

if TYPE_CHECKING:
    import pyarrow as pa

# What stays in memory is one store per process, so that two sessions see the same tables.
_MEMORY = MemoryStore()

# As many objects as S3 deletes with one request.
_BULK = 1000

# Files that only help: who finds them missing or torn does without.
_AIDS = (".crc", ".compacted.json")

# Bytes at the end of an object that are fetched together.
_FOOTER = 1 << 16

# With these answers the storage has said no: nothing was written.
_REFUSED = (
    exceptions.PermissionDeniedError,
    exceptions.UnauthenticatedError,
    exceptions.NotFoundError,
    exceptions.InvalidPathError,
    exceptions.NotSupportedError,
    exceptions.UnknownConfigurationKeyError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored object: `path` relative to the table, `size` in bytes, `modified` in ms since the epoch.

    `tag` is the storage's own mark of the content, if it has one. An object that was replaced is another entry.
    """

    path: str
    size: int
    modified: int
    tag: str | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def open_store(location: str) -> LogStore:
    """The storage of the table at `location`: an absolute local path or a URL.

    Credentials come from the environment, as obstore documents. Raises UnsupportedLocationError.
    """
    if is_local(location):
        return LocalLogStore(local_path(location))
    if location.startswith("memory:"):
        return LogStore(location.rstrip("/"), _MEMORY, location.partition(":")[2].strip("/"))
    try:
        return LogStore(location.rstrip("/"), from_url(location), "")
    except (exceptions.BaseError, ValueError) as error:
        relative = ":" not in location
        reason = "it is relative; write the whole path, as /data/t" if relative else _reason(error)
        raise UnsupportedLocationError(location, reason) from error


class LogStore:
    """Objects below one location. `root` is the location as data readers spell it, without a last slash."""

    def __init__(self, root: str, store: Any, prefix: str = "") -> None:
        self.root = root
        self._store = store
        self._prefix = f"{prefix}/" if prefix else ""

    def read(self, path: str) -> bytes:
        """The whole object. Raises FileNotFoundError or StorageError."""
        try:
            return bytes(obstore.get(self._open(), self._prefix + path).bytes())
        except FileNotFoundError:
            raise
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("read", self.url(path), _reason(error)) from error

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """At most `length` bytes from `start`. Raises FileNotFoundError or StorageError."""
        try:
            return bytes(obstore.get_range(self._open(), self._prefix + path, start=start, length=length))
        except FileNotFoundError:
            raise
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("read", self.url(path), _reason(error)) from error

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """True if `data` is now the object, False if there was one before; readers never see a part of it.

        Raises AmbiguousWriteError if the answer was lost (read back to know), StorageError if it was refused.
        """
        try:
            obstore.put(self._open(create=True), self._prefix + path, data, mode="create", use_multipart=False)
        except (exceptions.AlreadyExistsError, FileExistsError):
            return False
        except _REFUSED as error:
            raise StorageError("write", self.url(path), _reason(error)) from error
        except exceptions.BaseError as error:
            raise AmbiguousWriteError(self.url(path), _reason(error)) from error
        return True

    def overwrite(self, path: str, data: bytes) -> None:
        """Makes `data` the object, whatever was there. Raises StorageError."""
        try:
            obstore.put(self._open(create=True), self._prefix + path, data)
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("write", self.url(path), _reason(error)) from error

    def list_below(self, folder: str, offset: str | None = None) -> list[Entry]:
        """Objects below `folder`, at any depth, by name; only those after the path `offset`, if given."""
        after = None if offset is None else self._prefix + offset
        try:
            pages = obstore.list(self._open(), self._prefix + folder, offset=after, chunk_size=1000)
            found = [self._entry(meta) for page in pages for meta in page]
        except FileNotFoundError:
            return []
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("list", self.url(folder), _reason(error)) from error
        return sorted((entry for entry in found if offset is None or entry.path > offset), key=_by_path)

    def list_folder(self, folder: str, offset: str | None = None) -> list[Entry]:
        """Like `list_below`, but only the objects directly in `folder`."""
        depth = folder.count("/") + 1
        return [entry for entry in self.list_below(folder, offset) if entry.path.count("/") == depth]

    def head(self, path: str) -> Entry:
        """Size and time of one object. Raises FileNotFoundError or StorageError."""
        try:
            return self._entry(obstore.head(self._open(), self._prefix + path))
        except FileNotFoundError:
            raise
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("read", self.url(path), _reason(error)) from error

    def find(self, path: str) -> Entry | None:
        """Like `head`; None where there is no such object."""
        try:
            return self.head(path)
        except FileNotFoundError:
            return None

    def exists(self, path: str) -> bool:
        return self.find(path) is not None

    def delete(self, paths: Iterable[str]) -> None:
        """Removes the objects; those that are already gone are no error."""
        for path in paths:
            self._delete(path)

    def holds(self, path: str) -> bool:
        """Whether a relative path is a place below the location, so that what lies there may be the table's."""
        return not {"", ".", ".."} & set(path.split("/"))

    def delete_all(self, paths: Sequence[str]) -> int:
        """Removes very many objects, side by side where the storage can; how many were there."""
        for start in range(0, len(paths), _BULK):
            bulk = [self._prefix + path for path in paths[start : start + _BULK]]
            try:
                obstore.delete(self._open(), bulk)
            except FileNotFoundError:
                # Another process was faster with one of them: the others may still be there.
                self.delete(paths[start : start + _BULK])
            except (exceptions.BaseError, OSError) as error:
                raise StorageError("delete", self.url(paths[start]), _reason(error)) from error
        return len(paths)

    def delete_folders(self, paths: Iterable[str]) -> int:
        """Removes folders that are empty, and tells how many. An object store has none."""
        return 0

    def tree(self, is_hidden: IsHidden) -> TableListing:
        """All objects below the location that are not hidden. Raises StorageError."""
        entries = ((entry.path, entry.size, entry.modified) for entry in self.list_below(""))
        return list_objects(entries, is_hidden)

    def settle(self, folders: Iterable[str]) -> None:
        """Sees to it that new files below these folders outlive a crash of the machine. An object store does so itself.

        Raises StorageError.
        """

    def open_input(self, path: str) -> pa.NativeFile:
        """A seekable file for pyarrow, which fetches only the ranges that are read. Raises like `read`."""
        import pyarrow as pa

        return pa.PythonFile(_RangedFile(self, path, self.head(path).size), mode="r")

    def url(self, path: str) -> str:
        """The absolute place of a path of this store."""
        return f"{self.root}/{path}"

    def _delete(self, path: str) -> None:
        try:
            obstore.delete(self._open(), self._prefix + path)
        except FileNotFoundError:
            return
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("delete", self.url(path), _reason(error)) from error

    def _open(self, create: bool = False) -> Any:
        return self._store

    def _entry(self, meta: Any) -> Entry:
        modified = int(meta["last_modified"].timestamp() * 1000)
        return Entry(meta["path"][len(self._prefix) :], meta["size"], modified, meta.get("e_tag"))


class LocalLogStore(LogStore):
    """A folder of the local disk. What happens often goes without obstore: to read, to look, to put a new file.

    Where it is `durable`, what was put outlives a crash of the machine: the file is synced before it gets its name, and
    its folder after.
    """

    durable = True

    def __init__(self, root: str) -> None:
        super().__init__(root, None)
        self._folder = Path(root)

    def read(self, path: str) -> bytes:
        try:
            with open_regular(f"{self.root}/{path}") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            raise FileNotFoundError(path) from None
        except OSError as error:
            raise StorageError("read", self.url(path), _reason(error)) from error

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """A whole file of a hidden name gets its name by a link, as obstore does it in five times the time."""
        self._require_inside("write", [path])
        folder, _, name = f"{self.root}/{path}".rpartition("/")
        hidden = f"{folder}/.{name}.{secrets.token_hex(8)}.tmp"
        lasting = self.durable and not name.endswith(_AIDS)
        try:
            with _created(hidden, lasting) as file:
                file.write(data)
                if lasting:
                    file.flush()
                    os.fsync(file.fileno())
            os.link(hidden, f"{folder}/{name}")
        except FileExistsError:
            return False
        except OSError as error:
            raise StorageError("write", self.url(path), _reason(error)) from error
        finally:
            with suppress(OSError):
                os.unlink(hidden)  # noqa: PTH108 - a Path costs as much as the call
        if lasting:
            try:
                sync_folder(folder)
            except OSError as error:
                # The name is there: whether it lasts nobody knows.
                raise AmbiguousWriteError(self.url(path), _reason(error)) from error
        return True

    def settle(self, folders: Iterable[str]) -> None:
        if not self.durable:
            return
        try:
            for folder in folders:
                sync_tree(f"{self.root}/{folder}")
            sync_folder(self.root)
        except OSError as error:
            raise StorageError("write", self.root, _reason(error)) from error

    def list_folder(self, folder: str, offset: str | None = None) -> list[Entry]:
        """Looks at names first, so that a long log costs no `stat` for the files before `offset`.

        What is neither file nor folder is there as well: that a version is a FIFO must be told, not overlooked.
        """
        after = "" if offset is None else offset.rpartition("/")[2]
        try:
            with os.scandir(f"{self.root}/{folder}") as names:
                found = [_found(folder, item) for item in names if item.name > after and not item.is_dir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise StorageError("list", self.url(folder), _reason(error)) from error
        return sorted((entry for entry in found if entry), key=_by_path)

    def head(self, path: str) -> Entry:
        try:
            status = (self._folder / path).stat()
        except (FileNotFoundError, NotADirectoryError):
            raise FileNotFoundError(path) from None
        except OSError as error:
            raise StorageError("read", self.url(path), _reason(error)) from error
        return Entry(path, status.st_size, status.st_mtime_ns // 1_000_000)

    def delete_all(self, paths: Sequence[str]) -> int:
        """With the checksums that Hadoop keeps beside its files."""
        self._require_inside("delete", paths)
        done = 0
        for path in paths:
            done += self._unlink(path)
            self._unlink(checksum_beside(path))
        return done

    def delete(self, paths: Iterable[str]) -> None:
        """Only what lies inside of the table. Raises StorageError for anything else, before any file is gone."""
        wanted = list(paths)
        self._require_inside("delete", wanted)
        super().delete(wanted)

    def _delete(self, path: str) -> None:
        self._unlink(path)

    def holds(self, path: str) -> bool:
        return path in Inside(self.root)

    def delete_folders(self, paths: Iterable[str]) -> int:
        done = 0
        inside = Inside(self.root)
        for path in paths:
            if path not in inside:
                continue
            # Whoever writes into it meanwhile keeps it: only an empty folder can be removed.
            with suppress(OSError):
                (self._folder / path).rmdir()
                done += 1
        return done

    def tree(self, is_hidden: IsHidden) -> TableListing:
        try:
            return list_local(self.root, is_hidden)
        except OSError as error:
            raise StorageError("list", self.root, _reason(error)) from error

    def _require_inside(self, action: str, paths: Iterable[str]) -> None:
        inside = Inside(self.root)
        beyond = next((path for path in paths if path not in inside), None)
        if beyond is not None:
            raise StorageError(action, self.url(beyond), "this leads out of the table, by a link or by '..'")

    def _unlink(self, path: str) -> bool:
        try:
            os.unlink(f"{self.root}/{path}")  # noqa: PTH108 - a Path costs as much as the call
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise StorageError("delete", self.url(path), _reason(error)) from error
        return True

    def read_range(self, path: str, start: int, length: int) -> bytes:
        try:
            with open_regular(f"{self.root}/{path}") as file:
                file.seek(start)
                return file.read(length)
        except (FileNotFoundError, NotADirectoryError):
            raise FileNotFoundError(path) from None
        except OSError as error:
            raise StorageError("read", self.url(path), _reason(error)) from error

    def overwrite(self, path: str, data: bytes) -> None:
        """A whole file of a hidden name takes the place of what was there; a link is replaced, not followed."""
        self._require_inside("write", [path])
        folder, _, name = f"{self.root}/{path}".rpartition("/")
        hidden = f"{folder}/.{name}.{secrets.token_hex(8)}.tmp"
        try:
            with _created(hidden, lasting=False) as file:
                file.write(data)
            os.replace(hidden, f"{folder}/{name}")  # noqa: PTH105 - a Path costs as much as the call
        except OSError as error:
            with suppress(OSError):
                os.unlink(hidden)  # noqa: PTH108 - see above
            raise StorageError("write", self.url(path), _reason(error)) from error

    def open_input(self, path: str) -> pa.NativeFile:
        import pyarrow as pa

        try:
            require_regular(f"{self.root}/{path}")
            return pa.OSFile(f"{self.root}/{path}")
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StorageError("read", self.url(path), _reason(error)) from error

    def _open(self, create: bool = False) -> Any:
        # A folder that does not exist yet can be asked for, and reading must not create it.
        if self._store is None:
            if create:
                self._folder.mkdir(parents=True, exist_ok=True)
            elif not self._folder.is_dir():
                raise FileNotFoundError(self.root)
            self._store = LocalStore(self.root)
        return self._store


class _RangedFile(io.RawIOBase):
    """One object as a file; every read fetches just its range."""

    def __init__(self, store: LogStore, path: str, size: int) -> None:
        self._store = store
        self._path = path
        self._size = size
        self._position = 0
        self._tail = b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def read(self, size: int = -1) -> bytes:
        left = max(self._size - self._position, 0)
        length = left if size < 0 else min(size, left)
        data = self._range(length, left) if length else b""
        self._position += len(data)
        return data

    def _range(self, length: int, left: int) -> bytes:
        """What lies near the end, a footer, is fetched once with all that follows: it is asked for bit by bit."""
        if left > _FOOTER:
            return self._store.read_range(self._path, self._position, length)
        if len(self._tail) < left:
            self._tail = self._store.read_range(self._path, self._position, left)
        start = len(self._tail) - left
        return self._tail[start : start + length]


def _found(folder: str, item: os.DirEntry[str]) -> Entry | None:
    """None for a file that is gone by now, as the temporary ones of other writers soon are."""
    try:
        status = item.stat()
    except FileNotFoundError:
        return None
    return Entry(f"{folder}/{item.name}", status.st_size, status.st_mtime_ns // 1_000_000)


def _created(path: str, lasting: bool) -> BinaryIO:
    """A new file, in a folder that is made where it is missing."""
    try:
        return open(path, "xb")  # noqa: PTH123 - see read; the caller closes it
    except FileNotFoundError:
        make_folders(path.rpartition("/")[0], lasting=lasting)
        return open(path, "xb")  # noqa: PTH123 - see read; the caller closes it


def _by_path(entry: Entry) -> str:
    return entry.path


def _reason(error: BaseException) -> str:
    # obstore appends its debug form after an empty line.
    return str(error).split("\n\n")[0].strip().rstrip(".") or type(error).__name__
