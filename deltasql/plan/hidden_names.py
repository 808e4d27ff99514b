"""Generated names in SQL and DataFrames. Users do not see them, and no column of a table has one."""

from __future__ import annotations

from uuid import uuid4

from deltasql.schema import HIDDEN_PREFIX


def hidden(name: object) -> str:
    """A hidden name; names without a constant in this module are numbered, or generated for one statement."""
    return f"{HIDDEN_PREFIX}{name}"


def hidden_view() -> str:
    """The name of a view, unique among the threads and the sessions of a process, which may share a Spark."""
    return hidden(uuid4().hex)


ROWS = hidden("rows")
"""The rows of the target of a statement."""


NULL_ROW = hidden("null_row")


SOURCE_ROWS = hidden("source_rows")
"""The source of a MERGE that has no alias."""


QUERY, VIEW, PARTITIONS = hidden("query"), hidden("view"), hidden("p")


ROW_FILE = hidden("file")
"""Of an identified scan: the URI of the data file of a row."""


ROW_INDEX = hidden("row")
"""Of an identified scan: the row index of a row in its data file."""


TARGET_PRESENT = hidden("target")
"""Of an identified scan: TRUE, so that the outer side of a join can be told from a row of NULLs."""


SOURCE_PRESENT = hidden("source")
"""Of the source of a MERGE: TRUE, so that its outer side of a join can be told from a row of NULLs."""


ROW_ID, ROW_VERSION = hidden("row_id"), hidden("row_version")
"""Of a scan with `row_ids`: the id of a row, and the version that last changed it."""


ORDINAL = hidden("ordinal")
"""Of numbered rows: a unique number from 0. Those of one task are mostly consecutive."""


GUARD = hidden("guard")
"""Of rows that must satisfy constraints: TRUE."""


FILE_KEY, FILE_KEYS = hidden("key"), hidden("keys")
"""The key of the data file of a row, and the keys of all files of a partition."""


KEYED_FILE = hidden("keyed_file")


MARKED_FILE, MARKED_ROW = hidden("marked_file"), hidden("marked_row")


DESCRIBED = hidden("described")


ROW_ADDRESS = hidden("row_address")
"""Of rows that this process has read: the number of the data file and the row index, in one integer."""


ID_FILE, ID_POSITION = hidden("id_file"), hidden("id_position")


MOVED_ID, MOVED_VERSION = hidden("moved_id"), hidden("moved_version")


FIRST_ID, FIRST_VERSION = hidden("first_id"), hidden("first_version")


ACTION = hidden("action")


LOOKUP = hidden("lookup")
"""Of the source of INSERT … REPLACE USING and ON: whether a row is a lookup key, and not to be inserted."""


SOURCE_ROW = hidden("source_row")
"""The number of a row of the source."""


MATCH_NUMBER = hidden("match")


NEW_IMAGE, OLD_IMAGE, IMAGE = hidden("new"), hidden("old"), hidden("image")
"""A row after and before its change, and either of them as a row of the change feed."""


IS_CHANGE = hidden("is_change")
"""Directory column that separates the rows of the change feed from the table's."""


ARRANGED_FILE, FILE_NUMBER, FILE_ROW = hidden("arranged_file"), hidden("file_number"), hidden("file_row")


BIN, PLACE, STATE, DIGIT = hidden("bin"), hidden("place"), hidden("state"), hidden("digit")


CUT, FIRST_FILE = hidden("cut"), hidden("first_file")


PARTITION_NUMBER = hidden("n")
