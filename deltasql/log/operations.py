"""The operations of the history: which kind of commit each is, and what conflicts, repeats and counts ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """Which counts a statement returns."""

    NONE = "none"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    MERGE = "merge"
    COPY = "copy"
    REFRESH = "refresh"
    """No counts: the mode of the refresh, and the reason, as its parameters have them."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One kind of commit; `name` is what the history shows.

    `outcome`: which counts its statement returns. `changes_data`: it is about rows, so that under WriteSerializable it
    keeps its level even where it changed none. `replaces_all`: it replaces whatever there is, so that nothing may come
    in between. `may_repeat`: after a lost race its statement may be planned and run again. `restates_files`: it only
    says again which files there are, with or without row ids, and adds and moves no row. `composes`: a transaction may
    have it among others.
    """

    name: str
    outcome: Outcome = Outcome.NONE
    changes_data: bool = False
    replaces_all: bool = False
    may_repeat: bool = True
    restates_files: bool = False
    composes: bool = False

    def __str__(self) -> str:
        return self.name


_OPERATIONS: dict[str, Operation] = {}


def _register(name: str, outcome: Outcome = Outcome.NONE, **marks: bool) -> Operation:
    return _OPERATIONS.setdefault(name, Operation(name, outcome, **marks))


WRITE = _register("WRITE", Outcome.INSERT, changes_data=True, composes=True)


STREAMING_UPDATE = _register("STREAMING UPDATE", Outcome.INSERT, changes_data=True)


COPY_INTO = _register("COPY INTO", Outcome.COPY, changes_data=True)


REFRESH = _register("REFRESH", Outcome.REFRESH, changes_data=True)


UPDATE = _register("UPDATE", Outcome.UPDATE, changes_data=True, composes=True)


DELETE = _register("DELETE", Outcome.DELETE, changes_data=True, composes=True)


MERGE = _register("MERGE", Outcome.MERGE, changes_data=True, composes=True)


TRUNCATE = _register("TRUNCATE", changes_data=True, composes=True)


TRANSACTION = _register("TRANSACTION", changes_data=True)
"""Several statements; its parameters tell which."""


CREATE_TABLE = _register("CREATE TABLE")


REPLACE_TABLE = _register("REPLACE TABLE")


CREATE_OR_REPLACE_TABLE = _register("CREATE OR REPLACE TABLE")


CREATE_TABLE_AS_SELECT = _register("CREATE TABLE AS SELECT", Outcome.INSERT, changes_data=True)


REPLACE_TABLE_AS_SELECT = _register("REPLACE TABLE AS SELECT", Outcome.INSERT, changes_data=True)


CREATE_OR_REPLACE_TABLE_AS_SELECT = _register("CREATE OR REPLACE TABLE AS SELECT", Outcome.INSERT, changes_data=True)


# They put a table back as it was: what others have done meanwhile would be lost without a word.
RESTORE = _register("RESTORE", changes_data=True, replaces_all=True, may_repeat=False)


CLONE = _register("CLONE", changes_data=True, replaces_all=True, may_repeat=False)


CONVERT = _register("CONVERT", changes_data=True, replaces_all=True)


SET_TAGS = _register("SET TAGS", composes=True)


UNSET_TAGS = _register("UNSET TAGS", composes=True)


SET_PROPERTIES = _register("SET TBLPROPERTIES", composes=True)


UNSET_PROPERTIES = _register("UNSET TBLPROPERTIES", composes=True)


ADD_COLUMNS = _register("ADD COLUMNS", composes=True)


CHANGE_COLUMN = _register("CHANGE COLUMN", composes=True)


CHANGE_COLUMNS = _register("CHANGE COLUMNS", composes=True)


REPLACE_COLUMNS = _register("REPLACE COLUMNS", composes=True)


RENAME_COLUMN = _register("RENAME COLUMN", composes=True)


DROP_COLUMNS = _register("DROP COLUMNS", composes=True)


ADD_CONSTRAINT = _register("ADD CONSTRAINT", composes=True)


DROP_CONSTRAINT = _register("DROP CONSTRAINT", composes=True)


CLUSTER_BY = _register("CLUSTER BY", composes=True)


UPGRADE_PROTOCOL = _register("UPGRADE PROTOCOL")


UPGRADE_UNIFORM = _register("REORG TABLE UPGRADE UNIFORM")


DROP_FEATURE = _register("DROP FEATURE")


REMOVE_COLUMN_MAPPING = _register("REMOVE COLUMN MAPPING")


DOMAIN_CLEANUP = _register("DOMAIN METADATA CLEANUP")


VECTOR_TOMBSTONES = _register("Deletion Vector Tombstones")
"""The commit that removes files of deletion vectors, for engines that know none to keep them as long as others."""


EMPTY = _register("Empty Commit")
"""A commit that only is there so that a checkpoint of it can be."""


OPTIMIZE = _register("OPTIMIZE")


REORG = _register("REORG")


UNDO_OPTIMIZE = _register("ROLLBACK OPTIMIZE")
"""The commit that takes a rearrangement of files back, so that a change of their rows can be put on top."""


FSCK = _register("FSCK")


VACUUM_START = _register("VACUUM START")


VACUUM_END = _register("VACUUM END")


BACKFILL = _register("ROW TRACKING BACKFILL", restates_files=True)


COMPUTE_STATISTICS = _register("COMPUTE STATS", restates_files=True)


UNBACKFILL = _register("ROW TRACKING UNBACKFILL", restates_files=True)


def operation_named(name: str) -> Operation:
    """The operation that a commit in the log names; for a name of another writer's, one of which nothing is known."""
    return _OPERATIONS.get(name) or Operation(name)
