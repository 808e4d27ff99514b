"""Sessions: planned statements are run and committed here; scripts, transactions and DataFrames are theirs.

Rules of single statements are in `statements`, ways to compute rows in `engines`.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    execution.run: Pending Placing Run unstarted_engine
    frames.columns.columns: column_sql frame_alias is_column origins
    frames.columns.texts: Owner name_parts one_expression
    frames.writer: at frame_of rows_to_write
    opening: Description Relation connect described has_relation local_folders relations schemas
    script.parsing: parse_script
    session: Session
    """,
)
