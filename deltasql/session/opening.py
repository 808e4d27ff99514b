"""How a session is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from deltasql.base.progress import Listener
from deltasql.catalog.external.configuration import Catalogs
from deltasql.session.session import Session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def connect(
    warehouse: str = "warehouse",
    spark: SparkSession | str | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
    progress: Listener | None = None,
    engine: str | None = None,
    catalog: str | None = None,
    catalogs: Catalogs | None = None,
    staging_allowed_local_path: str | Sequence[str] | None = None,
    directory: str = "",
) -> Session:
    """A session over the tables of `warehouse`, a directory or the URL of a place in an object store.

    `catalog` is the current catalog, `spark_catalog` by default, which every warehouse has; its schema `default` is
    current. Raises CatalogNotFoundError for any other that CREATE CATALOG has not created. `catalogs` configures
    external catalogs by name: `{"main": {"type": "unity", "uri": "https://…", "token": "…"}}`; those of a Spark session
    that is handed in (`spark.sql.catalog.main`) are added. Raises CatalogConfigurationError.

    `spark` is None for a local Spark that starts when it is first needed, a SparkSession to use, or the address of a
    Spark Connect server: "sc://host:port". `engine` is "spark" or "sail", used if no Spark is given; the default is
    that of the environment variable DELTASQL_ENGINE. `storage_options` configure access to object stores with obstore's
    keys: `{"aws_access_key_id": …, "aws_endpoint": …}`; missing ones come from the settings of the given Spark session
    (`spark.hadoop.fs.s3a.*`), else from the environment. `progress`, later `on_progress` of the session, is called with
    a Progress, in a separate thread, while Spark starts and works. `staging_allowed_local_path` is a folder, or
    several, whose files PUT and GET may use; by default they may use all files of this machine, and with `()` none.
    `directory` is the folder of relative paths in statements; by default the working directory of the process, as it is
    now.
    """
    session = Session(warehouse, spark, storage_options, progress, engine, catalogs, directory)
    if staging_allowed_local_path is not None:
        session.stores.local_folders = local_folders(staging_allowed_local_path)
    if catalog is not None:
        try:
            session.catalog.use_catalog(catalog)
        except BaseException:
            session.close()
            raise
    return session


def local_folders(paths: str | Sequence[str]) -> tuple[str, ...]:
    """The folders that PUT and GET may use, given as one path or several."""
    return (paths,) if isinstance(paths, str) else tuple(paths)
