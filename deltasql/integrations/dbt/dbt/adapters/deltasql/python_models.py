"""Models in Python: run in this process, in a Spark session of their own that deltasql is installed in."""

from __future__ import annotations

from typing import Any

from dbt.adapters.base import PythonJobHelper
from dbt.adapters.deltasql.connections import DeltaSqlCredentials

from deltasql import connect, install, uninstall


class SessionJob(PythonJobHelper):
    """Runs the code that dbt makes of a model, which writes its table itself."""

    def __init__(self, parsed_model: dict[str, Any], credential: DeltaSqlCredentials) -> None:
        self._name, self._told = parsed_model["alias"], credential

    def submit(self, compiled_code: str) -> None:
        """Raises whatever the code raises."""
        told, options = self._told, self._told.storage_options or None
        with connect(told.warehouse, told.remote, storage_options=options) as session:
            # Another session each, for models of several threads run side by side.
            spark = session.sql("SELECT 1").df.sparkSession.newSession()
        installed = install(spark, told.warehouse, storage_options=options)
        try:
            for key, text in told.texts():
                installed.sql(f"SET {key} = {text}")
            exec(compile(compiled_code, f"<{self._name}>", "exec"), {"spark": spark, "__name__": self._name})
        finally:
            uninstall(spark)
