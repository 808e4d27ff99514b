"""What a worker process can do with an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Engine(Protocol):
    """Runs named work. Made inside a worker process, in a work folder of its own."""

    def run(self, work: str, values: Mapping[str, str]) -> Mapping[str, float] | None:
        """Does the work to its end: rows are fetched. Gives the parts of its time where it was asked for them.

        Raises whatever the engine raises.
        """
