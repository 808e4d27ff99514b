"""Hadoop's connectors for object stores: whether Spark has one, and the jars that a session of deltasql starts with.

Credentials of object stores in Spark, whose JVM connects to each bucket or account with the first ones it gets.
"""

from __future__ import annotations

import logging
import re
import weakref
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltasql.engines.spark.session.remote import is_connect
from deltasql.log.storage.credentials import is_identity

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES = "spark.jars.packages"
EXCLUDES = "spark.jars.excludes"

_SDK = {"3.5.0": "2.35.4"}
"""The release of Amazon's SDK that a release of hadoop-aws was built with."""
_SDK_MODULES = ("s3", "s3-transfer-manager", "sts", "apache-client")
"""The parts of the SDK that S3A uses: 19 MB with what they need, where the bundle has 659."""

_REACHABLE: weakref.WeakKeyDictionary[SparkSession, dict[str, bool]] = weakref.WeakKeyDictionary()
_LOGGER = logging.getLogger(__name__)


def can_reach(session: SparkSession, scheme: str) -> bool:
    """Whether Spark has a file system for a scheme of Hadoop's, such as `s3a`."""
    schemes = _REACHABLE.setdefault(session, {})
    if scheme not in schemes:
        schemes[scheme] = _has_file_system(session, scheme)
    return schemes[scheme]


def _has_file_system(session: SparkSession, scheme: str) -> bool:
    # There is no such place, and its file system says so before it asks anybody: one that is missing cannot.
    try:
        session.read.schema("value STRING").text(f"{scheme}:///").schema  # noqa: B018 - Spark Connect looks only now
    except Exception as error:
        # What Spark throws here has no class of PySpark's.
        return not re.search(r"ClassNotFoundException|No FileSystem for scheme", str(error))
    return True


def connector_settings(scheme: str) -> dict[str, str]:
    """The settings of a new session of ours with which it can reach a scheme; none where no jars are known for it."""
    version = _hadoop_version()
    if scheme != "s3a" or version is None:
        return {}
    hadoop = f"org.apache.hadoop:hadoop-aws:{version}"
    if version not in _SDK:
        return {PACKAGES: hadoop}
    modules = (f"software.amazon.awssdk:{module}:{_SDK[version]}" for module in _SDK_MODULES)
    return {PACKAGES: ",".join((hadoop, *modules)), EXCLUDES: "software.amazon.awssdk:bundle"}


def announce_downloads(settings: dict[str, str]) -> None:
    """Tells the user that jars are on their way, since this takes its time once."""
    first = settings[PACKAGES].partition(",")[0]
    group, name, version = first.split(":")
    if not any(Path.home().glob(f".ivy2*/jars/{group}_{name}-{version}.jar")):
        _LOGGER.warning("Spark fetches its connector for S3, %s and 51 jars that it needs (19 MB), once", first)


@cache
def _hadoop_version() -> str | None:
    """The release of Hadoop that PySpark brings; None for a Spark that was installed in another way."""
    import pyspark

    jars = Path(pyspark.__file__).parent.glob("jars/hadoop-client-api-*.jar")
    return next((jar.stem.removeprefix("hadoop-client-api-") for jar in jars), None)


_FIRST: weakref.WeakKeyDictionary[Any, dict[str, str]] = weakref.WeakKeyDictionary()
"""Hadoop's settings of stores by the SparkContext, which several sessions share, or by the session on a server."""


def has_other_keys(session: SparkSession, settings: Mapping[str, str]) -> bool:
    """Whether Spark is configured with credentials for a store that differ from these `settings` of Hadoop."""
    first = _FIRST.get(_shared(session), {})
    keys = {key: value for key, value in settings.items() if is_identity(key)}
    return any({first.get(key, value), session.conf.get(key, value)} != {value} for key, value in keys.items())


def configure(session: SparkSession, settings: Mapping[str, str]) -> None:
    """Sets those of Hadoop's `settings` of a store that a session does not have yet."""
    first = _FIRST.setdefault(_shared(session), {})
    for key, value in settings.items():
        if session.conf.get(key, None) is None:
            session.conf.set(key, value)
        first.setdefault(key, str(session.conf.get(key)))


def _shared(session: SparkSession) -> Any:
    return session if is_connect(session) else session.sparkContext
