"""databricks-sdk against a warehouse: statements, lists of Unity Catalog, files of volumes, the user, errors."""

from __future__ import annotations

import io
import time
from typing import Any

import pyarrow as pa
import pytest
import requests

from deltasql.warehouse import Address

sdk = pytest.importorskip("databricks.sdk")
errors = pytest.importorskip("databricks.sdk.errors")
sql = pytest.importorskip("databricks.sdk.service.sql")
catalog = pytest.importorskip("databricks.sdk.service.catalog")

WAREHOUSE = "deltasql"


@pytest.fixture
def client(warehouse: Address, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in warehouse.environment.items():
        monkeypatch.setenv(name, value)
    return sdk.WorkspaceClient()


def run(client: Any, statement: str, **options: Any) -> Any:
    answer = client.statement_execution.execute_statement(statement, WAREHOUSE, **options)
    while answer.status.state in {sql.StatementState.PENDING, sql.StatementState.RUNNING}:
        time.sleep(0.2)
        answer = client.statement_execution.get_statement(answer.statement_id)
    assert answer.status.state is sql.StatementState.SUCCEEDED, answer.status
    return answer


def test_statements(client: Any) -> None:
    run(client, "CREATE OR REPLACE TABLE main.default.sdk (id INT, name STRING)")
    run(client, "INSERT INTO main.default.sdk VALUES (1, 'a'), (2, NULL)")
    answer = run(client, "SELECT * FROM sdk ORDER BY id", catalog="main", schema="default")
    assert answer.result.data_array == [["1", "a"], ["2", None]]
    assert [(column.name, column.type_name.value) for column in answer.manifest.schema.columns] == [
        *(("id", "INT"), ("name", "STRING"))
    ]
    again = client.statement_execution.get_statement(answer.statement_id)
    assert again.result.data_array == answer.result.data_array
    chunk = client.statement_execution.get_statement_result_chunk_n(answer.statement_id, 0)
    assert chunk.row_count == 2
    client.statement_execution.cancel_execution(answer.statement_id)


@pytest.mark.spark
def test_parameters(client: Any) -> None:
    item = sql.StatementParameterListItem
    given = [item("n", type="INT", value="3"), item("t", value="it's"), item("nothing", type="DATE")]
    answer = run(client, "SELECT :n AS n, :t AS t, :nothing AS nothing", parameters=given)
    assert answer.result.data_array == [["3", "it's", None]]


def test_a_statement_that_fails(client: Any) -> None:
    answer = client.statement_execution.execute_statement("SELECT * FROM missing", WAREHOUSE)
    assert answer.status.state is sql.StatementState.FAILED
    assert answer.status.error.error_code is sql.ServiceErrorCode.BAD_REQUEST
    assert answer.status.error.message.startswith("[TABLE_OR_VIEW_NOT_FOUND]")
    with pytest.raises(errors.NotFound):
        client.statement_execution.get_statement("0" * 32)


def test_links(client: Any, warehouse: Address) -> None:
    answer = run(client, "SELECT 1 AS a", disposition=sql.Disposition.EXTERNAL_LINKS, format=sql.Format.ARROW_STREAM)
    (link,) = answer.result.external_links
    data = requests.get(link.external_link, verify=warehouse.certificate, timeout=60).content
    assert pa.ipc.open_stream(data).read_all().to_pylist() == [{"a": 1}]


def test_catalogs_and_schemas(client: Any) -> None:
    assert client.catalogs.create("sdk", comment="of a test").name == "sdk"
    assert client.catalogs.get("sdk").comment == "of a test"
    assert "sdk" in [item.name for item in client.catalogs.list()]
    assert client.schemas.create("s", "sdk").full_name == "sdk.s"
    assert client.schemas.get("sdk.s").name == "s"
    assert [item.name for item in client.schemas.list("sdk")] == ["default", "s"]
    client.schemas.delete("sdk.s", force=True)
    client.catalogs.delete("sdk", force=True)
    with pytest.raises(errors.NotFound):
        client.catalogs.get("sdk")


def test_tables(client: Any) -> None:
    run(client, "CREATE SCHEMA IF NOT EXISTS main.listed")
    run(client, "CREATE OR REPLACE TABLE main.listed.t (id INT NOT NULL COMMENT 'key') COMMENT 'rows'")
    run(client, "CREATE OR REPLACE VIEW main.listed.v (id) AS SELECT 1 AS id")
    found = client.tables.get("main.listed.t")
    assert (found.table_type, found.data_source_format) == (catalog.TableType.MANAGED, catalog.DataSourceFormat.DELTA)
    assert [(item.name, item.type_name, item.comment) for item in found.columns] == [
        ("id", catalog.ColumnTypeName.INT, "key")
    ]
    listed = {item.name: item.table_type for item in client.tables.list("main", "listed")}
    assert listed == {"t": catalog.TableType.MANAGED, "v": catalog.TableType.VIEW}
    summaries = client.tables.list_summaries("main", schema_name_pattern="listed")
    assert "main.listed.t" in [item.full_name for item in summaries]
    assert client.tables.exists("main.listed.t").table_exists
    client.tables.delete("main.listed.t")
    assert not client.tables.exists("main.listed.t").table_exists
    with pytest.raises(errors.NotFound):
        client.tables.get("main.listed.t")


def test_files_of_volumes(client: Any) -> None:
    made = client.volumes.create("main", "default", "sdk_files", catalog.VolumeType.MANAGED)
    assert made.full_name == "main.default.sdk_files"
    assert client.volumes.read("main.default.sdk_files").volume_type is catalog.VolumeType.MANAGED
    assert "sdk_files" in [item.name for item in client.volumes.list("main", "default")]
    path = "/Volumes/main/default/sdk_files/a b.txt"
    client.files.upload(path, io.BytesIO(b"hello"))
    with pytest.raises(errors.AlreadyExists):
        client.files.upload(path, io.BytesIO(b"other"), overwrite=False)
    client.files.upload(path, io.BytesIO(b"again"), overwrite=True)
    assert client.files.get_metadata(path).content_length == 5
    assert client.files.download(path).contents.read() == b"again"
    listed = client.files.list_directory_contents("/Volumes/main/default/sdk_files")
    assert [(item.name, item.file_size, item.is_directory) for item in listed] == [("a b.txt", 5, False)]
    client.files.delete(path)
    with pytest.raises(errors.NotFound):
        client.files.download(path)
    client.volumes.delete("main.default.sdk_files")


@pytest.mark.spark
def test_functions(client: Any) -> None:
    """Spark checks the type of a function's result."""
    run(client, "CREATE OR REPLACE FUNCTION main.default.sdk_twice(x INT) RETURNS INT RETURN x * 2")
    assert "sdk_twice" in [item.name for item in client.functions.list("main", "default")]


@pytest.mark.spark
def test_the_warehouse_and_the_user(client: Any) -> None:
    assert [item.id for item in client.warehouses.list()] == [WAREHOUSE]
    assert client.warehouses.get(WAREHOUSE).state is sql.State.RUNNING
    assert client.current_user.me().user_name
    assert client.metastores.summary().name


def test_a_wrong_token(warehouse: Address, client: Any) -> None:
    other = sdk.WorkspaceClient(host=warehouse.url, token="wrong")
    with pytest.raises(errors.Unauthenticated):
        list(other.catalogs.list())
