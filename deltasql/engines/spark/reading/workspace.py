"""What a statement has of its rows within this process, for as long as it may ask for them."""

from __future__ import annotations


class Workspace:
    """Files on this machine's disk, and what went from here to the engine."""

    def __init__(self) -> None:
        self.sent = 0
        """Bytes of the rows that went to the engine, as Arrow has them."""
        self._kept: list[object] = []

    def keep(self, item: object) -> None:
        """Holds what goes when nothing refers to it, such as a folder."""
        self._kept.append(item)
