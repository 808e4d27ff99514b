"""Reads what `strace -f -y -xx` has written as operations on a disk."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from .disk import Disk, Mark, Named, Operation, Sync, Written

AVAILABLE = shutil.which("strace") is not None
CALLS = (
    *(
        "open",
        "openat",
        "creat",
        "write",
        "pwrite64",
        "writev",
        "pwritev",
        "pwritev2",
        "lseek",
        "ftruncate",
        "truncate",
    ),
    *("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "rmdir"),
    *("mkdir", "mkdirat", "fsync", "fdatasync", "sync", "syncfs", "msync", "fallocate", "copy_file_range", "sendfile"),
)
_WRITES = ("write", "writev")
_UNKNOWN = {
    *("pwrite64", "pwritev", "pwritev2", "symlink", "symlinkat", "sync", "syncfs", "msync"),
    *("fallocate", "copy_file_range", "sendfile", "truncate"),
}
"""Calls that the model has not: one that touches the table ends the reading."""

_CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+|\?)(.*)", re.DOTALL)
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_NUMBER = re.compile(r"(AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>")


def record(command: Sequence[str], trace: Path, environment: dict[str, str], folder: Path) -> None:
    """Runs a command, and writes its calls into `trace`."""
    strace = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-y",
        "-xx",
        "-s",
        "100000000",
        "-o",
        str(trace),
        "-e",
        f"trace={','.join(CALLS)}",
    ]
    done = subprocess.run(
        [*strace, *command], env=environment, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]


def read(trace: Path, root: Path, marks: Path) -> tuple[Disk, list[Operation | Sync | Mark]]:
    """What was done below `root`, empty in the beginning, in the order in which the calls ended.

    Each write into `marks` is a mark. What came before the first is taken for synced: it is the disk that is returned.
    """
    reader = _Reader(str(root), str(marks))
    events = reader.read(trace)
    reader.begin.expect(reader.disk)
    return reader.begin, events


class _Reader:
    def __init__(self, root: str, marks: str) -> None:
        self._root, self._marks = root, marks
        self.disk, self.begin = Disk(), Disk()
        self._events: list[Operation | Sync | Mark] = []
        self._count = 0
        self._done = -1
        self._open: dict[str, tuple[int, int]] = {}
        self._calls: dict[str, Callable[[str, list[str], str], None]] = {
            **dict.fromkeys(("open", "openat", "creat"), self._opened),
            **dict.fromkeys(_WRITES, self._wrote),
            **dict.fromkeys(("rename", "renameat", "renameat2"), self._renamed),
            **dict.fromkeys(("link", "linkat"), self._linked),
            **dict.fromkeys(("unlink", "unlinkat", "rmdir"), self._unlinked),
            **dict.fromkeys(("mkdir", "mkdirat"), self._made),
        }

    def read(self, trace: Path) -> list[Operation | Sync | Mark]:
        begun: dict[str, tuple[str, int]] = {}
        for line in trace.read_text().splitlines():
            process, _, text = line.partition(" ")
            text, since = text.strip(), self._count
            if text.endswith("<unfinished ...>"):
                begun[process] = text.removesuffix("<unfinished ...>"), since
                continue
            if text.startswith("<... "):
                first, since = begun.pop(process)
                text = first + text.partition("resumed>")[2]
            call = _CALL.fullmatch(text)
            if call is not None and not call[3].startswith(("-", "?")):
                self._call(call[1], call[2], call[3] + call[4], since)
        return self._events

    def _call(self, name: str, arguments: str, result: str, since: int) -> None:
        paths = [] if name in _WRITES else self._paths(arguments)
        if name in {"fsync", "fdatasync"}:
            inode = self._inode_of(arguments)
            if inode is not None:
                self._events.append(Sync(inode, since))
        elif name == "lseek":
            self._moved(arguments, result)
        elif name == "ftruncate":
            inode = self._inode_of(arguments)
            if inode is not None:
                self._do(Written(inode, int(arguments.rpartition(",")[2]), None))
        elif name in _UNKNOWN:
            if any(map(self._is_ours, paths)) or self._inode_of(arguments) is not None:
                raise NotImplementedError(f"{name} {paths}")
        else:
            self._calls[name](arguments, paths, result)

    def _do(self, operation: Operation) -> None:
        self.disk.apply(operation)
        self._events.append(operation)
        self._count += 1

    def _paths(self, arguments: str) -> list[str]:
        """The paths of a call, absolute; a call that writes data has none."""
        folders = {text.start(): _plain(text[2]) for text in _NUMBER.finditer(arguments)}
        found = []
        for text in _TEXT.finditer(arguments):
            path = _plain(text[1])
            if not path.startswith("/"):
                before = [folder for start, folder in folders.items() if start < text.start()]
                path = f"{before[-1] if before else ''}/{path}"
            found.append(path)
        return found

    def _is_ours(self, path: str) -> bool:
        return path.startswith(self._root + "/")

    def _place(self, path: str) -> tuple[int, str]:
        folder, _, name = path[len(self._root) + 1 :].rstrip("/").rpartition("/")
        inode = self.disk.find(folder)
        assert inode is not None, path
        return inode, name

    def _inode_of(self, arguments: str) -> int | None:
        number = _NUMBER.match(arguments)
        if number is None:
            return None
        path = _plain(number[2])
        if path == self._root:
            return 0
        return self._open[number[1]][0] if self._is_ours(path) and number[1] in self._open else None

    def _opened(self, arguments: str, paths: list[str], result: str) -> None:
        number = result.partition("<")[0]
        self._open.pop(number, None)
        if not self._is_ours(paths[-1]):
            return
        folder, name = self._place(paths[-1])
        inode = self.disk.folders[folder].get(name)
        if inode is None:
            inode = self.disk.new(folder=False)
            self._do(Named(folder, name, inode))
        elif "O_TRUNC" in arguments and self.disk.files[inode]:
            self._do(Written(inode, 0, None))
        self._open[number] = inode, len(self.disk.files[inode]) if "O_APPEND" in arguments else 0

    def _wrote(self, arguments: str, _: list[str], result: str) -> None:
        number = _NUMBER.match(arguments)
        if number is None:
            return
        if _plain(number[2]) == self._marks:
            self._marked()
        inode = self._inode_of(arguments)
        if inode is None:
            return
        data = b"".join(bytes.fromhex(text[1].replace("\\x", "")) for text in _TEXT.finditer(arguments))
        data = data[: int(result)]
        offset = self._open[number[1]][1]
        self._do(Written(inode, offset, data))
        self._open[number[1]] = inode, offset + len(data)

    def _marked(self) -> None:
        self._done += 1
        self._events.append(Mark(self._done))
        if self._done == 0:
            self.begin = self.disk.copy()
            self._events.clear()
            self._count = 0

    def _moved(self, arguments: str, result: str) -> None:
        inode = self._inode_of(arguments)
        if inode:
            self._open[arguments.partition("<")[0]] = inode, int(result)

    def _renamed(self, _: str, paths: list[str], __: str) -> None:
        ours = [self._is_ours(path) for path in paths]
        if any(ours):
            assert all(ours), paths
            (before, gone), (folder, name) = map(self._place, paths)
            self._do(Named(folder, name, self.disk.folders[before][gone], before, gone))

    def _linked(self, _: str, paths: list[str], __: str) -> None:
        if self._is_ours(paths[-1]):
            folder, name = self._place(paths[-1])
            inode = self.disk.find(paths[0][len(self._root) + 1 :])
            assert inode is not None, paths
            self._do(Named(folder, name, inode))

    def _unlinked(self, _: str, paths: list[str], __: str) -> None:
        if self._is_ours(paths[-1]):
            folder, name = self._place(paths[-1])
            self._do(Named(folder, name, None))

    def _made(self, _: str, paths: list[str], __: str) -> None:
        if self._is_ours(paths[-1]):
            folder, name = self._place(paths[-1])
            self._do(Named(folder, name, self.disk.new(folder=True)))


def _plain(text: str) -> str:
    return bytes.fromhex(text.replace("\\x", "")).decode()
