"""Resources of one statement in this process: temporary files, and sizes of the rows sent to the engine."""

from __future__ import annotations


class Workspace:
    """Keeps objects such as temporary folders alive for a statement, and counts the bytes sent to the engine."""

    def __init__(self) -> None:
        self.sent = 0
        """Bytes of the rows that were sent to the engine, in Arrow's memory format."""
        self._retained: list[object] = []

    def retain(self, item: object) -> None:
        """Keeps a reference to an object that is deleted when unreferenced, such as a temporary folder."""
        self._retained.append(item)
