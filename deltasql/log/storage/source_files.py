"""Lists files of other formats below a location as Spark does. Source: Spark, Generic File Sources.

Names that begin with `_` or `.` are hidden, unless they are partitions. Folders below the location are included if they
are partitions (`p=1`), or if all of them are requested.

Patterns of paths as Hadoop reads them: ?, *, [a-z], [^a-z] and {one,other}; a star does not go past a slash.

Source: Hadoop, FileSystem.globStatus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from posixpath import normpath
from typing import NamedTuple

from deltasql.log.storage.listing import LOG_FOLDER
from deltasql.log.storage.locations import folder_and_name, table_location
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
