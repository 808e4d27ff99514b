"""What PySpark looks up in the JVM at every call, looked up once.

PySpark names a class or a method of the JVM by an attribute, and py4j asks the JVM for it each time: one command for
the class, for which every jar is searched, and one for the method, before the third that calls it. Held as attributes
of the same objects they are found without asking. Measured on a MERGE of two rows: 300 commands to the JVM → 210.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py4j.java_gateway import JVMView

_USED = {
    "org.apache.spark.sql.functions": ("col", "expr", "lit"),
    "org.apache.spark.sql.classic.SparkSession": ("getActiveSession", "getDefaultSession", "setActiveSession"),
    "org.apache.spark.sql.api.python.PythonSQLUtils": (),
    "org.apache.spark.sql.Observation": (),
    "PythonSQLUtils": (),
    "PythonUtils": ("toSeq", "toList"),
}


def hold_names(jvm: JVMView) -> None:
    """Looks the names up that statements need, and leaves them where PySpark looks for them first.

    A release of Spark that lacks one of them is asked each time, as before.
    """
    from py4j.protocol import Py4JError

    for name, members in _USED.items():
        try:
            held = getattr(jvm, name)
            for member in members:
                setattr(held, member, getattr(held, member))
        except Py4JError:
            continue
        setattr(jvm, name, held)
