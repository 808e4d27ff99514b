"""The classes of `deltasql.clients.tables` have the methods and parameters of Delta's Python package."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from deltasql.base.errors import ArgumentKindError, ArgumentTypeError
from deltasql.clients import tables
from deltasql.clients.tables import DeltaTable, table

_CLONE = ("target", "isShallow=False", "replace=False", "properties=None")
SIGNATURES: dict[str, dict[str, tuple[str, ...]]] = {
    "DeltaTable": {
        "forPath": ("sparkSession", "path", "hadoopConf=None"),
        "forName": ("sparkSession", "tableOrViewName"),
        "isDeltaTable": ("sparkSession", "identifier"),
        "create": ("sparkSession=None",),
        "createIfNotExists": ("sparkSession=None",),
        "replace": ("sparkSession=None",),
        "createOrReplace": ("sparkSession=None",),
        "convertToDelta": ("sparkSession", "identifier", "partitionSchema=None"),
        "toDF": (),
        "alias": ("aliasName",),
        "generate": ("mode",),
        "delete": ("condition=None",),
        "update": ("condition=None", "set=None"),
        "merge": ("source", "condition"),
        "vacuum": ("retentionHours=None",),
        "history": ("limit=None",),
        "detail": (),
        "upgradeTableProtocol": ("readerVersion", "writerVersion"),
        "addFeatureSupport": ("featureName",),
        "dropFeatureSupport": ("featureName", "truncateHistory=None"),
        "restoreToVersion": ("version",),
        "restoreToTimestamp": ("timestamp",),
        "optimize": (),
        "clone": _CLONE,
        "cloneAtVersion": ("version", *_CLONE),
        "cloneAtTimestamp": ("timestamp", *_CLONE),
    },
    "DeltaMergeBuilder": {
        "whenMatchedUpdate": ("condition=None", "set=None"),
        "whenMatchedUpdateAll": ("condition=None",),
        "whenMatchedDelete": ("condition=None",),
        "whenNotMatchedInsert": ("condition=None", "values=None"),
        "whenNotMatchedInsertAll": ("condition=None",),
        "whenNotMatchedBySourceUpdate": ("condition=None", "set=None"),
        "whenNotMatchedBySourceDelete": ("condition=None",),
        "withSchemaEvolution": (),
        "execute": (),
    },
    "IdentityGenerator": {"__init__": ("start=1", "step=1")},
    "DeltaTableBuilder": {
        "tableName": ("identifier",),
        "location": ("location",),
        "comment": ("comment",),
        "addColumn": (
            "colName",
            # Delta requires it; here a column of columnBuilder(…) has it.
            "dataType=None",
            "nullable=True",
            "generatedAlwaysAs=None",
            "generatedByDefaultAs=None",
            "comment=None",
        ),
        "addColumns": ("cols",),
        "partitionedBy": ("*cols",),
        "clusterBy": ("*cols",),
        "property": ("key", "value"),
        "execute": (),
    },
    "DeltaOptimizeBuilder": {"where": ("partitionFilter",), "executeCompaction": (), "executeZOrderBy": ("*cols",)},
}
"""delta-spark 4.4.0, `delta.tables`; `hadoopConf` has an empty dict there."""

EXCEPTIONS = {
    "DeltaConcurrentModificationException",
    "ConcurrentWriteException",
    "MetadataChangedException",
    "ProtocolChangedException",
    "ConcurrentAppendException",
    "ConcurrentDeleteReadException",
    "ConcurrentDeleteDeleteException",
    "ConcurrentTransactionException",
}


def _shown(parameter: inspect.Parameter) -> str:
    star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
    default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
    return f"{star}{parameter.name}{default}"


@pytest.mark.parametrize(
    ("kind", "method"), [(kind, method) for kind, methods in SIGNATURES.items() for method in methods]
)
def test_parameters(kind: str, method: str) -> None:
    found = inspect.signature(getattr(getattr(tables, kind), method)).parameters.values()
    assert tuple(_shown(item) for item in found if item.name != "self") == SIGNATURES[kind][method]


def test_exceptions() -> None:
    assert set(table.__all__) == EXCEPTIONS


WRONG: dict[str, tuple[str, type[Exception], Any]] = {
    "a version": ("version needs to be an int but got '<class 'str'>'", ValueError, lambda t: t.restoreToVersion("0")),
    "a timestamp": (
        "timestamp needs to be a string but got '<class 'int'>'",
        ValueError,
        lambda t: t.restoreToTimestamp(1),
    ),
    "a reader": (r"readerVersion needs to be an int", ValueError, lambda t: t.upgradeTableProtocol([], 3)),
    "a writer": (r"writerVersion needs to be an int", ValueError, lambda t: t.upgradeTableProtocol(1, "abc")),
    "a feature": ("featureName needs to be a string", ValueError, lambda t: t.addFeatureSupport(1)),
    "truncation": ("truncateHistory needs to be a boolean", ValueError, lambda t: t.dropFeatureSupport("x", "yes")),
    "a target": ("target needs to be a string", ValueError, lambda t: t.clone(1)),
    "shallow": ("isShallow needs to be a boolean", ValueError, lambda t: t.clone("c", "yes")),
    "a condition": ("must be a Spark SQL Column or a string", TypeError, lambda t: t.delete(1)),
    "a condition before values": ("must be a Spark SQL Column or a string", TypeError, lambda t: t.update(1, {})),
    "no values": ("cannot be None", ValueError, lambda t: t.update({"v": "1"})),
    "values": ("must be a dict", TypeError, lambda t: t.update(set=1)),
    "an entry": ("Values of dict in 'set' must contain only", TypeError, lambda t: t.update(set={"v": 1})),
    "a key": ("Keys of dict in 'set' must contain only", TypeError, lambda t: t.update(set={1: ""})),
    "a source": ("'source' in merge must be DataFrame", TypeError, lambda t: t.merge(1, "1 = 1")),
}


@pytest.mark.parametrize(("text", "kind", "call"), WRONG.values(), ids=WRONG)
def test_texts_and_types_of_errors(text: str, kind: type[Exception], call: Any) -> None:
    """No statement runs for a wrong argument, so that no session is needed."""
    from deltasql.clients.tables.definition import StatementRunner
    from deltasql.plan.base import TableName

    session: Any = None
    with pytest.raises(kind, match=text):
        call(DeltaTable(StatementRunner(session), TableName(("t",))))


def test_both_kinds_of_errors() -> None:
    assert issubclass(ArgumentKindError, (ArgumentTypeError, ValueError))
    assert issubclass(ArgumentKindError, TypeError)
