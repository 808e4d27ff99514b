"""Models in Python: run in this process, in a Spark session of their own that deltasql is installed in."""

from __future__ import annotations

from typing import Any

from dbt.adapters.base import PythonJobHelper
from dbt.adapters.deltasql.connections import DeltaSqlCredentials
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError

from deltasql import Session, install, uninstall
from deltasql.base import SAIL, chosen_engine

IN_SESSION = "session"
ELSEWHERE = ("all_purpose_cluster", "job_cluster", "serverless_cluster", "workflow_job")
"""Where Databricks runs models; here all of them run in this process."""
_LOGGER = AdapterLogger("deltasql")


class SessionJob(PythonJobHelper):
    """Runs the code that dbt makes of a model, which ends with a call of `write_table`.

    The session is deltasql's behind `spark`.
    """

    def __init__(self, parsed_model: dict[str, Any], credential: DeltaSqlCredentials) -> None:
        self._name, self._credentials = parsed_model["alias"], credential
        method = parsed_model["config"].get("submission_method") or IN_SESSION
        if method != IN_SESSION:
            _LOGGER.info(f"{self._name} runs in this process: its submission_method {method} is ignored")

    def submit(self, compiled_code: str) -> None:
        """Raises whatever the code raises, and DbtRuntimeError for an engine that runs no Python models."""
        credentials = self._credentials
        if chosen_engine(credentials.engine, has_spark=credentials.remote is not None) == SAIL:
            raise DbtRuntimeError(f"{self._name} is a model in Python, which needs `engine: spark` in the profile.")
        with credentials.connect() as session:
            # Another session each, for models of several threads run side by side.
            spark = session.sql("SELECT 1").df.sparkSession.newSession()
        options, catalogs = credentials.storage_options or None, credentials.catalogs or None
        installed = install(spark, credentials.warehouse, storage_options=options, catalogs=catalogs)

        def write_table(rows: Any, table: str) -> None:
            _write(installed, rows, table)

        try:
            credentials.prepared(installed)
            namespace = {"spark": spark, "write_table": write_table, "__name__": self._name}
            exec(compile(compiled_code, f"<{self._name}>", "exec"), namespace)
        finally:
            uninstall(spark)


def _write(session: Session, rows: Any, table: str) -> None:
    """Makes a table of what a model returns: a DataFrame of Spark, pandas or polars, or Arrow's data.

    One of pandas on Spark is of the process's active session, which need not be the one that deltasql is installed in.
    """
    frame = rows.to_spark() if hasattr(rows, "to_spark") else rows
    is_installed = "_deltasql_home" in vars(getattr(frame, "sparkSession", None) or object)
    # What is of the session that deltasql is installed in must pass through the installation.
    writer = frame.write.format("delta") if is_installed else session.write(frame)
    writer.mode("overwrite").option("overwriteSchema", True).saveAsTable(table)
