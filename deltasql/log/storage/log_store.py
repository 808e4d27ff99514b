"""Storage of one table as objects by path (memory, S3, GCS or Azure through obstore), with retries of its requests.

Paths are relative to the table's location, `/`-separated and literal (`%` is no escape). Log files are created by
`put_if_absent`; only hints such as `_last_checkpoint` are ever overwritten. Objects of the catalog, which are no part
of a log, change by `put_if_same`.

Requests that a busy store rejects or leaves without an answer are retried (see `Patience`). Retries of the client
library are switched off (`ONCE`): it would put an object twice and mistake its first put for that of another writer.

Objects can also be opened as files, checked for completeness by header and footer or by decompressing them (Source: the
definitions of Parquet, ORC and Avro; RFC 1952 for gzip), and copied: within a bucket by the storage itself, else
through this process.
"""

from __future__ import annotations

import io
import random
import re
import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any, NamedTuple, TypeVar

import obstore
from obstore import exceptions

from deltasql.base import check, errors, pa
from deltasql.log.row_groups import parse_footer
from deltasql.log.storage.listing import IsHidden, TableListing, folder_and_name, left_behind, list_objects

ONCE = {"max_retries": 0}
"""The `retry_config` of a client that sends each request once."""

_STATUS = re.compile(r"status code: (\d{3})")
_CAUSE = re.compile(r'message: "([^"]+)"')
_KIND = re.compile(r"\bkind: (Connect|Timeout|Interrupted|Decode)\b")
_KINDS = {
    "Connect": "no connection",
    "Timeout": "timed out",
    "Interrupted": "the connection was dropped",
    "Decode": "the answer was cut short",
}
# Error responses of S3 and Azure, in XML.
_ANSWER = re.compile(r"<Code>(?P<code>[^<]*)</Code>.*?<Message>(?P<message>[^<]*)</Message>", re.DOTALL)
_AGAIN_LATER = frozenset({408, 429})
_NOT_IMPLEMENTED = 501
_CONFLICT = 409


@dataclass(frozen=True, slots=True)
class Patience:
    """Retry policy: at most `tries`, the last begun within `seconds`; waits double from `first` to `longest` seconds.

    Each wait is random between half of that and all of it, so that writers rejected together do not retry together.
    """

    tries: int = 10
    seconds: float = 60.0
    first: float = 0.05
    longest: float = 5.0


class Tries:
    """The tries of one request."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._begin = time.monotonic()
        self.count = 1

    @property
    def seconds(self) -> float:
        """Seconds since the first try began."""
        return time.monotonic() - self._begin

    @property
    def left(self) -> bool:
        """Whether another try is allowed."""
        return self.count < self._patience.tries and self.seconds < self._patience.seconds

    def wait(self) -> None:
        """Waits before the next try."""
        wait = min(self._patience.first * 2 ** (self.count - 1), self._patience.longest)
        time.sleep(wait * random.uniform(0.5, 1.0))
        self.count += 1


class PutOutcome(Enum):
    """Outcome of a put-if-absent that raised an error."""

    EXISTS = auto()
    """The object exists."""
    CONFLICT = auto()
    """The object exists, or two requests have collided: stores answer 409 for both."""
    REFUSED = auto()
    """The put was refused: nothing was written."""
    NONE = auto()
    """Unknown."""


def reply_to_create(error: BaseException) -> PutOutcome:
    """The outcome of a put-if-absent by its error."""
    if isinstance(error, (exceptions.AlreadyExistsError, FileExistsError)):
        return PutOutcome.CONFLICT if status_of(error) == _CONFLICT else PutOutcome.EXISTS
    return PutOutcome.REFUSED if is_refusal(error) else PutOutcome.NONE


def is_refusal(error: BaseException) -> bool:
    """Whether the storage has refused the request, so that nothing was done."""
    if not isinstance(error, exceptions.GenericError):
        return True
    status = status_of(error)
    return status is not None and (status == _NOT_IMPLEMENTED or (status < 500 and status not in _AGAIN_LATER))


def may_pass(error: BaseException) -> bool:
    """Whether a retry may succeed: the storage was busy, or the connection failed."""
    return not is_refusal(error) and (status_of(error) is not None or "HTTP error" in _first_lines(error))


def is_unknown_operation(error: BaseException | None) -> bool:
    """Whether the storage does not support the operation."""
    return isinstance(error, (NotImplementedError, exceptions.NotSupportedError)) or (
        isinstance(error, exceptions.BaseError) and status_of(error) == _NOT_IMPLEMENTED
    )


def status_of(error: BaseException) -> int | None:
    """The HTTP status in an error; None without one."""
    match = _STATUS.search(_first_lines(error))
    return None if match is None else int(match[1])


def storage_reason(error: BaseException) -> str:
    """The cause of a storage error, as one line for messages."""
    reason = _first_lines(error).strip()
    answer = _ANSWER.search(reason)
    if answer is not None:
        return f"{answer['message'].rstrip('.')} ({answer['code']})"
    reason = reason.rstrip(".:") or type(error).__name__
    if status_of(error) is not None:
        return reason
    # Of a request without an answer only the debug form says why.
    debug = str(error)[len(_first_lines(error)) :]
    cause, kind = _CAUSE.search(debug), _KIND.search(debug)
    text = cause[1] if cause else _KINDS[kind[1]] if kind else None
    return f"{reason} ({text})" if text else reason


def repeats_by_itself(store: Any) -> bool:
    """Whether the client of a store sends requests and may retry them itself, as it is not opened with `ONCE`."""
    if not hasattr(store, "retry_config"):
        return False
    config = store.retry_config
    return config is None or config.get("max_retries") != 0


def _first_lines(error: BaseException) -> str:
    # obstore appends its debug form after an empty line.
    return str(error).split("\n\n")[0]


# As many objects as S3 deletes with one request.
_BULK = 1000

# Bytes of a new commit that are read back: its first line is unique.
_BEGINNING = 4096

# Objects that pass through this process are in memory piece by piece only.
PIECE = 8 << 20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored object: `path` relative to the table, `size` in bytes, `modified` in ms since the epoch.

    `tag` is the storage's ETag of the content, if it has one. An object that was replaced has another entry.
    """

    path: str
    size: int
    modified: int
    tag: str | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def is_same(self, other: Entry) -> bool:
        """Whether both are of one object that was not replaced in between.

        Listings and HEAD responses differ in some stores: Azure lists the ETag without quotes, others have fractions of
        a second only in listings. So times are compared only where an ETag is missing.
        """
        if self.tag is None or other.tag is None:
            return self == other
        return (self.path, self.size, self.tag.strip('"')) == (other.path, other.size, other.tag.strip('"'))


class Tag(NamedTuple):
    """The storage's version marks of an object, for conditional requests.

    S3 and Azure compare `e_tag`, Google `version`.
    """

    e_tag: str | None
    version: str | None


class LogStore:
    """Objects below one location. `root` is the location as data readers spell it, without a trailing slash."""

    patience = Patience()
    """Retry policy of requests that got no answer, or a retryable error."""

    probed = True
    """Whether the first commit to a shared store probes if it creates an object only once."""

    def __init__(self, root: str, store: Any, prefix: str = "") -> None:
        self.root = root
        self._store = store
        self._prefix = f"{prefix}/" if prefix else ""
        self.at: Callable[..., LogStore] = _nowhere
        """Opens the storage of another location, with the same or with given credentials; set by `Stores.open`."""

    @property
    def shared(self) -> str | None:
        """The bucket or container, with its endpoint or account if configured; None for storage of this machine."""
        config = getattr(self._store, "config", None)
        if config is None:
            return None
        scheme, _, rest = self.root.partition("://")
        endpoint = config.get("endpoint") or config.get("account_name")
        return f"{scheme}://{rest.partition('/')[0]}" + (f" at {endpoint}" if endpoint else "")

    def read(self, path: str) -> bytes:
        """The whole object. Raises FileNotFoundError or StorageError."""
        return self._ask("read", path, lambda store, key: bytes(obstore.get(store, key).bytes()))

    def read_tagged(self, path: str, tag: Tag | None = None) -> tuple[bytes, Tag] | None:
        """The whole object with its tag; None, without a transfer, if it still has the tag `tag`.

        Raises FileNotFoundError or StorageError.
        """
        options = {"if_none_match": tag.e_tag} if tag is not None and tag.e_tag is not None else None

        def look(store: Any, key: str) -> tuple[bytes, Tag] | None:
            try:
                response = obstore.get(store, key, options=options)
            except exceptions.NotModifiedError:
                return None
            return bytes(response.bytes()), _tag(response.meta)

        return self._ask("read", path, look)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """At most `length` bytes from `start`. Raises FileNotFoundError or StorageError."""
        return self._ask(
            "read", path, lambda store, key: bytes(obstore.get_range(store, key, start=start, length=length))
        )

    def read_buffer(self, path: str) -> bytes | pa.Buffer:
        """As `read`, for large objects."""
        return self.read(path)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """True if `data` is now the object, False if one existed before; readers never see a part of it.

        A put without an answer is retried, and an existing object is then read and compared with `data`. Raises
        AmbiguousWriteError if the outcome stays unknown, StorageError if the put was refused.
        """
        tries, doubtful = Tries(self.patience), repeats_by_itself(self._store)
        while True:
            error = self._create(path, data)
            if error is None:
                return True
            reply = reply_to_create(error)
            if reply is PutOutcome.EXISTS and not doubtful:
                return False
            if reply is PutOutcome.REFUSED and tries.count == 1:
                raise errors.StorageError("write", self.url(path), storage_reason(error)) from error
            last = reply is PutOutcome.REFUSED or not tries.left
            if last or reply is not PutOutcome.NONE:
                stored = self._content_after_put(path, error)
                if stored is not None:
                    return stored == data
            if last:
                raise errors.AmbiguousWriteError(self.url(path), storage_reason(error)) from error
            doubtful = True
            tries.wait()

    def _create(self, path: str, data: bytes) -> Exception | None:
        """Puts an object if it is absent; returns the storage's error, or None."""
        try:
            obstore.put(self._open(create=True), self._prefix + path, data, mode="create", use_multipart=False)
        except (exceptions.BaseError, OSError, NotImplementedError) as error:
            return error
        return None

    def confirm(self, path: str, data: bytes) -> Entry:
        """The entry of a commit that this process has put, as of `head`, by one request.

        Raises OverwrittenCommitError if the object is another commit, FileNotFoundError or StorageError.
        """
        entry, beginning = self._beginning(path, min(len(data), _BEGINNING))
        if entry.size != len(data) or not data.startswith(beginning):
            raise errors.OverwrittenCommitError(self.url(path), self.shared or self.root)
        return entry

    def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
        """The new tag if `data` has replaced the object with this tag; None if that is gone or has changed.

        None is also possible after a put that succeeded, whose answer was lost and whose retry failed. A caller that
        must know puts a unique mark into the data and reads it back.
        Raises AmbiguousWriteError if the outcome is unknown, StorageError if the put was refused, ConditionalPutError
        if the storage has no such condition: then nothing was written.
        """
        expected = {name: value for name, value in tag._asdict().items() if value is not None}
        if not expected:
            raise errors.ConditionalPutError(self.root, "it marks no object with a tag")
        tries = Tries(self.patience)
        while True:
            try:
                return _tag(obstore.put(self._open(), self._prefix + path, data, mode=expected, use_multipart=False))
            except exceptions.PreconditionError:
                return None
            except (exceptions.BaseError, OSError, NotImplementedError) as error:
                if is_unknown_operation(error):
                    raise errors.ConditionalPutError(self.root, storage_reason(error)) from error
                if is_refusal(error) and tries.count == 1:
                    raise errors.StorageError("write", self.url(path), storage_reason(error)) from error
                if is_refusal(error) or not tries.left:
                    raise errors.AmbiguousWriteError(self.url(path), storage_reason(error)) from error
                tries.wait()

    def overwrite(self, path: str, data: bytes | pa.Buffer) -> None:
        """Writes `data` as the object, whether or not one exists. Raises StorageError."""
        self._open(create=True)
        # obstore knows buffers of unsigned bytes only, and Arrow's are signed.
        view = memoryview(data).cast("B")
        self._ask("write", path, lambda store, key: obstore.put(store, key, view), missing_is_final=True)

    def put(self, path: str, data: bytes | pa.Buffer) -> None:
        """Writes `data` as a new object, whose path no one else uses. Raises StorageError."""
        self.overwrite(path, data)

    def pieces(self, path: str, size: int) -> Iterator[bytes]:
        """The bytes of an object of that size, in pieces of PIECE. Raises FileNotFoundError or StorageError."""
        return (self.read_range(path, start, min(PIECE, size - start)) for start in range(0, size, PIECE))

    def put_pieces(self, path: str, pieces: Callable[[], Iterator[bytes]]) -> None:
        """Writes a new object from pieces of bytes. Raises StorageError.

        `pieces` is called anew for every try.
        """
        self._ask("write", path, lambda store, key: obstore.put(store, key, pieces()), missing_is_final=True)

    def copies_of(self, source: LogStore) -> bool:
        """Whether the storage itself can copy objects of `source` to this store: both are in one bucket."""
        return self._store is not None and self._store is source._store

    def copy_within(self, source: LogStore, name: str, path: str) -> None:
        """Copies the object `name` of `source`, which is in the same bucket, to `path`.

        Raises FileNotFoundError or StorageError.
        """
        origin = source._prefix + name
        self._ask("write", path, lambda store, key: obstore.copy(store, origin, key))

    def list_below(self, folder: str, offset: str | None = None, excluded: Collection[str] = ()) -> list[Entry]:
        """Objects below `folder`, at any depth, by name; only those after the path `offset`, and not in `excluded`."""
        after, last = (None, "") if offset is None else (self._prefix + offset, offset)
        entries = self._entries(folder, after)
        return sorted((entry for entry in entries if entry.path > last and entry.path not in excluded), key=by_path)

    def _entries(self, folder: str, after: str | None = None) -> Iterator[Entry]:
        """Objects below `folder`, listed page by page."""
        tries = Tries(self.patience)
        while True:
            try:
                for page in obstore.list(self._open(), self._prefix + folder, offset=after, chunk_size=_BULK):
                    for meta in page:
                        yield self._entry(meta)
                        # Where a page does not come, the listing is taken up again behind the last one.
                        after = meta["path"]
                return
            except FileNotFoundError:
                return
            except (exceptions.BaseError, OSError) as error:
                self._wait_after(error, tries, "list", folder)

    def list_folder(self, folder: str, offset: str | None = None) -> list[Entry]:
        """Objects directly in `folder`, by name; only those after the path `offset`, if given. Raises StorageError."""
        depth = folder.count("/") + 1
        return [entry for entry in self.list_below(folder, offset) if entry.path.count("/") == depth]

    def head(self, path: str) -> Entry:
        """Size and time of one object. Raises FileNotFoundError or StorageError."""
        return self._ask("read", path, lambda store, key: self._entry(obstore.head(store, key)))

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

    def contains(self, path: str) -> bool:
        """Whether a relative path stays below the location, so that its object may be part of the table."""
        return not {"", ".", ".."} & set(path.split("/"))

    def delete_all(self, paths: Sequence[str]) -> int:
        """Removes many objects, in bulk where the storage can; returns their number."""
        for start in range(0, len(paths), _BULK):
            bulk = [self._prefix + path for path in paths[start : start + _BULK]]
            try:
                self._ask("delete", paths[start], partial(_delete_bulk, bulk))
            except FileNotFoundError:
                # Another process was faster with one of them: the others may still be there.
                self.delete(paths[start : start + _BULK])
        return len(paths)

    def delete_below(self, folder: str = "") -> None:
        """Removes all objects below `folder`, or of the whole location; what is gone already is no error."""
        self.delete_all([entry.path for entry in self.list_below(folder)])

    def has_below(self, folder: str) -> bool:
        """Whether there is an object below `folder`. Raises StorageError."""
        return any(True for _ in self._entries(folder))

    def move_below(self, source: str, target: str) -> None:
        """Moves all objects below the folder `source`, except empty ones, below `target`. Raises StorageError.

        An object store copies and deletes one by one: no one else may use either folder.
        """
        # Hadoop's S3A leaves empty objects as markers of folders.
        for entry in (item for item in self.list_below(source) if item.size):
            self.move(entry.path, target + entry.path.removeprefix(source))

    def move(self, source: str, target: str) -> None:
        """Moves one object, which no one else uses, to a path that is free. Raises StorageError."""
        self._ask("write", target, partial(_move, self._prefix + source), missing_is_final=True)

    def is_vacant(self) -> bool:
        """Whether a new table may be created: there are no objects but those of `left_behind`."""
        return all(left_behind(entry.path) for entry in self._entries(""))

    def delete_folders(self, paths: Iterable[str]) -> int:
        """Removes empty folders, and returns their number. An object store has none."""
        return 0

    def tree(self, is_hidden: IsHidden) -> TableListing:
        """All objects below the location that are not hidden. Raises StorageError."""
        entries = ((entry.path, entry.size, entry.modified) for entry in self.list_below(""))
        return list_objects(entries, is_hidden)

    def settle(self, folders: Iterable[str]) -> None:
        """Makes new files below some folders survive a crash of the machine. An object store does so itself.

        Raises StorageError.
        """

    def open_input(self, path: str, size: int | None = None) -> pa.NativeFile:
        """A seekable file for pyarrow, which fetches only the ranges that are read. Raises like `read`.

        A given `size` in bytes saves a request.
        """
        whole = b""
        if size is None:
            entry, beginning = self._beginning(path, FOOTER)
            size, whole = entry.size, beginning if len(beginning) == entry.size else b""
        return pa.PythonFile(RangedFile(partial(self.read_range, path), size, whole), mode="r")

    def url(self, path: str) -> str:
        """The absolute location of a path of this store."""
        return f"{self.root}/{path}"

    def _delete(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._ask("delete", path, obstore.delete)

    def _ask(self, action: str, path: str, request: Callable[[Any, str], T], *, missing_is_final: bool = False) -> T:
        """The result of `request`, called with store and key, and retried until it is answered.

        Raises FileNotFoundError, unless `missing_is_final`; StorageError, after the last try StorageUnavailableError.
        """
        tries = Tries(self.patience)
        while True:
            try:
                return request(self._open(), self._prefix + path)
            except (exceptions.BaseError, OSError, NotImplementedError) as error:
                if isinstance(error, FileNotFoundError) and not missing_is_final:
                    raise
                self._wait_after(error, tries, action, path)

    def _wait_after(self, error: Exception, tries: Tries, action: str, path: str) -> None:
        """Waits before the next try of a request. Raises StorageError if there is none."""
        if not may_pass(error):
            raise errors.StorageError(action, self.url(path), storage_reason(error)) from error
        if not tries.left:
            reason, seconds = storage_reason(error), round(tries.seconds)
            raise errors.StorageUnavailableError(action, self.url(path), reason, tries.count, seconds) from error
        tries.wait()

    def _beginning(self, path: str, length: int) -> tuple[Entry, bytes]:
        """An object's entry and first bytes, with one request. Raises like `read`, also for an empty object."""

        def look(store: Any, key: str) -> tuple[Entry, bytes]:
            response = obstore.get(store, key, options={"range": (0, length)})
            return self._entry(response.meta), bytes(response.bytes())

        return self._ask("read", path, look)

    def _content_after_put(self, path: str, doubt: Exception) -> bytes | None:
        """The content of an object whose put got no answer; None if it does not exist.

        Raises AmbiguousWriteError if it cannot be read either.
        """
        try:
            return self.read(path)
        except FileNotFoundError:
            return None
        except errors.StorageError as error:
            reason = f"{storage_reason(doubt)}; to read it back failed, too: {error.reason}"
            raise errors.AmbiguousWriteError(self.url(path), reason) from error

    def _open(self, create: bool = False) -> Any:
        return self._store

    def _entry(self, meta: Any) -> Entry:
        modified = int(meta["last_modified"].timestamp() * 1000)
        return Entry(meta["path"][len(self._prefix) :], meta["size"], modified, meta.get("e_tag"))


def _nowhere(location: str) -> LogStore:
    raise errors.StorageError("read", location, "this storage was opened for one table alone")


def _delete_bulk(keys: Sequence[str], store: Any, _: str) -> None:
    obstore.delete(store, keys)


def _move(source: str, store: Any, target: str) -> None:
    """Renames an object; an earlier try, whose answer was lost, may have done so."""
    try:
        obstore.rename(store, source, target)
    except FileNotFoundError:
        obstore.head(store, target)


def by_path(entry: Entry) -> str:
    """Sort key of entries in listings."""
    return entry.path


def _tag(meta: Any) -> Tag:
    return Tag(meta.get("e_tag"), meta.get("version"))


FOOTER = 1 << 16
"""Bytes at the end of an object that are fetched together."""


class RangedFile(io.RawIOBase):
    """One object of `size` bytes as a file. Every read fetches just its range, unless `whole` is the object already.

    `read_range` gives so many bytes (the second number) from a place on.
    """

    def __init__(self, read_range: Callable[[int, int], bytes], size: int, whole: bytes = b"") -> None:
        self._read_range = read_range
        self._size = size
        self._position = 0
        self._tail = whole

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
        """Bytes from the position on. A footer, which is read in small pieces, is fetched once with all behind it."""
        if left > FOOTER:
            return self._read_range(self._position, length)
        if len(self._tail) < left:
            self._tail = self._read_range(self._position, left)
        start = len(self._tail) - left
        return self._tail[start : start + length]


_STEP = 8 << 20
_ORC = b"ORC"
_AVRO = b"Obj\x01"
_PARQUET = b"PAR1"
_TAIL = 8


def whole_check(file_format: str) -> Callable[[LogStore, str], bool]:
    """The check whether a file of this format (`csv`, `parquet`, …) is complete, as far as known without its rows.

    The check takes a store and a path. It raises FileNotFoundError, StorageError.
    """
    return _CHECKS.get(file_format, _text)


def _parquet(store: LogStore, path: str) -> bool:
    size = store.head(path).size
    tail = store.read_range(path, max(size - _TAIL, 0), _TAIL) if size else b""
    length = int.from_bytes(tail[:4], "little")
    if len(tail) < _TAIL or tail[4:] != _PARQUET or length > size - _TAIL:
        return False
    try:
        parse_footer(store.read_range(path, size - _TAIL - length, length))
    except ValueError:
        return False
    return True


def _orc(store: LogStore, path: str) -> bool:
    """The magic is at the beginning and in the postscript at the end, whose length is the last byte."""
    size = store.head(path).size
    if size < len(_ORC) + 1:
        return False
    tail = store.read_range(path, max(size - 256, 0), 256)
    return store.read_range(path, 0, len(_ORC)) == _ORC and _ORC in tail[-1 - tail[-1] :]


def _avro(store: LogStore, path: str) -> bool:
    return store.head(path).size >= len(_AVRO) and store.read_range(path, 0, len(_AVRO)) == _AVRO


def _text(store: LogStore, path: str) -> bool:
    """Text may consist of any bytes; a `.gz` file must decompress to its end."""
    if not path.endswith(".gz"):
        return True
    size, at = store.head(path).size, 0
    unpack, ended = zlib.decompressobj(31), size == 0
    while at < size:
        piece = store.read_range(path, at, min(_STEP, size - at))
        at += len(piece)
        try:
            while piece:
                unpack.decompress(piece)
                # A file may hold several streams, one behind the other.
                ended, piece = unpack.eof, unpack.unused_data
                unpack = zlib.decompressobj(31) if unpack.eof else unpack
        except zlib.error:
            return False
    return ended


_CHECKS: dict[str, Callable[[LogStore, str], bool]] = {"parquet": _parquet, "orc": _orc, "avro": _avro}


_THREADS = 8
# S3 copies no larger object with one request.
_MOST_AT_ONCE = 5 << 30
_LOOK_EVERY = 0.2


class Copy(NamedTuple):
    """One file to copy: from an absolute, decoded path (`location`) to a path below the target's location.

    `size` is its size in bytes from the log; 0 if unknown.
    """

    location: str
    path: str
    size: int


def copy_files(target: LogStore, copies: Iterable[Copy]) -> None:
    """Copies files in parallel into `target`, where no one else may use their paths.

    The first failure stops all: copies under way are awaited, and finished ones are left for the caller to remove.
    Raises LostDataFileError for a file that is gone, StorageError, and KeyboardInterrupt on Ctrl-C.
    """
    queue = _Queue(iter(copies), target)
    with ThreadPoolExecutor(_THREADS) as threads:
        try:
            left = {threads.submit(queue.work) for _ in range(_THREADS)}
            while left:
                done, left = wait(left, _LOOK_EVERY, FIRST_EXCEPTION)
                for worker in done:
                    worker.result()
                check()
        finally:
            queue.stopped.set()


class _Queue:
    """The remaining copies, taken one by one from an iterator: there may be very many. Thread-safe."""

    def __init__(self, copies: Iterator[Copy], target: LogStore) -> None:
        self._copies, self._target = copies, target
        self._lock = threading.Lock()
        self._sources: dict[str, LogStore] = {}
        self.stopped = threading.Event()

    def work(self) -> None:
        """Copies files until none is left or `stopped` is set; sets it on an error."""
        try:
            while (copy := self._next()) is not None:
                self._copy(copy)
        except BaseException:
            self.stopped.set()
            raise

    def _next(self) -> Copy | None:
        with self._lock:
            return None if self.stopped.is_set() else next(self._copies, None)

    def _copy(self, copy: Copy) -> None:
        folder, name = folder_and_name(copy.location)
        source = self._source(folder)
        try:
            if copy.size <= _MOST_AT_ONCE and self._target.copies_of(source):
                self._target.copy_within(source, name, copy.path)
                return
            size = source.head(name).size
            self._target.put_pieces(copy.path, lambda: self._until_stopped(source.pieces(name, size)))
        except FileNotFoundError as error:
            raise errors.LostDataFileError(copy.location) from error

    def _source(self, folder: str) -> LogStore:
        with self._lock:
            if folder not in self._sources:
                self._sources[folder] = self._target.at(folder)
            return self._sources[folder]

    def _until_stopped(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            if self.stopped.is_set():
                return
            yield piece
