"""A model of a disk: which states a power cut may leave behind a recorded list of operations.

Only what a finished fsync covers is sure: of a file its bytes, of a folder its names. Each other operation may be lost,
whatever came after it, and of written bytes a part may be there, or zeros. POSIX promises no more. ext4 keeps the order
of names as well, so that its states are among these.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from hashlib import sha256
from itertools import product
from pathlib import Path


class Kept(Enum):
    """What has become of an operation that was not synced."""

    WHOLE = auto()
    LOST = auto()
    TORN = auto()
    ZEROS = auto()


@dataclass(frozen=True)
class Named:
    """A name in a folder leads to a file or folder now, and `gone`, a name in `before`, no longer does."""

    folder: int
    name: str
    inode: int | None
    before: int | None = None
    gone: str = ""


@dataclass(frozen=True)
class Written:
    """Bytes of a file; without data the file is cut at `offset`."""

    inode: int
    offset: int
    data: bytes | None


Operation = Named | Written


@dataclass(frozen=True)
class Sync:
    """A finished fsync; operations from number `begin` on came after it had begun, and are not covered."""

    inode: int
    begin: int


@dataclass(frozen=True)
class Mark:
    """The program has said that so many of its statements are done."""

    done: int


Tree = Mapping[str, bytes | None]
"""Files with their bytes, and folders with None, by their paths."""


@dataclass
class Disk:
    """What is there now. Inode 0 is the folder in which all happens, and is there for good."""

    folders: dict[int, dict[str, int]] = field(default_factory=lambda: {0: {}})
    files: dict[int, bytearray] = field(default_factory=dict)

    def new(self, *, folder: bool) -> int:
        number = len(self.folders) + len(self.files)
        if folder:
            self.folders[number] = {}
        else:
            self.files[number] = bytearray()
        return number

    def find(self, path: str) -> int | None:
        """The inode of a path without a slash at its begin; the empty one is the top."""
        at: int | None = 0
        for part in filter(None, path.split("/")):
            at = None if at is None else self.folders.get(at, {}).get(part)
        return at

    def apply(self, operation: Operation, kept: Kept = Kept.WHOLE) -> None:
        if kept is Kept.LOST:
            return
        if isinstance(operation, Written):
            self._write(operation, kept)
        else:
            self._rename(operation)

    def _rename(self, operation: Named) -> None:
        if operation.before is not None:
            self.folders[operation.before].pop(operation.gone, None)
        if operation.inode is None:
            self.folders[operation.folder].pop(operation.name, None)
        else:
            self.folders[operation.folder][operation.name] = operation.inode

    def _write(self, operation: Written, kept: Kept) -> None:
        content = self.files[operation.inode]
        if operation.data is None:
            del content[operation.offset :]
            content.extend(bytes(operation.offset - len(content)))
            return
        data = operation.data[: len(operation.data) // 2] if kept is Kept.TORN else operation.data
        if kept is Kept.ZEROS:
            data = bytes(len(data))
        content.extend(bytes(max(0, operation.offset - len(content))))
        content[operation.offset : operation.offset + len(data)] = data

    def copy(self) -> Disk:
        folders = {number: dict(names) for number, names in self.folders.items()}
        return Disk(folders, {number: bytearray(data) for number, data in self.files.items()})

    def expect(self, later: Disk) -> None:
        """Makes the inodes that a later state has, without names and empty."""
        for number in later.folders:
            self.folders.setdefault(number, {})
        for number in later.files:
            self.files.setdefault(number, bytearray())

    def tree(self) -> dict[str, bytes | None]:
        found: dict[str, bytes | None] = {}

        def walk(folder: int, before: str) -> None:
            for name, inode in sorted(self.folders[folder].items()):
                if inode in self.folders:
                    found[before + name] = None
                    walk(inode, f"{before}{name}/")
                else:
                    found[before + name] = bytes(self.files[inode])

        walk(0, "")
        return found


def loaded(root: Path) -> Disk:
    """The disk as it is, all of it synced."""
    disk = Disk()
    numbers = {root: 0}
    for path in sorted(root.rglob("*")):
        number = numbers[path] = disk.new(folder=path.is_dir())
        disk.folders[numbers[path.parent]][path.name] = number
        if not path.is_dir():
            disk.files[number][:] = path.read_bytes()
    return disk


def stored(tree: Tree, root: Path) -> None:
    """Makes the files and folders of a state; `root` is there and empty."""
    for name, data in tree.items():
        if data is None:
            (root / name).mkdir()
        else:
            (root / name).write_bytes(data)


@dataclass(frozen=True)
class State:
    """What may be there after a cut when `done` statements had been acknowledged."""

    tree: Tree
    done: int
    told: str


def states(
    begin: Disk, events: Sequence[Operation | Sync | Mark], chance: random.Random, subsets: int = 8
) -> Iterator[State]:
    """The states after each event, each once. Few operations in doubt are kept in every combination."""
    met: set[tuple[str, int]] = set()
    operations: list[Operation] = []
    sure: set[int] = set()
    done = 0
    for number, event in enumerate(events):
        if isinstance(event, Mark):
            done = event.done
        elif isinstance(event, Sync):
            sure.update(at for at in range(event.begin) if at not in sure and _covers(event, operations[at]))
        else:
            operations.append(event)
        doubt = [at for at in range(len(operations)) if at not in sure]
        for fates in _fates(operations, doubt, chance, subsets):
            disk = begin.copy()
            for at, operation in enumerate(operations):
                disk.apply(operation, fates.get(at, Kept.WHOLE))
            tree = disk.tree()
            key = sha256(repr(sorted(tree.items())).encode()).hexdigest(), done
            if key not in met:
                met.add(key)
                yield State(tree, done, _told(number, operations, fates))


def _covers(sync: Sync, operation: Operation) -> bool:
    if isinstance(operation, Written):
        return operation.inode == sync.inode
    # A file that moves from folder to folder is sure where it is found.
    return operation.folder == sync.inode


def _fates(
    operations: Sequence[Operation], doubt: Sequence[int], chance: random.Random, subsets: int
) -> Iterator[dict[int, Kept]]:
    names = [at for at in doubt if isinstance(operations[at], Named)]
    data = [at for at in doubt if isinstance(operations[at], Written)]
    if len(doubt) <= _FEW:
        for choice in product((Kept.WHOLE, Kept.LOST), repeat=len(doubt)):
            yield dict(zip(doubt, choice, strict=True))
    for kept in Kept:
        yield dict.fromkeys(data, kept)
        yield dict.fromkeys(doubt, Kept.LOST) | dict.fromkeys(data, kept)
        # What ext4 does: names up to one of them, in their order.
        for place in range(len(names)):
            yield dict.fromkeys(names[place:], Kept.LOST) | dict.fromkeys(data, kept)
    for at in doubt:
        for kept in list(Kept)[1:] if at in data else [Kept.LOST]:
            yield {at: kept}
        yield dict.fromkeys(doubt, Kept.LOST) | {at: Kept.WHOLE}
    for _ in range(subsets if doubt else 0):
        lost = chance.random()
        yield {
            at: chance.choice(list(Kept)[1:] if at in data else [Kept.LOST]) for at in doubt if chance.random() < lost
        }


_FEW = 5


def _told(number: int, operations: Sequence[Operation], fates: Mapping[int, Kept]) -> str:
    parts = [f"{kept.name} {_short(operations[at])}" for at, kept in fates.items() if kept is not Kept.WHOLE]
    return f"after event {number}: {'; '.join(parts) or 'nothing lost'}"


def _short(operation: Operation) -> str:
    if isinstance(operation, Written):
        return f"write({operation.inode})"
    return f"name({operation.gone} -> {operation.name})" if operation.gone else f"name({operation.name})"
