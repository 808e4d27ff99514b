"""Plans: the logical one, a frozen node per statement in `statements`, and the closed set of physical operators.

Data only: names and SQL text are as the user wrote them, with their positions. They are resolved in `planner`.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    base: ACTION ARRANGED_FILE BIN BOUND_VALUES CUT DESCRIBED DIGIT EVALUATED FILE_KEY FILE_KEYS FILE_NUMBER
        FILE_ROW FIRST_FILE FIRST_ID FIRST_VERSION GUARD HIDDEN_PREFIX ID_FILE ID_POSITION IMAGE IN_MEMORY
        IS_CHANGE JSON_NAME KEYED_FILE LOOKUP MARKED_FILE MARKED_ROW MATCH_NUMBER MOVED_ID MOVED_VERSION
        NEW_IMAGE NULL_ROW OLD_IMAGE ORDINAL PARTITIONS PARTITION_NUMBER PLACE QUERY ROWS ROW_ADDRESS ROW_FILE
        ROW_ID ROW_INDEX ROW_VERSION SOURCE_PRESENT SOURCE_ROW SOURCE_ROWS STATE TARGET_PRESENT VIEW ColumnPath
        ComputedBy LogicalPlan SqlText StatementWarning TableName Temporal Way hidden hidden_view make_note
        quote record_way recorded_notes recorded_ways records_of_statement ways_recorded
    operators: ANY_SHAPE METADATA NO_ROWS READ_COLUMNS ROW_ID_COLUMNS SCAN_COLUMNS Check Constraint Curve
        EqualKey FileColumns FileShape LiteralValue Literals Lookup MemoryRows Number Operator Project Pruning
        PythonFunction ReadInProcess Reads Rearrange Recording RenamedQuery Rewrite RowAction RowEffect RowKind
        RowReads Scan SourceFiles SourceJoin SqlFunction SqlQuery Supplied TableVersion UnionAll ViewColumns
        Write children evaluated_texts stored_schemas texts_of
    """,
)
