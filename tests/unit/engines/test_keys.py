"""Two sessions of one process, and a Spark that keeps the keys of the first."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from deltasql.base.errors import LentCredentialsError, OtherCredentialsError
from deltasql.base.session_settings import IO_MODE
from deltasql.engines.choice import moved_in_process
from deltasql.engines.spark.reading.scans import lent_options
from deltasql.engines.spark.session import spark as spark_module
from deltasql.engines.spark.session.spark import SPARK, SparkHandle
from deltasql.files.thresholds import STORE_BYTES
from deltasql.log.storage.stores import Stores

TABLE = "s3://bucket/t"


class Context:
    """The part of a Spark that its sessions share."""


class Conf(dict[str, str]):
    """The settings of a Spark that runs."""

    def __init__(self) -> None:
        super().__init__()
        self.context = Context()

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
    spark: Any = SimpleNamespace(conf=conf, sparkContext=conf.context)
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
    second.settings.set(IO_MODE.name, "EXECUTORS")
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


class OfOneTable:
    """Credentials that somebody lends for one table."""

    name = "lent"

    def __init__(self, **options: str) -> None:
        self._options = options

    def options(self, *, unattended: bool = False) -> tuple[Mapping[str, str], None]:
        return {**self._options, "aws_session_token": "token-of-executors" if unattended else "token"}, None


def lent_to(handle: SparkHandle, place: str, **options: str) -> SparkHandle:
    """The handle, whose files below a place are reached with lent credentials."""
    handle.stores.lender = lambda location: OfOneTable(**options) if location.startswith(place) else None
    return handle


def test_lent_keys_go_with_each_reader(conf: Conf) -> None:
    given = {"aws_access_key_id": "lent", "aws_secret_access_key": "secret of the table"}
    more = {"aws_endpoint": "http://localhost:1", "aws_session_token": "session's", "aws_region": "eu-west-1"}
    handle = lent_to(session(conf, "own", **more), TABLE, **given)
    # This process can renew them, which executors cannot.
    assert moved_in_process(handle, TABLE, STORE_BYTES + 1)
    handle.settings.set(IO_MODE.name, "EXECUTORS")
    assert not moved_in_process(handle, TABLE, 0)
    assert handle.hadoop_location(f"{TABLE}/f") == "s3a://bucket/t/f"
    assert conf["fs.s3a.bucket.bucket.access.key"] == "own"
    assert handle.lent_options(f"{TABLE}/f") == {
        "fs.s3a.bucket.bucket.access.key": "lent",
        "fs.s3a.bucket.bucket.secret.key": "secret of the table",
        "fs.s3a.bucket.bucket.session.token": "token-of-executors",
        "fs.s3a.bucket.bucket.aws.credentials.provider": "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider",
        "fs.s3a.bucket.bucket.endpoint": "http://localhost:1",
        "fs.s3a.bucket.bucket.endpoint.region": "eu-west-1",
        "fs.s3a.bucket.bucket.path.style.access": "true",
        "fs.s3a.bucket.bucket.connection.ssl.enabled": "false",
        "fs.s3a.impl.disable.cache": "true",
    }
    assert handle.lent_options("s3://bucket/other") == {}
    assert handle.lent_options("/local/t") == {}


def test_lent_keys_that_executors_cannot_use(conf: Conf, monkeypatch: pytest.MonkeyPatch) -> None:
    azure = "abfss://c@account.dfs.core.windows.net/t"
    shared_token = lent_to(session(conf, ""), azure, azure_storage_sas_key="sas-of-the-table")
    on_server = lent_to(session(conf, "own"), TABLE, aws_access_key_id="lent", aws_secret_access_key="secret of it")
    for handle, place in ((shared_token, azure), (on_server, TABLE)):
        handle.settings.set(IO_MODE.name, "EXECUTORS")
        with monkeypatch.context() as patch:
            patch.setattr(SparkHandle, "remote", property(lambda handle: handle is on_server))
            patch.setattr(SparkHandle, "capabilities", SPARK)
            with pytest.raises(LentCredentialsError, match=r"deltasql.io.mode = AUTO") as caught:
                moved_in_process(handle, place, 0)
            handle.settings.set(IO_MODE.name, "AUTO")
            assert moved_in_process(handle, place, STORE_BYTES + 1)
        assert caught.value.condition == "DELTASQL_LENT_CREDENTIALS"
        assert "secret" not in str(caught.value)
        assert "sas-of" not in str(caught.value)


def test_files_of_another_table_have_other_keys(conf: Conf) -> None:
    handle = lent_to(session(conf, "own"), TABLE, aws_access_key_id="lent", aws_secret_access_key="secret of it")
    assert lent_options(handle, TABLE, [f"{TABLE}/a", f"{TABLE}/p=1/b"])["fs.s3a.impl.disable.cache"] == "true"
    with pytest.raises(LentCredentialsError, match="a clone with files of another table"):
        lent_options(handle, TABLE, [f"{TABLE}/a", "s3://bucket/t2/b"])
