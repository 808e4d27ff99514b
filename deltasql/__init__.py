"""The SQL dialect of Delta Lake on stock Apache Spark.

>>> import deltasql
>>> session = deltasql.connect(warehouse="warehouse")
>>> session.sql("CREATE TABLE t (id INT)").columns
[]
"""

from deltasql.errors import DeltaSqlError
from deltasql.result import Result, Row
from deltasql.session import Session, connect
from deltasql.version import __version__

__all__ = ["DeltaSqlError", "Result", "Row", "Session", "__version__", "connect"]
