"""Two sessions of one process, and a Spark that keeps the keys of the first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from deltasql.engines.choice import moved_in_process
from deltasql.engines.spark.session import spark as spark_module
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.thresholds import STORE_BYTES
from deltasql.errors.engine import OtherCredentialsError
from deltasql.log.storage.stores import Stores
from deltasql.settings.session_settings import IO_MODE

TABLE = "s3://bucket/t"


class Conf(dict[str, str]):
    """The settings of a Spark that runs."""

    def set(self, key: str, value: str) -> None:
        self[key] = value

    @property
    def getAll(self) -> dict[str, str]:  # noqa: N802 - PySpark's name
        return dict(self)


@pytest.fixture
def conf(monkeypatch: pytest.MonkeyPatch) -> Conf:
    monkeypatch.setattr(spark_module, "can_reach", lambda session, place: True)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return Conf()


def session(conf: Conf, key: str, **more: str) -> SparkHandle:
    """A session with keys of its own on the process's Spark."""
    spark: Any = SimpleNamespace(conf=conf)
    stores = Stores({"aws_access_key_id": key, "aws_secret_access_key": f"secret of {key}", **more})
    handle = SparkHandle(spark, stores=stores)
    handle.is_ours = True
    return handle


def test_executors_serve_the_keys_that_they_know(conf: Conf) -> None:
    first, second, same = session(conf, "one"), session(conf, "two"), session(conf, "one", aws_region="eu-west-1")
    large = STORE_BYTES + 1
    assert not moved_in_process(first, TABLE, large)
    first.hadoop_location(TABLE)
    assert conf["fs.s3a.bucket.bucket.access.key"] == "one"
    # The driver has keys for each session.
    assert moved_in_process(second, TABLE, large)
    assert not moved_in_process(second, "s3://other/t", large)
    assert not moved_in_process(first, TABLE, large)
    assert not moved_in_process(same, TABLE, large)
    second.set(IO_MODE.name, "EXECUTORS")
    with pytest.raises(OtherCredentialsError) as caught:
        moved_in_process(second, TABLE, large)
    assert caught.value.condition == "DELTASQL_OTHER_CREDENTIALS"
    assert "secret" not in str(caught.value)
    assert "one" not in caught.value.location


def test_other_keys_of_an_azure_account(conf: Conf) -> None:
    place = "abfss://c@account.dfs.core.windows.net/t"
    first, second = (session(conf, "", azure_storage_account_key=key) for key in ("one", "two"))
    first.hadoop_location(place)
    assert (first.has_other_keys(place), second.has_other_keys(place)) == (False, True)
