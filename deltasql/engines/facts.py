"""What is known of a session where rows are computed in this process, whichever engine stands behind it."""

from __future__ import annotations

from typing import Protocol

from deltasql.log.storage.stores import Stores


class SessionFacts(Protocol):
    """The session's settings and stores, and where its engine runs. Nothing starts the engine but what says so."""

    @property
    def stores(self) -> Stores:
        """Where tables lie."""

    @property
    def is_in_process(self) -> bool:
        """Whether the engine is no JVM and no server elsewhere, but a part of this process, which reads this disk."""

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the executors are, or will be, threads of this machine, so that they see its disk."""

    @property
    def shares_disk(self) -> bool:
        """As `is_on_this_machine`, of a session that has begun. Starts the engine."""

    @property
    def reads_files(self) -> bool:
        """Whether the engine reads and writes data files by itself. Starts the engine."""

    @property
    def leaves_files_to_us(self) -> bool:
        """Whether nothing is set that says how Spark reads and writes Parquet files."""

    def told(self, key: str) -> str | None:
        """What SET of this session has made of a setting of deltasql."""

    def now(self, key: str) -> str | None:
        """What a setting is in the engine's session. Starts the engine."""

    def reaches(self, location: str) -> bool:
        """Whether executors can read and write an object store as this session. Starts the engine."""

    def has_other_keys(self, location: str) -> bool:
        """Whether Spark was told other keys of a store than this session's. Starts the engine."""

    def require_fetching(self) -> None:
        """Raises LeftToEngineError where rows of a table may not come to the caller without the engine."""

    def require_computing(self) -> None:
        """Raises LeftToEngineError where expressions may mean something else than by default, or files are the engine's
        to move.
        """
