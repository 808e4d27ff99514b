"""Session properties that in-process evaluation depends on, for any engine.

Engines without a JVM that run in this process: a JVM beside them would not be reached by PySpark.
"""

from __future__ import annotations

from typing import Protocol

from deltasql.log.storage.stores import Stores


class SessionFacts(Protocol):
    """The session's settings and stores, and where its engine runs. Members start no engine unless they say so."""

    @property
    def stores(self) -> Stores:
        """The stores of the tables."""

    @property
    def is_in_process(self) -> bool:
        """Whether the engine runs inside this process (no JVM, no remote server) and so reads the local disk."""

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the executors are, or will be, threads of this machine, so that they see its disk."""

    @property
    def shares_disk(self) -> bool:
        """As `is_on_this_machine`, asked of the running engine, which is started if it does not run."""

    @property
    def reads_files(self) -> bool:
        """Whether the engine reads and writes data files by itself. Starts the engine."""

    @property
    def leaves_files_to_us(self) -> bool:
        """True if no setting configures Spark's Parquet reader or writer, so that this process may do the file I/O."""

    def session_value(self, key: str) -> str | None:
        """The value that SET gave to a deltasql setting in this session; None if it is not set."""

    def current_value(self, key: str) -> str | None:
        """The current value of a setting in the engine's session. Starts the engine."""

    def reaches(self, location: str) -> bool:
        """Whether executors can access an object store with this session's credentials. Starts the engine."""

    def has_other_keys(self, location: str) -> bool:
        """Whether Spark has credentials for a store that differ from this session's. Starts the engine."""

    def require_fetching(self) -> None:
        """Raises LeftToEngineError where only the engine may return a table's rows to the caller."""

    def require_computing(self) -> None:
        """Raises LeftToEngineError where settings may change the meaning of expressions, or reserve file I/O for the
        engine.
        """


RUNNING: list[str] = []
"""Their names. An engine that has begun stays until the process ends."""
