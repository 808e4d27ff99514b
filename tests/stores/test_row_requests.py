"""What statements about rows cost on an object store: the requests of each, as docs/object-stores.md has them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from deltasql import Session, connect
from tests.stores.conftest import Store
from tests.stores.proxy import Proxy, Request

pytestmark = pytest.mark.spark

os.environ.setdefault("DELTASQL_MASTER", "local[2]")

FILES = 100
LOOK = {"GET catalog": 1, "LIST log": 1, "HEAD log": 1}
"""What is at the name, and whether the table is as it was."""
COMMIT = {"HEAD log": 1, "PUT log": 2, "GET log": 1}
FILE_LIST = {"GET log": 1}
"""The checkpoint, which the session has not needed until then."""


@pytest.fixture
def proxy(s3: Store, proxied: Callable[..., Proxy]) -> Proxy:
    """A table of 100 files, behind a checkpoint, each with 10 numbers; nobody has asked for it through the proxy."""
    with opened(s3) as session:
        session.sql(
            "CREATE TABLE t (a INT, b STRING, p INT) PARTITIONED BY (p) "
            "TBLPROPERTIES ('delta.checkpointInterval' = '3')"
        )
        session.sql(f"INSERT INTO t SELECT id, 'x', id DIV 10 FROM range(0, {10 * FILES}, 1, 1)")
        session.sql("ALTER TABLE t SET TBLPROPERTIES ('note' = 'x')")
        session.sql("ALTER TABLE t SET TBLPROPERTIES ('note' = 'y')")
        assert session.sql("SELECT count(*) FROM t").collect() == [(10 * FILES,)]
    return proxied()


def opened(s3: Store) -> Session:
    session = connect(s3.url("wh"))
    session.sql("SET deltasql.io.mode = DRIVER")
    return session


@pytest.fixture
def session(s3: Store, proxy: Proxy) -> Iterator[Session]:
    """Has seen the table."""
    with opened(s3) as session:
        session.sql("INSERT INTO t VALUES (-1, 'x', -1)")
        proxy.requests()
        yield session


def cost(proxy: Proxy) -> dict[str, int]:
    """How often was asked what, since the last call, of what kind of object."""
    return dict(Counter(map(kind, proxy.requests())))


def together(*parts: dict[str, int]) -> dict[str, int]:
    return dict(sum(map(Counter, parts), Counter()))


def kind(request: Request) -> str:
    method, path, query, *_ = request
    if "list-type" in query:
        prefix = re.search(r"prefix=([^&]*)", query)
        return f"LIST {'log' if prefix and '_delta_log' in prefix[1] else 'files'}"
    if "/_catalog.d" in path:
        return f"{method} catalog"
    return f"{method} {'log' if '/_delta_log/' in path else 'data'}"


def test_an_insert(session: Session, proxy: Proxy) -> None:
    session.sql("INSERT INTO t SELECT id, 'x', 5 FROM range(0, 3, 1, 1)")
    assert cost(proxy) == together(LOOK, {"PUT data": 1}, COMMIT)


def test_an_update_of_one_file(session: Session, proxy: Proxy) -> None:
    session.sql("UPDATE t SET b = 'y' WHERE a = 55")
    assert cost(proxy) == together(LOOK, FILE_LIST, {"GET data": 1, "PUT data": 1}, COMMIT)


def test_a_merge_of_three_files(session: Session, proxy: Proxy) -> None:
    session.sql(
        "MERGE INTO t USING (SELECT * FROM VALUES (5), (105), (999) AS v(a)) s ON t.a = s.a AND t.p IN (0, 10, 99) "
        "WHEN MATCHED THEN UPDATE SET b = 'm'"
    )
    assert cost(proxy) == together(LOOK, FILE_LIST, {"GET data": 3, "PUT data": 3}, COMMIT)


def test_a_query_of_one_file(session: Session, proxy: Proxy) -> None:
    assert len(session.sql("SELECT * FROM t WHERE p = 7").collect()) == 10
    assert cost(proxy) == together(LOOK, FILE_LIST, {"GET data": 1})


def test_the_first_query_of_a_session(s3: Store, proxy: Proxy) -> None:
    with opened(s3) as session:
        assert len(session.sql("SELECT * FROM t WHERE a = 7").collect()) == 1
    assert cost(proxy) == {"GET catalog": 1, "LIST log": 1, "GET log": 3, "GET data": 1}
