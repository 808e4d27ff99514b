"""Storage of one table as objects by path: memory, S3, GCS or Azure through obstore.

Paths are relative to the table's location, `/`-separated and literal (`%` is no escape). The one write that decides
anything in a log is `put_if_absent`; only hints such as `_last_checkpoint` are ever overwritten. Names, which are no
part of a log, change by `put_if_same`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import obstore
from obstore import exceptions

from deltasql.errors.log import AmbiguousWriteError, ConditionalPutError, StorageError
from deltasql.log.storage.listing import IsHidden, TableListing, list_objects
from deltasql.log.storage.paths import LOG

if TYPE_CHECKING:
    import pyarrow as pa

# As many objects as S3 deletes with one request.
_BULK = 1000

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


class Tag(NamedTuple):
    """The storage's mark of what an object holds, by which it tells whether the object is still the one that was read.

    S3 and Azure compare `e_tag`, Google `version`.
    """

    e_tag: str | None
    version: str | None


class LogStore:
    """Objects below one location. `root` is the location as data readers spell it, without a last slash."""

    def __init__(self, root: str, store: Any, prefix: str = "") -> None:
        self.root = root
        self._store = store
        self._prefix = f"{prefix}/" if prefix else ""
        self.at: Callable[[str], LogStore] = _nowhere
        """The storage of another location, with the same credentials; `Stores.open` sets it."""

    def read(self, path: str) -> bytes:
        """The whole object. Raises FileNotFoundError or StorageError."""
        try:
            return bytes(obstore.get(self._open(), self._prefix + path).bytes())
        except FileNotFoundError:
            raise
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("read", self.url(path), storage_reason(error)) from error

    def read_tagged(self, path: str, known: Tag | None = None) -> tuple[bytes, Tag] | None:
        """The whole object with its tag; None where it is still the one of the tag `known`, which costs no transfer.

        Raises FileNotFoundError or StorageError.
        """
        options = {"if_none_match": known.e_tag} if known is not None and known.e_tag is not None else None
        try:
            found = obstore.get(self._open(), self._prefix + path, options=options)
            return bytes(found.bytes()), _tag(found.meta)
        except exceptions.NotModifiedError:
            return None
        except FileNotFoundError:
            raise
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("read", self.url(path), storage_reason(error)) from error

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """At most `length` bytes from `start`. Raises FileNotFoundError or StorageError."""
        try:
            return bytes(obstore.get_range(self._open(), self._prefix + path, start=start, length=length))
        except FileNotFoundError:
            raise
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("read", self.url(path), storage_reason(error)) from error

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """True if `data` is now the object, False if there was one before; readers never see a part of it.

        Raises AmbiguousWriteError if the answer was lost (read back to know), StorageError if it was refused.
        """
        try:
            obstore.put(self._open(create=True), self._prefix + path, data, mode="create", use_multipart=False)
        except (exceptions.AlreadyExistsError, FileExistsError):
            return False
        except _REFUSED as error:
            raise StorageError("write", self.url(path), storage_reason(error)) from error
        except exceptions.BaseError as error:
            raise AmbiguousWriteError(self.url(path), storage_reason(error)) from error
        return True

    def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
        """The new tag if `data` has taken the place of the object with this tag; None if that is gone, or another one.

        A None may also be the second answer to a put that took place: the storage's client repeats what failed. Who
        must know puts a mark of its own into the data, and looks.
        Raises AmbiguousWriteError if the answer was lost (read back to know), StorageError if it was refused,
        ConditionalPutError where the storage cannot compare: then nothing was written.
        """
        expected = {name: value for name, value in tag._asdict().items() if value is not None}
        if not expected:
            raise ConditionalPutError(self.root, "it marks no object with a tag")
        try:
            done = obstore.put(self._open(), self._prefix + path, data, mode=expected, use_multipart=False)
        except exceptions.PreconditionError:
            return None
        except (NotImplementedError, exceptions.NotSupportedError) as error:
            raise ConditionalPutError(self.root, storage_reason(error)) from error
        except _REFUSED as error:
            raise StorageError("write", self.url(path), storage_reason(error)) from error
        except exceptions.BaseError as error:
            raise AmbiguousWriteError(self.url(path), storage_reason(error)) from error
        return _tag(done)

    def overwrite(self, path: str, data: bytes | pa.Buffer) -> None:
        """Makes `data` the object, whatever was there. Raises StorageError."""
        try:
            # obstore knows buffers of unsigned bytes only, and Arrow's are signed.
            obstore.put(self._open(create=True), self._prefix + path, memoryview(data).cast("B"))
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("write", self.url(path), storage_reason(error)) from error

    def put(self, path: str, data: bytes | pa.Buffer) -> None:
        """Makes `data` a new object, of a name that nobody else uses. Raises StorageError."""
        self.overwrite(path, data)

    def list_below(self, folder: str, offset: str | None = None) -> list[Entry]:
        """Objects below `folder`, at any depth, by name; only those after the path `offset`, if given."""
        found = self._entries(folder, None if offset is None else self._prefix + offset)
        return sorted((entry for entry in found if offset is None or entry.path > offset), key=by_path)

    def _entries(self, folder: str, after: str | None = None) -> Iterator[Entry]:
        """Objects below `folder`, a page of the listing after the other."""
        try:
            for page in obstore.list(self._open(), self._prefix + folder, offset=after, chunk_size=_BULK):
                yield from map(self._entry, page)
        except FileNotFoundError:
            return
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("list", self.url(folder), storage_reason(error)) from error

    def list_folder(self, folder: str, offset: str | None = None) -> list[Entry]:
        """Objects directly in `folder`, by name; only those after the path `offset`, if given. Raises StorageError."""
        depth = folder.count("/") + 1
        return [entry for entry in self.list_below(folder, offset) if entry.path.count("/") == depth]

    def head(self, path: str) -> Entry:
        """Size and time of one object. Raises FileNotFoundError or StorageError."""
        try:
            return self._entry(obstore.head(self._open(), self._prefix + path))
        except FileNotFoundError:
            raise
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("read", self.url(path), storage_reason(error)) from error

    def find(self, path: str) -> Entry | None:
        """Size and time of one object; None where there is none. Raises StorageError."""
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
                raise StorageError("delete", self.url(paths[start]), storage_reason(error)) from error
        return len(paths)

    def delete_below(self, folder: str = "") -> None:
        """Removes all objects below `folder`, or of the whole location; what is gone already is no error."""
        self.delete_all([entry.path for entry in self.list_below(folder)])

    def has_below(self, folder: str) -> bool:
        """Whether there is an object below `folder`. Raises StorageError."""
        return any(True for _ in self._entries(folder))

    def move_below(self, source: str, target: str) -> None:
        """Gives all objects below the folder `source` names below `target`. Raises StorageError.

        An object store copies and deletes, one by one: nobody else may use either folder.
        """
        # Hadoop's S3A leaves markers that are called as the folder.
        for entry in (item for item in self.list_below(source) if item.path != source):
            moved = target + entry.path.removeprefix(source)
            try:
                obstore.rename(self._open(), self._prefix + entry.path, self._prefix + moved)
            except (exceptions.BaseError, OSError) as error:
                raise StorageError("write", self.url(moved), storage_reason(error)) from error

    def is_vacant(self) -> bool:
        """Whether nothing lies here that a new table would be in the way of; see `left_behind`."""
        return all(left_behind(entry.path) for entry in self._entries(""))

    def delete_folders(self, paths: Iterable[str]) -> int:
        """Removes folders that are empty, and tells how many. An object store has none."""
        return 0

    def tree(self, is_hidden: IsHidden) -> TableListing:
        """All objects below the location that are not hidden. Raises StorageError."""
        entries = ((entry.path, entry.size, entry.modified) for entry in self.list_below(""))
        return list_objects(entries, is_hidden)

    def settle(self, folders: Iterable[str]) -> None:
        """Makes new files below some folders outlive a crash of the machine. An object store does so itself.

        Raises StorageError.
        """

    def open_input(self, path: str, size: int | None = None) -> pa.NativeFile:
        """A seekable file for pyarrow, which fetches only the ranges that are read. Raises like `read`.

        Who knows its `size` in bytes saves a request.
        """
        import pyarrow as pa

        return pa.PythonFile(_RangedFile(self, path, self.head(path).size if size is None else size), mode="r")

    def url(self, path: str) -> str:
        """The absolute place of a path of this store."""
        return f"{self.root}/{path}"

    def _delete(self, path: str) -> None:
        try:
            obstore.delete(self._open(), self._prefix + path)
        except FileNotFoundError:
            return
        except (exceptions.BaseError, OSError) as error:
            raise StorageError("delete", self.url(path), storage_reason(error)) from error

    def _open(self, create: bool = False) -> Any:
        return self._store

    def _entry(self, meta: Any) -> Entry:
        modified = int(meta["last_modified"].timestamp() * 1000)
        return Entry(meta["path"][len(self._prefix) :], meta["size"], modified, meta.get("e_tag"))


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
        """Bytes from here on. A footer, near the end, is fetched once with all behind it: it is read bit by bit."""
        if left > _FOOTER:
            return self._store.read_range(self._path, self._position, length)
        if len(self._tail) < left:
            self._tail = self._store.read_range(self._path, self._position, left)
        start = len(self._tail) - left
        return self._tail[start : start + length]


def _nowhere(location: str) -> LogStore:
    raise StorageError("read", location, "this storage was opened for one table alone")


STAGED_FOLDER = re.compile(r"[0-9a-f]{32}")
"""The name of the folder of one statement's new files."""
_WRITTEN = ("part-", "_", ".")


def left_behind(path: str) -> bool:
    """Whether an object of this path below a table's location is in nobody's way: hidden files of the operating system,
    a log without a commit, and rows that a statement has staged, which is still at work or was interrupted. Of two at
    work one will commit, and VACUUM of the table that comes of it removes what was left.
    """
    first, _, rest = path.partition("/")
    name = path.rpartition("/")[2]
    if first.startswith("."):
        return True
    if first == LOG:
        return rest.startswith(".")
    return bool(rest) and STAGED_FOLDER.fullmatch(first) is not None and name.startswith(_WRITTEN)


def by_path(entry: Entry) -> str:
    """Sorts entries as every listing has them."""
    return entry.path


def _tag(meta: Any) -> Tag:
    return Tag(meta.get("e_tag"), meta.get("version"))


def storage_reason(error: BaseException) -> str:
    """What went wrong, in one line for a message."""
    # obstore appends its debug form after an empty line, and before that the whole answer of the server.
    text = str(error).split("\n\n")[0].strip()
    told = _ANSWER.search(text)
    if told is not None:
        text = f"{told['message'].rstrip('.')} ({told['code']})"
    return text.rstrip(".") or type(error).__name__


_ANSWER = re.compile(r"<Code>(?P<code>[^<]*)</Code>.*?<Message>(?P<message>[^<]*)</Message>", re.DOTALL)
"""What a server says of a request that it refused, in S3's and Azure's XML."""
