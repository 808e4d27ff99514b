"""Documents in an object store, changed concurrently by compare-and-swap on the object's tag."""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, Protocol, TypeVar

from typing_extensions import Self

from deltasql.base import errors
from deltasql.log import LogStore, Tag

LAYOUT_VERSION = 3
PATIENCE = 30.0
"""Seconds for which a change is retried after lost races; SQLite's timeout is equal."""

# Marks of changes kept in a document, by which a writer without an answer finds its change.
_REMEMBERED = 64
_THREADS = 16
_LONGEST_PAUSE = 0.5

_T = TypeVar("_T")


class Document(Protocol):
    """Content of an object. `from_json` raises KeyError, TypeError, ValueError, AttributeError for invalid JSON."""

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self: ...

    @property
    def layout(self) -> int:
        """The lowest layout version that can represent the document."""

    def to_json(self) -> dict[str, Any]: ...


_D = TypeVar("_D", bound=Document)


@dataclass(frozen=True, slots=True)
class _Read(Generic[_D]):
    tag: Tag
    document: _D
    changes: tuple[str, ...]


class SharedObjects:
    """Objects of one storage, each a JSON document with its layout version and the marks of its last changes.

    Documents are cached with their tags: reading an unchanged one again is one request without a body.
    """

    def __init__(self, open_store: Callable[[], LogStore]) -> None:
        self._open_store = open_store
        self._opened: LogStore | None = None
        self._known: dict[str, _Read[Any]] = {}

    def read(self, path: str, kind: type[_D]) -> _D | None:
        """The current document, None if there is none; one request. Raises CatalogFileError, StorageError."""
        found = self._read(path, kind)
        return None if found is None else found.document

    def read_below(self, folder: str, kind: type[_D]) -> list[_D]:
        """All documents below a folder: one listing, and a request for each that is not cached in its current state."""
        entries = self._store.list_below(folder)
        known = self._known
        changed = [
            entry.path
            for entry in entries
            if entry.tag is None or entry.path not in known or known[entry.path].tag.e_tag != entry.tag
        ]
        same = [known[entry.path].document for entry in entries if entry.path not in set(changed)]
        if not changed:
            return same
        with ThreadPoolExecutor(min(len(changed), _THREADS)) as pool:
            fresh = pool.map(lambda path: self.read(path, kind), changed)
            return [*same, *(document for document in fresh if document is not None)]

    def change(self, path: str, kind: type[_D], edit: Callable[[_D | None], tuple[_D | None, _T]]) -> _T:
        """Replaces a document by the result of `edit`, atomically under concurrent changes.

        `edit` gets the current document (None if there is none) and returns the new one, or None to leave it, and a
        value; the value of the successful change is returned. It is called again after a lost race; if it raises,
        nothing is changed. Every put writes a unique mark into the document, by which a put without an answer is
        recognized when the document is read again.
        Raises CatalogFileError after half a minute of lost races or if the outcome is unknown, StorageError.
        """
        tried: dict[str, _T] = {}
        doubt: errors.AmbiguousWriteError | None = None
        deadline = time.monotonic() + PATIENCE
        for attempt in count():
            found = self._looked(path, kind, doubt)
            for mark in found.changes if found else ():
                if mark in tried:
                    return tried[mark]
            if attempt and time.monotonic() > deadline:
                raise self._unanswered(path, doubt) if doubt else self._busy(path, attempt)
            document, value = edit(found.document if found else None)
            if document is None:
                return value
            mark = secrets.token_hex(6)
            tried[mark] = value
            try:
                if self._put(path, found, document, mark):
                    return value
            except errors.AmbiguousWriteError as error:
                doubt = error
            _pause(attempt)
        raise AssertionError("unreachable")

    def require_conditional_puts(self, folder: str) -> None:
        """Probes with a temporary object whether the storage has conditional puts. Raises ConditionalPutError."""
        store, path = self._store, f"{folder}/{secrets.token_hex(8)}.probe"
        try:
            # A storage without conditional puts refuses this before an object exists.
            store.put_if_same(path, b"0", Tag('"none"', "1"))
            store.put_if_absent(path, b"1")
            found = store.read_tagged(path)
            if found is None or store.put_if_absent(path, b"2"):
                raise errors.ConditionalPutError(
                    store.root, "it overwrites an object that must not be there (If-None-Match)"
                )
            store.put_if_same(path, b"3", found[1])
            if store.put_if_same(path, b"4", found[1]) is not None:
                raise errors.ConditionalPutError(store.root, "it overwrites an object that has changed (If-Match)")
        finally:
            # A leftover object is harmless.
            with suppress(errors.StorageError):
                store.delete([path])

    @property
    def _store(self) -> LogStore:
        if self._opened is None:
            self._opened = self._open_store()
        return self._opened

    def _read(self, path: str, kind: type[_D]) -> _Read[_D] | None:
        known = self._known.get(path)
        try:
            found = self._store.read_tagged(path, known.tag if known else None)
        except FileNotFoundError:
            self._known.pop(path, None)
            return None
        if found is None:
            return known
        data, tag = found
        document, changes = self._parsed(path, data, kind)
        self._known[path] = read = _Read(tag, document, changes)
        return read

    def _looked(self, path: str, kind: type[_D], doubt: errors.AmbiguousWriteError | None) -> _Read[_D] | None:
        try:
            return self._read(path, kind)
        except errors.StorageError as error:
            if doubt is None:
                raise
            raise self._unanswered(path, doubt) from error

    def _parsed(self, path: str, data: bytes, kind: type[_D]) -> tuple[_D, tuple[str, ...]]:
        try:
            value = json.loads(data)
            if value["layout"] > LAYOUT_VERSION:
                raise self._unusable(path, "a later release of deltasql wrote it", "Upgrade deltasql.")
            return kind.from_json(value), tuple(value["changes"])
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise self._unusable(
                path,
                f"it is damaged ({type(error).__name__}: {error})",
                "Restore the object as it was, or remove it: its tables stay, and can be named again by "
                "CREATE TABLE … USING delta LOCATION.",
            ) from error

    def _put(self, path: str, found: _Read[_D] | None, document: _D, mark: str) -> bool:
        changes = (*(found.changes if found else ()), mark)[-_REMEMBERED:]
        value: Mapping[str, Any] = {"layout": document.layout, **document.to_json(), "changes": changes}
        data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        if found is None:
            return self._store.put_if_absent(path, data)
        tag = self._store.put_if_same(path, data, found.tag)
        if tag is None:
            return False
        self._known[path] = _Read(tag, document, changes)
        return True

    def _unusable(self, path: str, reason: str, advice: str) -> errors.CatalogFileError:
        return errors.CatalogFileError(path=self._store.url(path), reason=reason, advice=advice)

    def _busy(self, path: str, attempts: int) -> errors.CatalogFileError:
        reason = f"others changed it first, {attempts} times in {PATIENCE:.0f} seconds"
        return self._unusable(
            path, reason, "Nothing was changed: run the statement again when there are fewer writers."
        )

    def _unanswered(self, path: str, doubt: errors.AmbiguousWriteError) -> errors.CatalogFileError:
        reason = f"the storage did not answer whether it was written ({doubt.reason})"
        return self._unusable(
            path, reason, "Look with SHOW TABLES and SHOW SCHEMAS before you run the statement again."
        )


def _pause(attempt: int) -> None:
    """Waits after `attempt` lost races, for a random time with exponential backoff."""
    time.sleep(random.uniform(0, min(0.01 * 2 ** min(attempt, 10), _LONGEST_PAUSE)))
