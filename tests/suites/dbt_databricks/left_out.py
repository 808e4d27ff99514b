"""Tests of dbt's suite that do not apply to the adapter of Databricks, each with the reason."""

from __future__ import annotations

from tests.suites.dbt import left_out

_PYTHON = "a model in Python is a job of a cluster, which a warehouse has not"
_HEADER = "a header is a statement before another one, and a warehouse runs one in a call"
_MISSING = "the adapter does not warn of columns that are missing"
_KEYS = "the adapter takes (n) REFERENCES t for the expression of a foreign key, and not t (n)"
_DELETED = "dbt_is_deleted is a BOOLEAN of the adapter, and a text of the suite"
_PYTHON_FUNCTION = "the adapter needs no entry point and no release of Python for a function"

LEFT_OUT: dict[str, str] = {
    **left_out.LEFT_OUT,
    **dict.fromkeys(("BasePythonModelTests", "BasePythonIncrementalTests", "BasePySparkTests"), _PYTHON),
    **dict.fromkeys(("BasePythonEmptyTests", "BasePythonSampleTests", "BasePythonMetaGetTests"), _PYTHON),
    **dict.fromkeys(("BaseTableContractSqlHeader", "BaseIncrementalContractSqlHeader"), _HEADER),
    **dict.fromkeys(("BasePersistDocsAllColumnsMissing", "BasePersistDocsColumnMissing"), _MISSING),
    **dict.fromkeys(("BasePersistDocsQuotedColumnCaseSensitive",), _MISSING),
    **dict.fromkeys(("BasePersistDocsQuotedDescriptionNotAppliedOnMismatch",), _MISSING),
    **dict.fromkeys(("BaseModelConstraintsRuntimeEnforcement", "BaseIncrementalForeignKeyConstraint"), _KEYS),
    "BasePersistDocsCommentOnQuotedColumn": "the catalog of the adapter has no comments of columns",
    **dict.fromkeys(("BaseSnapshotNewRecordCheckMode", "BaseSnapshotNewRecordTimestampMode"), _DELETED),
    **dict.fromkeys(("PythonUDFRuntimeVersionRequired", "PythonUDFEntryPointRequired"), _PYTHON_FUNCTION),
    "PythonUDFWithPackagesSupported": "the adapter writes no packages of a function",
    "BaseListagg": "the adapter has no order of listagg",
    "BasePostgresColumnTypes": "columns of the adapter do not know int, decimal and string for kinds of types",
    "BaseCloneSameSourceAndTarget": "the adapter clones a table onto itself, which is refused",
    "BaseIncrementalBadStrategy": "the adapter refuses such a strategy in other words",
    "BaseCurrentTimestampNaive": "a TIMESTAMP comes as a datetime with a zone: BaseCurrentTimestampAware applies",
}
"""Classes; a later release's new ones run until they stand here."""
del LEFT_OUT["BaseCurrentTimestampAware"]
