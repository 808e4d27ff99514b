"""PyIceberg's view of a table's storage: locations ↔ paths of the store, whole objects in memory."""

from __future__ import annotations

import io
from typing import Any

from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile, OutputStream

from deltasql.log.iceberg.current_metadata import root_uri
from deltasql.log.storage.log_store import LogStore


class StoreIO(FileIO):  # type: ignore[misc]
    """Files below the root of a store. Raises FileNotFoundError, StorageError."""

    def __init__(self, store: LogStore) -> None:
        super().__init__()
        self.store = store
        self.root = root_uri(store.root)

    def new_input(self, location: str) -> InputFile:
        return _Input(self, location)

    def new_output(self, location: str) -> OutputFile:
        return _Output(self, location)

    def delete(self, location: Any) -> None:
        self.store.delete([self.path(location if isinstance(location, str) else location.location)])

    def path(self, location: str) -> str:
        """The path of a location in the store, whichever way its root is written."""
        for root in (self.root, self.store.root):
            if location.startswith(f"{root}/"):
                return location[len(root) + 1 :]
        raise FileNotFoundError(location)


class _Input(InputFile):  # type: ignore[misc]
    def __init__(self, files: StoreIO, location: str) -> None:
        super().__init__(location)
        self._files = files

    def __len__(self) -> int:
        return self._files.store.head(self._files.path(self.location)).size

    def exists(self) -> bool:
        return self._files.store.exists(self._files.path(self.location))

    def open(self, seekable: bool = True) -> InputStream:
        return io.BytesIO(self._files.store.read(self._files.path(self.location)))


class _Output(OutputFile):  # type: ignore[misc]
    """Output object. Overwriting is safe: its name is unique, and nothing refers to it before it is complete."""

    def __init__(self, files: StoreIO, location: str) -> None:
        super().__init__(location)
        self._files = files
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def exists(self) -> bool:
        return self._files.store.exists(self._files.path(self.location))

    def to_input_file(self) -> InputFile:
        return _Input(self._files, self.location)

    def create(self, overwrite: bool = False) -> OutputStream:
        return _Stream(self)

    def put(self, data: bytes) -> None:
        self._size = len(data)
        self._files.store.overwrite(self._files.path(self.location), data)


class _Stream(io.BytesIO):
    """Buffer that is written as the object when it is closed."""

    def __init__(self, output: _Output) -> None:
        super().__init__()
        self._output = output

    def close(self) -> None:
        if not self.closed:
            self._output.put(self.getvalue())
        super().close()
