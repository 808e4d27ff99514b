"""How a session is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from deltasql.progress import Listener
from deltasql.session import Session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def connect(
    warehouse: str = "warehouse",
    spark: SparkSession | str | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
    progress: Listener | None = None,
    engine: str | None = None,
) -> Session:
    """A session over the tables of `warehouse`, a directory or the URL of a place in an object store.

    `spark` is None for a local Spark that starts when it is first needed, a SparkSession to use, or the address of a
    Spark Connect server: "sc://host:port". `engine` is "spark" or "sail", used if no Spark is given; the default is
    that of the environment variable DELTASQL_ENGINE. `storage_options` configure access to object stores with obstore's
    keys: `{"aws_access_key_id": …, "aws_endpoint": …}`; missing ones come from the settings of the given Spark session
    (`spark.hadoop.fs.s3a.*`), else from the environment. `progress`, later `on_progress` of the session, is called with
    a Progress, in a separate thread, while Spark starts and works.
    """
    return Session(warehouse, spark, storage_options, progress, engine)
