"""Servers of object stores for the tests of this folder.

`s3` is the server at DELTASQL_TEST_S3, or moto, which is started; `azure` is the one at DELTASQL_TEST_AZURE, such as
Azurite. `DELTASQL_STORES=full` makes the races as large as they are meant to be.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from email.utils import formatdate
from importlib.util import find_spec
from uuid import uuid4

import pytest

from deltasql.log.storage import stores
from deltasql.log.storage.stores import Stores
from tests.stores.moto_server import DIRECT, serving
from tests.stores.proxy import Proxy, Rule
from tests.stores.tiny_s3 import TinyS3, Truth

FULL = os.environ.get("DELTASQL_STORES") == "full"

_AZURE_ACCOUNT = "devstoreaccount1"
# Every emulator of this storage has the same well-known key.
_AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@dataclass(frozen=True)
class Store:
    """A bucket of one test. `environment` is what a process needs to write there."""

    endpoint: str
    root: str
    environment: dict[str, str]

    def url(self, name: str) -> str:
        """The location of a table."""
        return f"{self.root}/{name}"


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """A server that speaks S3, for the whole session."""
    given = os.environ.get("DELTASQL_TEST_S3")
    if given:
        yield given.rstrip("/")
        return
    if find_spec("moto") is None or find_spec("flask_cors") is None:
        pytest.skip("neither is moto with its server installed (it is in the extra 'test') nor DELTASQL_TEST_S3 set")
    with ExitStack() as stack:
        try:
            endpoint = stack.enter_context(serving())
        except ChildProcessError as error:
            pytest.skip(str(error))
        yield endpoint


@pytest.fixture
def s3(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A new bucket on the server."""
    bucket = f"deltasql-{uuid4().hex[:12]}"
    store = entered(s3_endpoint, bucket, monkeypatch)
    try:
        with DIRECT.open(urllib.request.Request(f"{s3_endpoint}/{bucket}", method="PUT"), timeout=300):
            pass
    except urllib.error.HTTPError as error:
        if error.code != 403:
            raise
        # A server that looks at signatures. What makes them comes with moto.
        boto3 = pytest.importorskip("boto3")
        boto3.client("s3", endpoint_url=s3_endpoint).create_bucket(Bucket=bucket)
    return store


@pytest.fixture
def proxied(s3: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Proxy]]:
    """Puts a proxy before the server of `s3`, through which all that is opened from now on goes."""
    with ExitStack() as stack:

        def put_between(rule: Rule | None = None) -> Proxy:
            proxy = stack.enter_context(Proxy(s3.endpoint) if rule is None else Proxy(s3.endpoint, rule))
            s3.environment["AWS_ENDPOINT_URL"] = proxy.endpoint
            monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
            # A bucket is opened once.
            monkeypatch.setattr(stores, "_OF_ENVIRONMENT", Stores())
            return proxy

        yield put_between


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Truth], tuple[TinyS3, Store]]]:
    """A server in this process that keeps its word, or does not."""
    with ExitStack() as stack:

        def started(truth: Truth) -> tuple[TinyS3, Store]:
            server = stack.enter_context(TinyS3(truth))
            return server, entered(server.endpoint, f"tiny-{uuid4().hex[:12]}", monkeypatch)

        yield started


@pytest.fixture
def azure(monkeypatch: pytest.MonkeyPatch) -> Store:
    """A new container of an emulator of Azure's storage."""
    endpoint = os.environ.get("DELTASQL_TEST_AZURE", "").rstrip("/")
    if not endpoint:
        pytest.skip("DELTASQL_TEST_AZURE does not name an emulator, such as http://127.0.0.1:10000 of azurite-blob")
    container = f"deltasql-{uuid4().hex[:12]}"
    _make_container(endpoint, container)
    environment = {
        "AZURE_STORAGE_ACCOUNT_NAME": _AZURE_ACCOUNT,
        "AZURE_STORAGE_ACCOUNT_KEY": _AZURE_KEY,
        "AZURE_STORAGE_ENDPOINT": f"{endpoint}/{_AZURE_ACCOUNT}",
        "AZURE_ALLOW_HTTP": "true",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Store(endpoint, f"az://{container}", environment)


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No store has been asked yet, and no proxy of the machine is in the way."""
    monkeypatch.setattr(stores, "_findings", {})
    monkeypatch.setattr(stores, "_OF_ENVIRONMENT", Stores())
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def entered(endpoint: str, bucket: str, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A bucket of a server, to which the environment leads from now on."""
    environment = {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": os.environ.get("AWS_ACCESS_KEY_ID", "test"),
        "AWS_SECRET_ACCESS_KEY": os.environ.get("AWS_SECRET_ACCESS_KEY", "test"),
        "AWS_REGION": os.environ.get("AWS_REGION", "us-east-1"),
        "AWS_ALLOW_HTTP": "true",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Store(endpoint, f"s3://{bucket}", environment)


def _make_container(endpoint: str, container: str) -> None:
    """Signed by hand: the library for tables makes none. Source: Azure Storage, Authorize with Shared Key."""
    path = f"/{_AZURE_ACCOUNT}/{container}"
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    canonical = "".join(f"{name}:{value}\n" for name, value in sorted(headers.items()))
    text = f"PUT{chr(10) * 12}{canonical}/{_AZURE_ACCOUNT}{path}\nrestype:container"
    digest = hmac.new(base64.b64decode(_AZURE_KEY), text.encode(), hashlib.sha256).digest()
    headers["Authorization"] = f"SharedKey {_AZURE_ACCOUNT}:{base64.b64encode(digest).decode()}"
    url = f"{endpoint}{path}?restype=container"
    with DIRECT.open(urllib.request.Request(url, method="PUT", headers=headers), timeout=300):
        pass
