"""Functions of IP addresses and CIDR blocks over columns of Arrow: the examples of Databricks, and wrong values."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from deltasql.engines.spark.added.addresses import functions
from deltasql.engines.spark.added.values import RaisedError

OF_TEXTS, OF_BYTES = functions("STRING"), functions("BINARY")
NAMES = sorted(OF_TEXTS)


def call(name: str, *values: Any) -> Any:
    of = OF_BYTES if isinstance(values[0], bytes) else OF_TEXTS
    return of[name](*(pa.array([value]) for value in values)).to_pylist()[0]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("ip_as_binary", ("192.168.1.5/24",), bytes.fromhex("C0A8010018")),
        ("ip_as_binary", ("::ffff:192.168.1.1",), bytes.fromhex("00000000000000000000FFFFC0A80101")),
        ("ip_as_string", ("2001:0db8:0000:0000:0000:0000:0000:0001",), "2001:db8::1"),
        ("ip_as_string", (bytes.fromhex("C0A80101"),), "192.168.1.1"),
        ("ip_cidr", ("192.168.1.5/24",), "192.168.1.0/24"),
        ("ip_cidr_contains", ("192.168.1.0/24", "192.168.2.1"), False),
        ("ip_cidr_contains", ("2001:db8::/32", "2001:db8::1"), True),
        ("ip_cidr_contains", ("::ffff:192.168.1.0/120", "192.168.1.100"), True),
        ("ip_cidr_contains", (bytes.fromhex("C0A8010018"), bytes.fromhex("C0A80164")), True),
        ("ip_cidr_contains", ("192.168.0.0/16", "192.168.1.0/24"), True),
        ("ip_cidr_contains", ("192.168.1.0/24", "192.168.0.0/16"), False),
        ("ip_host", ("::FFFF:c000:2ff",), "::ffff:192.0.2.255"),
        ("ip_network", ("192.168.1.5/24",), "192.168.1.0"),
        ("ip_network_last", ("192.168.1.0/24",), "192.168.1.255"),
        ("ip_network_last", ("2001:db8::/32",), "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("ip_network_last", ("::ffff:192.0.2.0/120",), "::ffff:192.0.2.255"),
        ("ip_network_last", (bytes.fromhex("C0A8016418"),), bytes.fromhex("C0A801FF")),
        ("ip_prefix_length", ("10.0.0.0/8",), 8),
        ("ip_version", ("::1",), 6),
        ("try_ip_as_binary", (b"",), None),
        ("try_ip_host", ("10.0.0.0/8",), None),
    ],
)
def test_examples(name: str, values: tuple[Any, ...], expected: Any) -> None:
    assert call(name, *values) == expected


@pytest.mark.parametrize(
    ("name", "value", "condition"),
    [
        ("ip_as_string", "invalid.ip", "INVALID_IP_ADDRESS_OR_CIDR_BLOCK"),
        ("ip_network_last", "192.168.1.5", "INVALID_CIDR_BLOCK"),
        ("ip_cidr", "10.0.0.0/33", "INVALID_CIDR_BLOCK"),
        ("ip_cidr", "10.0.0.0/255.0.0.0", "INVALID_CIDR_BLOCK"),
        ("ip_cidr", bytes.fromhex("0A00000021"), "INVALID_CIDR_BLOCK"),
        ("ip_host", "10.0.0.0/8", "INVALID_IP_ADDRESS"),
        ("ip_host", "fe80::1%eth0", "INVALID_IP_ADDRESS"),
    ],
)
def test_wrong_values(name: str, value: Any, condition: str) -> None:
    with pytest.raises(RaisedError) as raised:
        call(name, value)
    assert raised.value.condition == condition
    assert call(f"try_{name}", value) is None


@pytest.mark.parametrize("name", NAMES)
def test_null_and_other_types(name: str) -> None:
    count = 2 if name.endswith("contains") else 1
    assert OF_TEXTS[name](*[pa.nulls(1)] * count).to_pylist() == [None]
    with pytest.raises(RaisedError) as raised:
        OF_TEXTS[name](*[pa.array([1])] * count)
    assert raised.value.condition == "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
