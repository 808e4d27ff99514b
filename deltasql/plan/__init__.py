"""Plans: the logical one, a frozen node per statement in `statements`, and the closed set of physical operators.

Data only: names and SQL text are as the user wrote them, with their positions. They are resolved in `planner`.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    base: BOUND_VALUES EVALUATED IN_MEMORY JSON_NAME Alone ColumnPath ComputedBy LogicalPlan Note
        SqlText StatementWarning TableName Temporal Way make_note record_way recorded_notes recorded_ways
        records_of_statement ways_recorded
    hidden_names: ORDINAL QUERY hidden hidden_view
    operators: ANY_SHAPE METADATA NO_ROWS READ_COLUMNS ROW_ID_COLUMNS SCAN_COLUMNS Check Constraint Curve
        EqualKey FileColumns FileShape LiteralValue Literals Lookup MemoryRows Number Operator Project Pruning
        PythonFunction ReadInProcess Reads Rearrange Recording RenamedQuery Rewrite RowAction RowEffect RowKind
        RowReads Scan SourceFiles SourceJoin SqlFunction SqlQuery Supplied TableVersion RowTally UnionAll
        ViewColumns Write children evaluated_texts stored_schemas tallies texts_of with_tally
    """,
)
