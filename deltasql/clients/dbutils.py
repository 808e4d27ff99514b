"""`dbutils` of notebooks that run from files: widgets, other notebooks, files and secrets.

The methods have the names and the arguments of Databricks Utilities. Widgets are state of the session. Files are those
of this machine and of volumes. Source: Databricks Utilities reference.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from deltasql.base import errors, session_settings
from deltasql.session import Session

_HEAD_BYTES = 65_536


class NotebookExit(BaseException):
    """Ends a notebook; no cell may catch it by `except Exception`."""

    def __init__(self, value: str) -> None:
        super().__init__(value)
        self.value = value


class FileInfo(NamedTuple):
    """A file of `dbutils.fs.ls`; `size` is in bytes, `modificationTime` in milliseconds since 1970."""

    path: str
    name: str
    size: int
    modificationTime: int  # noqa: N815 - the name of Databricks


class Widgets:
    """`dbutils.widgets`. A widget that has a value already keeps it, as one that the command line has given."""

    def __init__(self, session: Session) -> None:
        self._settings = session.settings

    def text(self, name: str, defaultValue: str = "", label: str | None = None) -> None:  # noqa: N803
        if self._settings.stored(session_settings.WIDGET_PREFIX + name) is None:
            self._settings.set(session_settings.WIDGET_PREFIX + name, str(defaultValue))

    def dropdown(self, name: str, defaultValue: str, choices: Sequence[str], label: str | None = None) -> None:  # noqa: N803
        """Raises WidgetValueError where the default is none of the choices."""
        if defaultValue not in choices:
            raise errors.WidgetValueError(name, str(defaultValue), tuple(map(str, choices)))
        self.text(name, defaultValue, label)

    def combobox(self, name: str, defaultValue: str, choices: Sequence[str], label: str | None = None) -> None:  # noqa: N803
        self.text(name, defaultValue, label)

    def multiselect(self, name: str, defaultValue: str, choices: Sequence[str], label: str | None = None) -> None:  # noqa: N803
        """Raises WidgetValueError where a default is none of the choices."""
        for value in str(defaultValue).split(","):
            if value not in choices:
                raise errors.WidgetValueError(name, value, tuple(map(str, choices)))
        self.text(name, defaultValue, label)

    def get(self, name: str) -> str:
        """The value of a widget. Raises UnknownWidgetError."""
        value = self._settings.stored(session_settings.WIDGET_PREFIX + name)
        if value is None:
            raise errors.UnknownWidgetError(name, f"There are: {', '.join(self.getAll()) or 'none'}.")
        return value

    def getArgument(self, name: str, defaultValue: str | None = None) -> str:  # noqa: N802, N803
        """The value of a widget, or the default where there is none. Raises UnknownWidgetError."""
        value = self._settings.stored(session_settings.WIDGET_PREFIX + name)
        return (
            self.get(name) if value is None and defaultValue is None else str(defaultValue if value is None else value)
        )

    def getAll(self) -> dict[str, str]:  # noqa: N802
        return dict(self._settings.with_prefix(session_settings.WIDGET_PREFIX))

    def remove(self, name: str) -> None:
        """Raises UnknownWidgetError."""
        self.get(name)
        self._settings.reset(session_settings.WIDGET_PREFIX + name)

    def removeAll(self) -> None:  # noqa: N802
        for name in self.getAll():
            self._settings.reset(session_settings.WIDGET_PREFIX + name)


class Notebook:
    """`dbutils.notebook`: other notebooks, and the end of this one."""

    def __init__(self, run: Callable[[str, Mapping[str, str]], str], path: str) -> None:
        self._run, self._path = run, path

    def run(self, path: str, timeout_seconds: int = 0, arguments: Mapping[str, str] | None = None) -> str:
        """Runs a notebook in another session, with widgets of these values; its exit value. No time limit applies."""
        return self._run(path, arguments or {})

    def exit(self, value: Any = "") -> None:
        """Ends the notebook; `dbutils.notebook.run` returns the value."""
        raise NotebookExit(str(value))


class Files:
    """`dbutils.fs`, for files of this machine (`file:/…`, `/…`, relative paths) and of volumes (`/Volumes/…`)."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def ls(self, path: str) -> list[FileInfo]:
        """The files and folders of a folder, by name. Raises FileNotFoundError."""
        folder = self._local(path)
        found = [folder] if folder.is_file() else sorted(folder.iterdir())
        return [_info(file) for file in found]

    def head(self, file: str, maxBytes: int = _HEAD_BYTES) -> str:  # noqa: N803
        """The beginning of a file as text. Raises FileNotFoundError."""
        with self._local(file).open("rb") as stream:
            return stream.read(int(maxBytes)).decode("utf-8", errors="replace")

    def put(self, file: str, contents: str, overwrite: bool = False) -> bool:
        """Writes a text. Raises FileExistsError unless it may overwrite a file."""
        target = self._local(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w" if overwrite else "x", encoding="utf-8") as stream:
            stream.write(contents)
        return True

    def mkdirs(self, dir: str) -> bool:  # noqa: A002
        self._local(dir).mkdir(parents=True, exist_ok=True)
        return True

    def rm(self, dir: str, recurse: bool = False) -> bool:  # noqa: A002
        """Removes a file, or a folder with all that is in it; whether there was one. Raises OSError."""
        target = self._local(dir)
        if not target.exists():
            return False
        if target.is_dir() and recurse:
            shutil.rmtree(target)
        elif target.is_dir():
            target.rmdir()
        else:
            target.unlink()
        return True

    def cp(self, source: str, destination: str, recurse: bool = False) -> bool:
        """Copies a file, or a folder. Raises OSError."""
        start, end = self._local(source), self._local(destination)
        if start.is_dir() and recurse:
            shutil.copytree(start, end, dirs_exist_ok=True)
        else:
            end.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(start, end / start.name if end.is_dir() else end)
        return True

    def mv(self, source: str, destination: str, recurse: bool = False) -> bool:
        """Moves a file, or a folder. Raises OSError."""
        return self.cp(source, destination, recurse) and self.rm(source, recurse)

    def _local(self, path: str) -> Path:
        """The path on this machine. Raises CellRefusedError for files elsewhere, and errors of the volume's name."""
        location = self._session.catalog.located(path)
        scheme, colon, rest = location.partition(":")
        if not colon or len(scheme) == 1:
            return Path(location)
        if scheme != "file":
            advice = "dbutils.fs reads files of this machine and of local volumes. Copy the file, or read it by Spark."
            raise errors.CellRefusedError(f"A path of {scheme}:", advice)
        return Path(unquote("/" + rest.lstrip("/")))


def _info(file: Path) -> FileInfo:
    facts = file.stat()
    is_folder = file.is_dir()
    name = f"{file.name}/" if is_folder else file.name
    return FileInfo(
        f"file:{file}{'/' * is_folder}", name, 0 if is_folder else facts.st_size, facts.st_mtime_ns // 10**6
    )


class Secrets:
    """`dbutils.secrets`: what the SQL function `secret` gives."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, scope: str, key: str) -> str:
        """Raises what `SELECT secret(scope, key)` raises."""
        rows = self._session.sql("SELECT secret(:scope, :key) AS value", {"scope": scope, "key": key}).collect()
        return str(rows[0][0])


class Library:
    """`dbutils.library`: packages are those of this environment."""

    def restartPython(self) -> None:  # noqa: N802
        """Does nothing: packages that a cell has installed can be imported as they are."""


class DbUtils:
    """`dbutils` of one notebook; `run` runs another one by its path, with values of widgets."""

    def __init__(self, session: Session, run: Callable[[str, Mapping[str, str]], str], path: str) -> None:
        self.widgets = Widgets(session)
        self.notebook = Notebook(run, path)
        self.fs = Files(session)
        self.secrets = Secrets(session)
        self.library = Library()
