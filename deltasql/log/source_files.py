"""Lists files of other formats below a location as Spark does, and records the files that COPY INTO has loaded.

Names that begin with `_` or `.` are hidden, unless they are partitions. Folders below the location are included if they
are partitions (`p=1`), or if all of them are requested. Source: Spark, Generic File Sources. Patterns of paths are
Hadoop's: ?, *, [a-z], [^a-z] and {one,other}; a star does not match a slash. Source: Hadoop, FileSystem.globStatus.

A part of the record is one file of `_delta_log/_copy_into_log/`: lines of JSON, the first with the state, each other
with a loaded file. The newest part lists the older parts of the state. A part is valid only once committed: the `txn`
action of COPY_INTO has the number of the newest part, in the commit that adds the rows. See docs/copy-into.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from posixpath import normpath
from typing import Any, NamedTuple

from deltasql.base import errors
from deltasql.log.actions.actions import SetTransaction
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.listing import LOG, LOG_FOLDER, folder_and_name, table_location
from deltasql.log.storage.log_store import Entry, LogStore

_THREADS = 8

Opener = Callable[[str], LogStore]


class ListedFile(NamedTuple):
    """One file: its absolute, decoded path; its size in bytes; its modification time in ms since the epoch.

    A tuple, since there may be 100,000 of them: a frozen dataclass takes three times as long to make.
    """

    path: str
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class FileSource:
    """The files at a location. `root` is the base folder of relative paths and partition folders.

    `is_table`: it is the folder of a Delta table.
    """

    root: str
    files: tuple[ListedFile, ...]
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """Selection of a source's files: those of a glob pattern, or those of `names`; without either all of them.

    With `recursive`, files in folders of any name are included.
    """

    glob: str | None = None
    names: tuple[str, ...] = ()
    recursive: bool = False


def find_source(open_store: Opener, location: str, choice: Choice, excluded: Collection[str] = ()) -> FileSource:
    """The chosen files at a location (a folder, a file, or a pattern of such), sorted by path.

    Of a folder, files whose absolute paths are in `excluded` may be left out.
    Raises FileNotFoundError with the missing paths, ValueError for an invalid pattern, StorageError.
    """
    folder = table_location(location)
    # A file needs one spelling, or else it would be loaded twice.
    folder = normpath(folder) if folder.startswith("/") else folder
    root, pattern = _base(folder)
    store = open_store(root)
    if pattern is None and choice.names:
        return _named(store, root, choice.names)
    entries = store.list_below("", excluded=_below(root, excluded))
    if not entries and pattern is None and not store.has_below(""):
        return _single(open_store, folder)
    is_table = pattern is None and any(entry.path.startswith(f"{LOG_FOLDER}/") for entry in entries)
    plain = [(entry, entry.path) for entry in entries]
    inside = plain if pattern is None else _matching(entries, glob_expression(pattern))
    chosen = _chosen(inside, choice)
    return FileSource(root, tuple(_file(root, entry) for entry in chosen), is_table)


def _below(root: str, locations: Collection[str]) -> set[str]:
    """Those of the absolute `locations` that are below the folder `root`, relative to it."""
    prefix = f"{root.rstrip('/')}/"
    return {location[len(prefix) :] for location in locations if location.startswith(prefix)}


def broken_files(
    open_store: Opener, files: Iterable[ListedFile], is_whole: Callable[[LogStore, str], bool]
) -> set[str]:
    """The paths of the files for which `is_whole` is false, checked in parallel; missing files are not among them."""
    listed = list(files)

    def broken(file: ListedFile) -> bool:
        folder, name = folder_and_name(file.path)
        try:
            return not is_whole(open_store(folder), name)
        except FileNotFoundError:
            return False

    with ThreadPoolExecutor(_THREADS) as threads:
        return {file.path for file, bad in zip(listed, threads.map(broken, listed), strict=True) if bad}


def _base(location: str) -> tuple[str, str | None]:
    """The folder before the first wildcard of a location, and the pattern below it; None for a plain location."""
    special = SPECIAL.search(location)
    if special is None:
        return location, None
    root, _, _ = location[: special.start()].rpartition("/")
    if not location.startswith("/") and not root:
        # A relative pattern, which has no folder.
        return ".", location
    return root or "/", location[len(root) + 1 :]


def _file(root: str, entry: Entry) -> ListedFile:
    return ListedFile(f"{root.rstrip('/')}/{entry.path}", entry.size, entry.modified)


def _single(open_store: Opener, location: str) -> FileSource:
    """The source of the single file at a location that is no folder. Raises FileNotFoundError."""
    folder, name = folder_and_name(location)
    entry = open_store(folder).find(name)
    if entry is None:
        raise FileNotFoundError(location)
    return FileSource(folder, (_file(folder, entry),))


def _named(store: LogStore, root: str, names: tuple[str, ...]) -> FileSource:
    """The source of the files with these names. Raises FileNotFoundError with the missing names."""
    plain = list(dict.fromkeys(name.removeprefix("./").lstrip("/") for name in names))
    with ThreadPoolExecutor(_THREADS) as threads:
        entries = list(threads.map(partial(_visible_file, store), plain))
    missing = [name for name, entry in zip(plain, entries, strict=True) if entry is None]
    if missing:
        raise FileNotFoundError(", ".join(missing))
    files = sorted((_file(root, entry) for entry in entries if entry is not None), key=lambda file: file.path)
    return FileSource(root, tuple(files))


def _visible_file(store: LogStore, name: str) -> Entry | None:
    if _is_hidden(name.rpartition("/")[2]) or {"", ".", ".."} & set(name.split("/")):
        return None
    # A local folder is found as well.
    return None if store.shared is None and store.has_below(name) else store.find(name)


def _matching(entries: Iterable[Entry], expression: re.Pattern[str]) -> list[tuple[Entry, str]]:
    """The entries that match, or are below a matching folder; each with its path below that folder."""
    matches = []
    for entry in entries:
        parts = entry.path.split("/")
        heads = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
        head = next((head for head in heads if expression.fullmatch(head)), None)
        if head is not None:
            matches.append((entry, entry.path[len(head) + 1 :] or parts[-1]))
    return matches


def _chosen(entries: Iterable[tuple[Entry, str]], choice: Choice) -> list[Entry]:
    """The selected entries. A pattern with a slash is matched against paths, one without against file names."""
    glob = None if choice.glob is None else choice.glob.lstrip("/")
    expression = None if glob is None else glob_expression(glob)
    by_path = glob is not None and "/" in glob
    visible = ((entry, path) for entry, path in entries if _is_visible(path, any_folder=choice.recursive or by_path))
    if expression is None:
        return [entry for entry, _ in visible]
    return [entry for entry, path in visible if expression.fullmatch(path if by_path else entry.name)]


def _is_visible(path: str, *, any_folder: bool) -> bool:
    *folders, name = path.split("/")
    if _is_hidden(name) or any(map(_is_hidden, folders)):
        return False
    return any_folder or all("=" in folder for folder in folders)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


SPECIAL = re.compile(r"[*?\[{]")
"""Whether a text is a pattern, and no plain path."""


def glob_expression(glob: str) -> re.Pattern[str]:
    """The regular expression of the paths that a pattern matches as a whole. Raises ValueError with the reason."""
    pieces: list[str] = []
    at = depth = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "[":
            piece, at = _characters(glob, at)
            pieces.append(piece)
            continue
        if char == "\\":
            if at == len(glob):
                raise ValueError("it ends with a backslash")
            char, at = glob[at], at + 1
            pieces.append(re.escape(char))
            continue
        pieces.append(_piece(char, inside=depth > 0))
        depth += (char == "{") - (char == "}" and depth > 0)
    if depth:
        raise ValueError("a { is not closed")
    return re.compile("".join(pieces), re.DOTALL)


def _piece(char: str, *, inside: bool) -> str:
    """One character; `inside` braces a comma and the closing brace mean something."""
    anywhere = {"*": "[^/]*", "?": "[^/]", "{": "(?:"}
    return anywhere.get(char) or ({",": "|", "}": ")"}.get(char) if inside else None) or re.escape(char)


def _characters(glob: str, start: int) -> tuple[str, int]:
    """The characters of [a-z] or [^a-z], whose bracket is open, and the offset behind it."""
    end = glob.find("]", start + 1)
    if end < 0:
        raise ValueError("a [ is not closed")
    inner = glob[start:end]
    negated = inner[:1] in {"^", "!"}
    inner = inner[negated:].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
    expression = f"(?!/)[{'^' * negated}{inner}]"
    try:
        re.compile(expression)
    except re.error:
        raise ValueError(f"[{glob[start:end]}] is no range of characters") from None
    return expression, end + 1


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
        raise errors.CopyStateError(table, f"{store.url(path)} is missing") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise errors.CopyStateError(table, f"{store.url(path)} is damaged") from error


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
