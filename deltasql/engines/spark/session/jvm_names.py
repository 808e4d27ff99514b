"""What PySpark looks up in the JVM at every call, looked up once.

PySpark names a class or a method of the JVM by an attribute, and py4j asks the JVM for it each time: one command for
the class, for which every jar is searched, and one for the method, before the third that calls it. Held as attributes
of the same objects they are found without asking. Measured on a MERGE of two rows: 300 commands to the JVM → 210.
What has failed is asked a dozen times what it is, of which each goes through three names that no jar has: 4,400
statements of which one in twelve fails spent a twelfth of their time in that.
"""

from __future__ import annotations

from typing import Any

_USED = {
    "org.apache.spark.sql.functions": ("col", "expr", "lit"),
    "org.apache.spark.sql.classic.SparkSession": ("getActiveSession", "getDefaultSession", "setActiveSession"),
    "org.apache.spark.sql.api.python.PythonSQLUtils": (),
    "org.apache.spark.sql.Observation": (),
    "org.apache.spark.sql.internal.SQLConf": ("get",),
    "org.apache.spark.util.Utils": ("exceptionString",),
    "functions": ("col",),
    "PythonErrorUtils": (),
    "PythonSQLUtils": ("readArrowStreamFromFile", "toDataFrame"),
    "PythonUtils": ("toSeq", "toList", "toArray"),
}
_ERROR_KINDS = ("py4j", "reflection", "TypeUtil", "isInstanceOf")
"""What tells of an error whether it is of a class, as PySpark names it: part by part."""


def hold_names(jvm: Any) -> None:
    """Looks up what statements need in py4j's view of a JVM, and leaves it where PySpark looks first.

    Raises Py4JError where a class of this release of Spark has not the method.
    """
    for name, members in _USED.items():
        # What is not there is a package to py4j, for which it has attributes of any name.
        held = getattr(jvm, name)
        for member in members:
            setattr(held, member, getattr(held, member))
        setattr(jvm, name, held)
    part = jvm
    for name in _ERROR_KINDS:
        held = getattr(part, name)
        setattr(part, name, held)
        part = held
