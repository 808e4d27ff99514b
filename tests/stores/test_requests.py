"""What the log costs on an object store: the requests of each operation, as docs/object-stores.md has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from tests.stores.conftest import Store
from tests.stores.proxy import Proxy
from tests.stores.tables import append, appended, create

Proxied = Callable[..., Proxy]


@pytest.fixture
def told(s3: Store, proxied: Proxied) -> Callable[[], list[str]]:
    """The requests since the last call, as `PUT name`; a listing is LIST alone."""
    create(s3.url("t"), 12)
    proxy = proxied()

    def requests() -> list[str]:
        seen = proxy.requests()
        return [
            "LIST" if "list-type" in item.query else f"{item.method} {item.path.partition('/t/_delta_log/')[2]}".strip()
            for item in seen
        ]

    return requests


def version(number: int, kind: str = "json") -> str:
    return f"{number:020d}.{kind}"


def test_a_table_is_opened_behind_its_checkpoint(s3: Store, told: Callable[[], list[str]]) -> None:
    snapshot = DeltaLog(s3.url("t"), "main.t").snapshot()
    assert snapshot.metadata.id == "the-id"
    assert told() == ["GET _last_checkpoint", "LIST", f"GET {version(12, 'crc')}"]
    assert snapshot.num_files == 12
    assert told() == []
    assert len(snapshot.files(["path", "size"])) == 12
    # The commits after the checkpoint, in any order, and the checkpoint with one request.
    assert sorted(told()) == sorted(
        [f"GET {version(11)}", f"GET {version(12)}", f"GET {version(10, 'checkpoint.parquet')}"]
    )
    assert len(snapshot.files(["path", "stats"])) == 12
    assert told() == []


def test_what_is_known_is_not_read_again(s3: Store, told: Callable[[], list[str]]) -> None:
    log = DeltaLog(s3.url("t"), "main.t")
    log.snapshot()
    told()
    log.snapshot()
    assert told() == ["LIST", f"HEAD {version(12)}"]


def test_a_commit(s3: Store, told: Callable[[], list[str]]) -> None:
    log = DeltaLog(s3.url("t"), "main.t")
    append(log, "f13")
    told()
    append(log, "f14")
    assert told() == [
        *("LIST", f"HEAD {version(13)}", f"HEAD {version(13)}"),
        *(f"PUT {version(14)}", f"GET {version(14)}", f"PUT {version(14, 'crc')}"),
    ]


def test_a_lost_race(s3: Store, told: Callable[[], list[str]]) -> None:
    log = DeltaLog(s3.url("t"), "main.t")
    append(log, "f13")
    late = Transaction(log, log.snapshot())
    append(DeltaLog(s3.url("t"), "main.t"), "f14")
    told()
    assert appended(late, "f15").version == 15
    assert told() == [
        *(f"HEAD {version(13)}", f"PUT {version(14)}", "LIST", f"GET {version(14)}"),
        *(f"PUT {version(15)}", f"GET {version(15)}", f"PUT {version(15, 'crc')}"),
    ]


def test_a_commit_with_a_checkpoint(s3: Store, told: Callable[[], list[str]]) -> None:
    log = DeltaLog(s3.url("t"), "main.t")
    for number in range(13, 20):
        append(log, f"f{number}")
    told()
    append(log, "f20")
    requests = told()
    assert requests[:6] == [
        *("LIST", f"HEAD {version(19)}", f"HEAD {version(19)}"),
        *(f"PUT {version(20)}", f"GET {version(20)}", f"PUT {version(20, 'crc')}"),
    ]
    assert requests[6:] == [
        *("LIST", f"PUT {version(20, 'checkpoint.parquet')}", "GET _last_checkpoint", "PUT _last_checkpoint"),
        # What Hadoop may have left beside the hint goes. At version 10 no log file was old, so that none is by now.
        "POST",
    ]
