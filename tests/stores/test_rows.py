"""Rows of tables in S3, moved by the driver: what statements come to, how stores are named, whose keys reach them."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.clients.golden import run_file
from deltasql.files.result import Result
from deltasql.log.storage.stores import Stores, long_names
from tests.stores.conftest import Store

pytestmark = pytest.mark.spark

os.environ.setdefault("DELTASQL_MASTER", "local[2]")

GOLDEN = Path(__file__).parents[1] / "golden"
FAMILIES = (
    *("insert/partition_names", "insert/replace_where", "update/update", "merge/except", "delete/recursive"),
    *("columns/identity", "columns/type_widening", "table/create_table_as", "properties/row_tracking"),
    *("query/table_changes", "optimize/optimize", "restore/restore", "vacuum/vacuum", "fsck/fsck", "upkeep/upkeep"),
    *("constraints/add_constraint", "features/drop_feature", "inspect/describe_detail", "routine/execute_immediate"),
    *("view/meaning", "clone/rows", "copy_into/copy_into", "generate/generate", "script/control_flow"),
    *("transaction/begin_atomic", "tags/set_tags"),
)
"""A golden file of each family with rows; that of `settings` is about no table."""


class Mirrored(Session):
    """A session whose warehouse is in S3, for a runner of golden files that looks for logs in a local folder.

    Commits are copied there after each statement.
    """

    def __init__(self, url: str, folder: str) -> None:
        super().__init__(url)
        self.url, self.folder = url, folder
        self.copied: dict[str, Any] = {}
        super().sql("SET deltasql.io.mode = DRIVER")
        # In a store VACUUM makes no versions unless it is told to.
        super().sql("SET spark.databricks.delta.vacuum.logging.enabled = true")

    def sql(self, text: str, args: Any = None) -> Result:
        if text.startswith("INSERT OVERWRITE DIRECTORY"):
            # Spark, which has no way to the bucket here, writes files of its own.
            return self.uploaded(super().sql(text, args))
        try:
            return super().sql(text.replace(self.folder, self.url), args)
        finally:
            if not re.match(r"(?:RE)?SET (?!TAG)", text):
                self.copy()

    def uploaded(self, done: Result) -> Result:
        """`done`, with all files of the folder that are no logs in the bucket."""
        store = Stores().open(self.url)
        for path in sorted(Path(self.folder).rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and not path.name.startswith((".", "_")) and "_delta_log" not in name:
                store.put_if_absent(name, path.read_bytes())
        return done

    def copy(self) -> None:
        store = Stores().open(self.url)
        found = {
            entry.path: entry
            for entry in store.list_below("")
            if "/_delta_log/" in entry.path and entry.path.endswith(".json")
        }
        for gone in self.copied.keys() - found.keys():
            Path(self.folder, gone).unlink()
        for path, entry in found.items():
            if self.copied.get(path) != entry:
                copy = Path(self.folder, path)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.unlink(missing_ok=True)
                copy.write_bytes(store.read(path))
                os.utime(copy, (entry.modified / 1000, entry.modified / 1000))
        self.copied = found


@pytest.mark.parametrize("family", FAMILIES)
def test_statements_come_to_what_they_do_on_a_disk(s3: Store, family: str) -> None:
    outcome = run_file(GOLDEN / f"{family}.sql", lambda folder: Mirrored(s3.url("wh"), folder))
    assert not outcome.defects, "\n".join(outcome.defects)
    told = outcome.actual.replace(s3.url("wh"), "$WAREHOUSE")
    assert _of_any_store(told) == _of_any_store(outcome.expected or "")


_FILES = r"\\n== Files ==.*?(?=\\n== |$)"


def _of_any_store(told: str) -> str:
    """Without what differs in a bucket: a plan says who moves the files, and there are no folders to look into."""
    return re.sub(r"(?<=numVacuumedDirectories)( -> |=)\d+", "", re.sub(_FILES, "", told, flags=re.MULTILINE))


@pytest.fixture
def session(s3: Store) -> Iterator[Session]:
    with connect(s3.url("wh")) as opened:
        opened.sql("SET deltasql.io.mode = DRIVER")
        yield opened
        opened.sql("RESET")


def test_a_store_by_its_other_names_has_the_same_tables(s3: Store, session: Session) -> None:
    place = s3.url("t").removeprefix("s3://")
    session.sql(f"CREATE TABLE t (a INT) LOCATION 's3a://{place}/'")
    for number, scheme in enumerate(("s3", "s3a", "S3A", "s3n")):
        session.sql(f"INSERT INTO delta.`{scheme}://{place}` SELECT {number} FROM range(1)")
    session.sql(f"UPDATE delta.`S3://{place}/` SET a = 10 WHERE a = 0")
    for name in ("t", f"delta.`s3://{place}`", f"delta.`S3A://{place}`"):
        assert session.sql(
            f"SELECT a, _metadata.file_path LIKE 's3a://{place}/%' FROM {name} ORDER BY a"
        ).collect() == [
            (1, True),
            (2, True),
            (3, True),
            (10, True),
        ]
    assert session.sql("DESCRIBE DETAIL t").collect()[0].location == s3.url("t")


def in_options(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        "aws_access_key_id": environment["AWS_ACCESS_KEY_ID"],
        "AWS_SECRET_ACCESS_KEY": environment["AWS_SECRET_ACCESS_KEY"],
        "endpoint": environment["AWS_ENDPOINT_URL"],
        "region": environment["AWS_REGION"],
        "allow_http": "true",
    }


def in_hadoop(environment: Mapping[str, str], bucket: str) -> dict[str, str]:
    return {
        "spark.hadoop.fs.s3a.access.key": environment["AWS_ACCESS_KEY_ID"],
        f"spark.hadoop.fs.s3a.bucket.{bucket}.secret.key": environment["AWS_SECRET_ACCESS_KEY"],
        "spark.hadoop.fs.s3a.endpoint": environment["AWS_ENDPOINT_URL"],
        "spark.hadoop.fs.s3a.endpoint.region": environment["AWS_REGION"],
    }


@pytest.fixture
def without_environment(s3: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in s3.environment:
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("without_environment")
def test_credentials_in_options(s3: Store) -> None:
    with connect(s3.url("wh"), storage_options=in_options(s3.environment)) as session:
        works(session)


@pytest.mark.usefixtures("without_environment")
def test_credentials_of_a_session_that_is_handed_in(s3: Store) -> None:
    with connect("memory:any") as own:
        spark = own.sql("SELECT 1").df.sparkSession.newSession()
    for key, value in in_hadoop(s3.environment, s3.root.removeprefix("s3://")).items():
        spark.conf.set(key, value)
    with connect(s3.url("wh"), spark=spark) as session:
        works(session)


def works(session: Session) -> None:
    session.sql("SET deltasql.io.mode = DRIVER")
    session.sql("CREATE TABLE t AS SELECT id FROM range(3)")
    session.sql("DELETE FROM t WHERE id = 1")
    assert sorted(session.sql("SELECT * FROM t").collect()) == [(0,), (2,)]
    session.sql("RESET")


SECRETS = ("AKIDSHOWMENOT", "sEcReTsHoWmEnOt/+x", "tOkEnShOwMeNoT")
STATEMENTS = (
    "CREATE TABLE t (a INT, b STRING) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
    "INSERT INTO t SELECT id, 'x' FROM range(5)",
    "UPDATE t SET b = 'y' WHERE a = 1",
    "MERGE INTO t USING (SELECT 2 AS a) s ON t.a = s.a WHEN MATCHED THEN DELETE",
    "OPTIMIZE t",
    "SELECT * FROM t",
    "EXPLAIN SELECT * FROM t",
    "EXPLAIN DELETE FROM t WHERE a = 3",
    "DESCRIBE HISTORY t",
    "DESCRIBE DETAIL t",
    "DESCRIBE EXTENDED t",
    "SHOW CREATE TABLE t",
    "SHOW TBLPROPERTIES t",
    "SET",
    "SET -v",
    "VACUUM t",
    "SELECT missing FROM t",
    "SELECT a / 0 FROM t",
    "INSERT INTO t SELECT 'x', 'y' FROM range(1)",
    "SELECT * FROM delta.`s3://no-such-bucket/t`",
    "CREATE TABLE u (a INT) LOCATION 'hdfs://x/y'",
)


@pytest.mark.usefixtures("without_environment")
def test_keys_are_told_nowhere(s3: Store, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither in what statements give, nor in errors with their tracebacks, logs and objects."""
    caplog.set_level("DEBUG", "deltasql")
    caplog.set_level("INFO")
    keys = dict(zip(("aws_access_key_id", "aws_secret_access_key", "aws_session_token"), SECRETS, strict=True))
    told: list[str] = []
    with connect(s3.url("wh"), storage_options={**long_names(in_options(s3.environment)), **keys}) as session:
        try:
            session.sql("SET deltasql.io.mode = DRIVER")
            told += (outcome(session, text) for text in STATEMENTS[:2])
        except DeltaSqlError:
            pytest.skip("this server looks at signatures")
        # As executors would be told.
        assert session._engine.spark.hadoop_location(s3.url("wh")).startswith("s3a://")
        told += (outcome(session, text) for text in STATEMENTS[2:])
        spark = session.sql("SELECT 1").df.sparkSession
        told += (repr(spark.sql(text).collect()) for text in ("SET", "SET -v"))
        things = (session, session.stores, session.catalog, session.settings, session.log("t"), session.log("t").store)
        told += (repr(item) for item in things)
        store = session.stores.open(s3.url("wh"))
        objects = [store.read(entry.path) for entry in store.list_below("")]
    told += [caplog.text, *capfd.readouterr()]
    assert len(objects) > 10
    for secret in SECRETS:
        assert [text for text in told if secret in text] == []
        assert [data for data in objects if secret.encode() in data] == []


def outcome(session: Session, text: str) -> str:
    try:
        result = session.sql(text)
        return repr(result.collect()) + repr(result) + repr(result.metrics)
    except DeltaSqlError as error:
        return repr(error) + "".join(traceback.format_exception(error))
