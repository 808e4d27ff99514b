"""Processes that write one table on an object store at the same time."""

from __future__ import annotations

from collections.abc import Callable

from tests.stores.conftest import FULL, Store
from tests.stores.proxy import Proxy, bad_weather
from tests.stores.tables import check_race, create, race

Proxied = Callable[..., Proxy]


def test_processes_append(s3: Store) -> None:
    writers, commits = (8, 50) if FULL else (4, 25)
    create(s3.url("t"))
    race(s3.url("t"), s3.environment, writers, commits)
    check_race(s3.url("t"), writers, commits)


def test_processes_append_in_bad_weather(s3: Store, proxied: Proxied) -> None:
    """Of every seventh request the answer is late, a refusal, or lost before or after the server has done its work."""
    writers, commits = (8, 50) if FULL else (3, 8)
    create(s3.url("t"))
    proxied(bad_weather(seed=7))
    race(s3.url("t"), s3.environment, writers, commits)
    check_race(s3.url("t"), writers, commits)


def test_processes_append_on_azure(azure: Store) -> None:
    writers, commits = (8, 50) if FULL else (4, 10)
    create(azure.url("t"))
    race(azure.url("t"), azure.environment, writers, commits)
    check_race(azure.url("t"), writers, commits)


def test_processes_append_on_azure_in_bad_weather(azure: Store) -> None:
    writers, commits = (8, 50) if FULL else (3, 8)
    create(azure.url("t"))
    with Proxy(azure.endpoint, bad_weather(seed=7)) as proxy:
        through = {name: value.replace(azure.endpoint, proxy.endpoint) for name, value in azure.environment.items()}
        race(azure.url("t"), through, writers, commits)
    check_race(azure.url("t"), writers, commits)
