"""Tests of dbt's suite that do not apply to the adapter, each with the reason."""

from __future__ import annotations

_SCRIPTS = "functions are in SQL or Python, as on Databricks, and not in JavaScript"
_AGGREGATES = "there are no aggregate functions of users in SQL"

LEFT_OUT: dict[str, str] = {
    "BaseTestEmptySeedFlag": "dbt-core 1.11 has no seed --empty",
    "BaseSnapshotDbtValidToCurrent": "it expects rows in the order of Postgres, without ORDER BY",
    "BaseDebug": "a base class",
    "BaseGetIntervalsBetween": "it casts 09/12/2023 to a date, which Spark refuses",
    "BaseArrayUtils": "a base class",
    "BaseDataTypeMacro": "a base class",
    "BaseCurrentTimestampAware": "a TIMESTAMP comes as a datetime without a zone: BaseCurrentTimestampNaive applies",
    "BaseCachingTest": "a base class",
    "BaseConstraintsColumnsEqual": "a base class",
    "BaseContractSqlHeader": "a base class",
    "BaseIncrementalBadStrategy": "dbt-spark refuses such a strategy in other words",
    "BaseGetCatalogForSingleRelation": "dbt-spark does not implement the method",
    "BaseGrants": "a base class",
    "BaseInvalidGrants": "any name may be that of a principal; a wrong privilege is in tests/dbt/test_grants.py",
    "BasicJSUDF": _SCRIPTS,
    "JSUDFMultiLineBody": _SCRIPTS,
    "JSUDFDeterministicVolatility": _SCRIPTS,
    "JSUDFNonDeterministicVolatility": _SCRIPTS,
    "JSUDFStableVolatilityWarns": _SCRIPTS,
    "JSUDFDefaultArgSupport": _SCRIPTS,
    "UDAFBase": "a base class",
    "BasicJSAggregateUDF": _AGGREGATES,
    "JSAggregateUDFVolatilityIgnored": _AGGREGATES,
    "BasicPythonUDAF": _AGGREGATES,
    "BasicSQLUDAF": _AGGREGATES,
    "PythonUDAFDefaultArgSupport": _AGGREGATES,
    "PythonUDFNotSupported": "functions in Python are supported",
    "CanFindScalarFunctionRelation": "dbt lists tables and views; a function is replaced, whether it is there or not",
    "BaseCatalogIntegrationValidation": "there are no catalog integrations",
}
"""Classes; a later release's new ones run until they stand here."""
