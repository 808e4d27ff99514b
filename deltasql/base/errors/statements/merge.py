"""Refusals of MERGE: its clauses, the columns they name, and source rows that match twice."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition
from deltasql.base.errors.suggestion import column_meant


@condition(
    "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
    "21506",
    "Several source rows of the MERGE match one row of {table}, for example for {keys}. Which of them should win is "
    "not defined, so nothing was written. Reduce the source to one row per key (GROUP BY, QUALIFY row_number() = 1).",
)
class MultipleSourceRowsError(DeltaSqlError):
    """More than one source row would change the same target row."""

    table: str
    keys: str


@condition("DELTA_MERGE_MISSING_WHEN", "42601", "MERGE INTO {table} has no WHEN clause. Add at least one.")
class MergeMissingWhenError(DeltaSqlError):
    """MERGE without a WHEN clause."""

    table: str


@condition(
    "DELTA_MERGE_UNRESOLVED_EXPRESSION",
    "42601",
    "Cannot resolve {expression} in {clause}: the columns in reach there are {columns}.{advice}",
    remedy="Name a column that the message lists; source and target columns need their alias.",
)
class MergeUnresolvedError(DeltaSqlError):
    """A name in a MERGE clause that is no column of the table that the clause may look at."""

    expression: str
    clause: str
    columns: tuple[str, ...]
    advice: str = ""

    @property
    def message(self) -> str:
        if not self.columns:
            return f"Cannot resolve {self.expression} in {self.clause}.{self.advice}"
        return super().message + ("" if self.advice else column_meant(self.expression, self.columns))


@condition(
    "DELTA_MERGE_INTO_EMPTY_SCHEMA_TARGET",
    "428GU",
    "{table} has no columns, so nothing can be merged into it. "
    "Add columns first, or let the MERGE bring them: MERGE WITH SCHEMA EVOLUTION INTO {table} ….",
)
class MergeIntoEmptySchemaError(DeltaSqlError):
    """MERGE into a table without columns, evolution off."""

    table: str


@condition(
    "DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION",
    "0AKDC",
    "{column} is a nested field, and the column list of INSERT names whole columns only. "
    "Insert the struct: named_struct(…).",
    remedy="Insert the struct as a whole: named_struct('a', 1).",
)
class NestedInsertColumnError(DeltaSqlError):
    """A nested field in the column list of an INSERT clause."""

    column: str


@condition(
    "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
    "42613",
    "Only the last WHEN MATCHED clause may lack a condition: the ones after it would never apply.",
    remedy="Move the clause to the end, or give it a condition.",
)
class UnconditionalMatchedError(DeltaSqlError):
    """A WHEN MATCHED clause without a condition before another one."""


@condition(
    "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION",
    "42613",
    "Only the last WHEN NOT MATCHED clause may lack a condition: the ones after it would never apply.",
    remedy="Move the clause to the end, or give it a condition.",
)
class UnconditionalNotMatchedError(DeltaSqlError):
    """A WHEN NOT MATCHED clause without a condition before another one."""


@condition(
    "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
    "42613",
    "Only the last WHEN NOT MATCHED BY SOURCE clause may lack a condition: the ones after it would never apply.",
    remedy="Move the clause to the end, or give it a condition.",
)
class UnconditionalBySourceError(DeltaSqlError):
    """A WHEN NOT MATCHED BY SOURCE clause without a condition before another one."""
