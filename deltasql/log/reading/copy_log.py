"""Files that COPY INTO has loaded into a table: `_delta_log/_copy_into_log/`, and the txn action that makes it valid.

A part is one file of that folder: lines of JSON, the first with the state, each other with a loaded file. The newest
part lists the older parts of the state. A part is valid only once committed: the `txn` action of COPY_INTO has the
number of the newest part, in the same commit as the rows. See docs/copy-into.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deltasql.base.errors.statements.copy_into import CopyStateError
from deltasql.log.actions.actions import SetTransaction
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import LOG
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.source_files import ListedFile

COPY_INTO = "deltasql.copyInto"
"""The application id of COPY INTO in the log; its version is the number of the newest part."""

FOLDER = f"{LOG}/_copy_into_log"

NEVER_EXPIRES = 253_402_300_799_000
"""The last second of the year 9999 in ms, so that `delta.setTransactionRetentionDuration` never expires the action."""


_PLAIN = re.compile(r'^\{"file": \{"path": "([^"\\\n]*)", "size": \d+, "modificationTime": \d+\}\}$', re.MULTILINE)
"""A line of `encoded` for a path without escapes; matching it takes a third of the time of parsing JSON."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part and the files that it lists: `paths` are absolute and decoded, `lines` are their lines of JSON.

    There may be 100,000 files: no object is made for a file, and a part that absorbs another one takes its lines.
    """

    number: int
    paths: tuple[str, ...]
    lines: str


@dataclass(frozen=True, slots=True)
class LoadedFiles:
    """All loaded files, as parts from newest to oldest."""

    parts: tuple[Part, ...] = ()

    @property
    def paths(self) -> set[str]:
        """Absolute, decoded paths of all loaded files."""
        return {path for part in self.parts for path in part.paths}

    def with_files(self, files: Iterable[ListedFile], number: int) -> LoadedFiles:
        """The state after loading `files`, which are new, in a new part of that number.

        The part absorbs older ones that are not larger: sizes grow like powers of two, so that there are few parts and
        the line of a file is rewritten only a few times.
        """
        new, older = list(files), list(self.parts)
        paths, lines = [file.path for file in new], [_line(file) for file in new]
        while older and len(older[0].paths) <= len(paths):
            paths += older[0].paths
            lines.append(older.pop(0).lines)
        return LoadedFiles((Part(number, tuple(paths), "".join(lines)), *older))


def part_path(number: int) -> str:
    """`_delta_log/_copy_into_log/copy-00000000000000000007.jsonl`: no name that a reader could take for a commit."""
    return f"{FOLDER}/copy-{number:020d}.jsonl"


def newest_part(snapshot: Snapshot) -> int:
    """The number of the newest part; 0 where nothing was loaded."""
    return snapshot.transactions.get(COPY_INTO, 0)


def transaction(number: int) -> SetTransaction:
    """The txn action that makes a part valid."""
    return SetTransaction(COPY_INTO, number, NEVER_EXPIRES)


def encoded(state: LoadedFiles, table_id: str) -> bytes:
    """The content of the newest part's file."""
    head = {"state": {"tableId": table_id, "parts": [[part.number, len(part.paths)] for part in state.parts]}}
    return f"{json.dumps(head)}\n{state.parts[0].lines}".encode()


def _line(file: ListedFile) -> str:
    line = {"file": {"path": file.path, "size": file.size, "modificationTime": file.modified}}
    return json.dumps(line, ensure_ascii=False) + "\n"


def loaded_files(store: LogStore, snapshot: Snapshot) -> LoadedFiles:
    """The files that COPY INTO has loaded into the table; none if the state is of a table that this one replaced.

    Raises CopyStateError, StorageError.
    """
    newest = newest_part(snapshot)
    return read_parts(store, snapshot.table, snapshot.metadata.id, newest) if newest else LoadedFiles()


def read_parts(store: LogStore, table: str, table_id: str, newest: int) -> LoadedFiles:
    """The newest part and those that it lists; none if they have another table id.

    Raises CopyStateError, StorageError.
    """
    head, part = _part(store, newest, table)
    if head["tableId"] != table_id:
        return LoadedFiles()
    return LoadedFiles((part, *(_part(store, number, table)[1] for number, _ in head["parts"][1:])))


def needed_parts(store: LogStore, snapshot: Snapshot) -> set[str]:
    """The paths of the valid parts. Raises CopyStateError, StorageError."""
    newest = newest_part(snapshot)
    if not newest:
        return set()
    return {part_path(number) for number, _ in _part(store, newest, snapshot.table)[0]["parts"]}


def _part(store: LogStore, number: int, table: str) -> tuple[dict[str, Any], Part]:
    path = part_path(number)
    try:
        head, _, lines = store.read(path).decode().partition("\n")
        state = json.loads(head)["state"]
        if not isinstance(state["tableId"], str) or any(len(pair) != 2 for pair in state["parts"]):
            raise ValueError(state)
        return state, Part(number, _paths(lines), lines)
    except FileNotFoundError:
        raise CopyStateError(table, f"{store.url(path)} is missing") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CopyStateError(table, f"{store.url(path)} is damaged") from error


def _paths(lines: str) -> tuple[str, ...]:
    """The paths in complete lines. Raises ValueError, KeyError, TypeError, RecursionError for a damaged line."""
    plain = _PLAIN.findall(lines)
    if len(plain) == lines.count("\n") and lines.endswith("\n"):
        return tuple(plain)
    # Not splitlines, for which there are more ends of lines than JSON escapes.
    *whole, torn = lines.split("\n")
    files = [json.loads(line)["file"] for line in whole]
    if torn or not all(isinstance(file["path"], str) for file in files):
        raise ValueError(lines[-100:])
    return tuple(file["path"] for file in files)
