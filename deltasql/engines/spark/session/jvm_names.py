"""A cache of the JVM classes and methods that PySpark looks up at every call.

PySpark names a class or a method of the JVM by an attribute, and py4j asks the JVM for it each time: one command for
the class, for which every jar is searched, and one for the method, before the third that calls it. Stored as attributes
of the same objects, they are found without a command. Measured on a MERGE of two rows: 300 commands to the JVM → 210.
The class of an exception is tested a dozen times, and each test resolves three names that are in no jar: of 4,400
statements, of which one in twelve failed, that took a twelfth of the time.
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
"""Parts of the qualified name of the function by which PySpark tests the class of an error."""


def cache_names(jvm: Any) -> None:
    """Looks up the classes and methods in py4j's view of a JVM, and stores them as attributes of the view.

    Raises Py4JError if a class of this Spark release lacks a method.
    """
    for name, members in _USED.items():
        # py4j takes an unknown name for a package, which has attributes of any name.
        package = getattr(jvm, name)
        for member in members:
            setattr(package, member, getattr(package, member))
        setattr(jvm, name, package)
    part = jvm
    for name in _ERROR_KINDS:
        package = getattr(part, name)
        setattr(part, name, package)
        part = package
