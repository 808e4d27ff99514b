"""The REST interface of a warehouse: statements, sessions, Unity Catalog, files of volumes, errors."""

from __future__ import annotations

import json
import random
from typing import Any

import lz4.frame
import pyarrow as pa
import pytest
import requests
from databricks.sql.thrift_api.TCLIService import TCLIService, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer

from deltasql.base.errors import ServerNeedsTokenError, ServerStartError
from deltasql.warehouse import Address, running
from tests.warehouse.conftest import Connect, rows_of


class Client:
    """Calls with the token, over TLS that is checked."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.http = requests.Session()
        self.http.verify = address.certificate
        # The environment may name other authorities.
        self.http.trust_env = False
        self.http.headers["Authorization"] = f"Bearer {address.token}"

    def call(self, method: str, path: str, document: Any = None, **options: Any) -> requests.Response:
        return self.http.request(method, self.address.url + path, json=document, timeout=60, **options)

    def run(self, statement: str, **options: Any) -> Any:
        return self.call("POST", "/api/2.0/sql/statements", {"statement": statement, **options}).json()


@pytest.fixture
def client(warehouse: Address) -> Client:
    return Client(warehouse)


def test_a_statement(client: Client) -> None:
    client.run("CREATE OR REPLACE TABLE main.default.r (id INT, day DATE, at TIMESTAMP)")
    client.run(
        "INSERT INTO main.default.r VALUES (1, DATE'2020-01-02', TIMESTAMP'2020-01-02 03:04:05Z'), (2, NULL, NULL)"
    )
    answer = client.run("SELECT * FROM r ORDER BY id", catalog="main", schema="default")
    assert answer["status"] == {"state": "SUCCEEDED"}
    assert answer["result"]["data_array"] == [["1", "2020-01-02", "2020-01-02T03:04:05.000Z"], ["2", None, None]]
    columns = answer["manifest"]["schema"]["columns"]
    assert [(column["name"], column["type_name"]) for column in columns] == [
        *(("id", "INT"), ("day", "DATE"), ("at", "TIMESTAMP"))
    ]
    again = client.call("GET", f"/api/2.0/sql/statements/{answer['statement_id']}").json()
    assert again == answer


def test_a_statement_that_fails(client: Client) -> None:
    answer = client.run("SELECT * FROM missing")
    assert answer["status"]["state"] == "FAILED"
    assert answer["status"]["sql_state"] == "42P01"
    assert answer["status"]["error"]["error_code"] == "BAD_REQUEST"
    assert answer["status"]["error"]["message"].startswith("[TABLE_OR_VIEW_NOT_FOUND]")


@pytest.mark.parametrize("compression", [None, "LZ4_FRAME"])
def test_links(client: Client, compression: str | None) -> None:
    form = {"disposition": "EXTERNAL_LINKS", "format": "ARROW_STREAM", "result_compression": compression}
    answer = client.run("SELECT 1 AS a, 'x' AS b", **form)
    (link,) = answer["result"]["external_links"]
    # The link is its own key.
    data = requests.get(link["external_link"], verify=client.address.certificate, timeout=60).content
    stream = pa.ipc.open_stream(lz4.frame.decompress(data) if compression else data)
    assert stream.read_all().to_pylist() == [{"a": 1, "b": "x"}]
    client.call("DELETE", f"/api/2.0/sql/statements/{answer['statement_id']}")
    gone = requests.get(link["external_link"], verify=client.address.certificate, timeout=60)
    assert gone.status_code == 404
    csv = client.run("SELECT 1 AS a, 'x' AS b", disposition="EXTERNAL_LINKS", format="CSV")
    url = csv["result"]["external_links"][0]["external_link"]
    assert requests.get(url, verify=client.address.certificate, timeout=60).text == '"a","b"\n"1","x"\n'


def test_sessions_have_settings(client: Client) -> None:
    asked = {"warehouse_id": "w", "catalog": "main", "session_confs": {"TIMEZONE": "Asia/Tokyo"}}
    session = client.call("POST", "/api/2.0/sql/sessions", asked).json()["session_id"]
    answer = client.run("SET TIMEZONE", session_id=session)
    assert answer["result"]["data_array"] == [["TIMEZONE", "Asia/Tokyo"]]
    assert client.call("DELETE", f"/api/2.0/sql/sessions/{session}").json() == {}
    assert client.call("DELETE", f"/api/2.0/sql/sessions/{session}").status_code >= 400


def test_limits_waiting_and_closing(client: Client) -> None:
    answer = client.run("VALUES (1), (2), (3)", row_limit=2, wait_timeout="50s")
    assert answer["manifest"]["truncated"]
    assert len(answer["result"]["data_array"]) == 2
    begun = client.run("SELECT 1", wait_timeout="0s")
    assert client.call("POST", f"/api/2.0/sql/statements/{begun['statement_id']}/cancel").json() == {}
    assert client.call("GET", f"/api/2.0/sql/statements/{begun['statement_id']}/result/chunks/9").status_code == 404


def test_unity_catalog(client: Client) -> None:
    base = "/api/2.1/unity-catalog"
    assert client.call("POST", f"{base}/catalogs", {"name": "uc", "comment": "it's"}).json()["name"] == "uc"
    assert client.call("GET", f"{base}/catalogs/uc").json()["comment"] == "it's"
    assert client.call("POST", f"{base}/schemas", {"name": "s", "catalog_name": "uc"}).json()["full_name"] == "uc.s"
    client.run("CREATE TABLE uc.s.t (id INT NOT NULL COMMENT 'key', v DOUBLE) COMMENT 'rows'")
    listed = client.call("GET", f"{base}/tables", params={"catalog_name": "uc", "schema_name": "s"}).json()["tables"]
    (table,) = listed
    assert (table["full_name"], table["table_type"], table["data_source_format"]) == ("uc.s.t", "MANAGED", "DELTA")
    assert [(item["name"], item["type_name"], item["nullable"]) for item in table["columns"]] == [
        *(("id", "INT", False), ("v", "DOUBLE", True))
    ]
    volume = {"catalog_name": "uc", "schema_name": "s", "name": "v", "volume_type": "MANAGED"}
    assert client.call("POST", f"{base}/volumes", volume).json()["full_name"] == "uc.s.v"
    schemas = client.call("GET", f"{base}/schemas?catalog_name=uc").json()["schemas"]
    assert [item["name"] for item in schemas] == ["default", "s"]
    path = "/api/2.0/fs/files/Volumes/uc/s/v/a%20b.bin"
    assert client.call("PUT", path, data=b"\x00\x01").status_code == 204
    assert client.call("PUT", path, data=b"other").status_code == 409
    assert client.call("GET", path).content == b"\x00\x01"
    folder = client.call("GET", "/api/2.0/fs/directories/Volumes/uc/s/v").json()["contents"]
    assert [(item["name"], item["file_size"]) for item in folder] == [("a b.bin", 2)]
    assert client.call("DELETE", path).status_code == 204
    assert client.call("GET", path).status_code == 404
    summaries = client.call("GET", f"{base}/table-summaries", params={"catalog_name": "uc"}).json()["tables"]
    assert {"full_name": "uc.s.t", "table_type": "MANAGED"} in summaries
    missing = client.call("GET", f"{base}/tables/uc.s.missing")
    assert (missing.status_code, missing.json()["error_code"]) == (404, "NOT_FOUND")
    assert not client.call("GET", f"{base}/tables/uc.s.missing/exists").json()["table_exists"]
    assert client.call("DELETE", f"{base}/catalogs/uc?force=true").json() == {}


@pytest.mark.parametrize(
    ("method", "path", "document", "status"),
    [
        ("POST", "/api/2.0/sql/statements", {}, 400),
        ("POST", "/api/2.0/sql/statements", {"statement": "SELECT 1", "format": "PARQUET"}, 400),
        ("POST", "/api/2.0/sql/statements", {"statement": "SELECT 1", "format": "ARROW_STREAM"}, 400),
        ("POST", "/api/2.0/sql/statements", {"statement": "SELECT 1", "wait_timeout": "2s"}, 400),
        ("POST", "/api/2.0/sql/statements", {"statement": "SELECT 1", "parameters": "a"}, 400),
        ("POST", "/api/2.0/sql/statements", [1], 400),
        ("GET", "/api/2.0/sql/statements/none", None, 404),
        ("GET", "/api/2.0/sql/statements/00000000000000000000000000000000", None, 404),
        ("GET", "/api/2.1/unity-catalog/schemas", None, 400),
        ("GET", "/api/2.2/jobs/list", None, 404),
        ("GET", "/elsewhere", None, 404),
    ],
)
def test_wrong_calls(client: Client, method: str, path: str, document: Any, status: int) -> None:
    answer = client.call(method, path, document)
    assert answer.status_code == status
    assert set(answer.json()) == {"error_code", "message"}


def test_what_needs_no_token(client: Client) -> None:
    verified = {"verify": client.address.certificate, "timeout": 60}
    assert "oidc_endpoint" in requests.get(f"{client.address.url}/.well-known/databricks-config", **verified).json()
    sent = requests.post(f"{client.address.url}/telemetry-unauth", json={"protoLogs": ["{}"]}, **verified)
    assert sent.json()["numProtoSuccess"] == 1


@pytest.mark.parametrize("given", [None, "Bearer wrong", "Basic dG9rZW46d3Jvbmc=", "Basic ?", "Bearer", "Other x"])
@pytest.mark.parametrize("path", ["/api/2.0/sql/warehouses", "/sql/1.0/warehouses/x"])
def test_the_token(client: Client, given: str | None, path: str) -> None:
    headers = {} if given is None else {"Authorization": given}
    answer = requests.get(client.address.url + path, headers=headers, verify=client.address.certificate, timeout=60)
    assert (answer.status_code, answer.json()["error_code"]) == (401, "UNAUTHENTICATED")
    assert client.address.token not in answer.text


def test_the_token_as_a_password(client: Client) -> None:
    answer = requests.get(
        f"{client.address.url}/api/2.0/sql/warehouses",
        auth=("token", client.address.token),
        verify=client.address.certificate,
        timeout=60,
    )
    assert answer.json()["warehouses"][0]["state"] == "RUNNING"


def test_bytes_that_are_no_call(client: Client, connect: Connect) -> None:
    """Random bytes, and calls with some bytes changed, get an answer, and leave the server as it was."""
    chance = random.Random(7)
    call = TMemoryBuffer()
    request = ttypes.TExecuteStatementReq(
        sessionHandle=ttypes.TSessionHandle(ttypes.THandleIdentifier(b"g" * 16, b"s" * 16)), statement="SELECT 1"
    )
    TCLIService.Client(TBinaryProtocol(call)).send_ExecuteStatement(request)
    good = call.getvalue()
    bodies = [bytes(chance.randbytes(chance.randrange(200))) for _ in range(100)]
    for _ in range(200):
        changed = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        bodies.append(bytes(changed[: chance.randrange(1, len(changed) + 1)]))
    for body in bodies:
        answer = client.call(
            "POST", "/sql/1.0/warehouses/x", data=body, headers={"Content-Type": "application/x-thrift"}
        )
        assert answer.status_code == 200
    for _ in range(100):
        text = json.dumps({"statement": "SELECT 1", "parameters": [{"name": "a"}]})
        cut = text[: chance.randrange(len(text))] + chance.choice(["", "}", "\x00", "[" * 10000])
        assert client.call("POST", "/api/2.0/sql/statements", data=cut.encode()).status_code < 500
    assert rows_of(connect(), "SELECT 1") == [(1,)]


def test_where_it_may_listen(tmp_path: Any) -> None:
    with pytest.raises(ServerNeedsTokenError), running(tmp_path, {}, host="0.0.0.0"):
        pass
    with pytest.raises(ServerNeedsTokenError), running(tmp_path, {}, host="0.0.0.0", token="t", plain=True):
        pass
    missing = (str(tmp_path / "c.pem"), str(tmp_path / "k.pem"))
    with pytest.raises(ServerStartError, match="cannot be read"), running(tmp_path, {}, tls=missing):
        pass
    with (
        running(tmp_path, {}, plain=True) as address,
        pytest.raises(ServerStartError),
        running(tmp_path, {}, plain=True, port=address.port),
    ):
        pass


def test_the_certificate_is_kept(tmp_path: Any) -> None:
    home = {"HOME": str(tmp_path)}
    with running(tmp_path / "w", home) as first:
        pass
    with running(tmp_path / "w", home) as second:
        assert second.certificate == first.certificate
        assert second.token != first.token
        assert requests.get(f"{second.url}/x", verify=second.certificate, timeout=60).status_code == 401
    key = next(tmp_path.rglob("key.pem"))
    assert key.stat().st_mode & 0o077 == 0
    assert second.environment["DATABRICKS_TOKEN"] == second.token
    assert second.token not in repr(second)
