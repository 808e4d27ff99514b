"""Addresses of servers that are none."""

from __future__ import annotations

import pytest

from deltasql.base.errors import UnsupportedLocationError
from deltasql.log.storage.stores import Stores


@pytest.mark.parametrize("endpoint", ["host:9000", "nonsense", "ftp://host", "https://", " "])
def test_an_endpoint_that_is_no_address(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client would end in a panic, which is no exception that anybody catches."""
    with pytest.raises(UnsupportedLocationError, match="its endpoint is no address"):
        Stores({"aws_endpoint": endpoint}).open("s3://bucket/t")
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    with pytest.raises(UnsupportedLocationError, match="its endpoint is no address"):
        Stores().open("s3://bucket/t")
