"""Functions of addresses of IPv4 and IPv6, and of CIDR blocks, as texts or as bytes.

The bytes of an address are 4 or 16; a block has one more for the length of its prefix. A result is canonical: a block
begins at its first address, and texts are as short as they may be.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

from deltasql.engines.spark.added.values import Column, RaisedError, by_row, texts_or_bytes

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_BLOCK = re.compile(r"([^/%]+)/(\d{1,3})")
_LENGTHS = {4: 32, 16: 128}
_MAPPED = 96
"""The length of the prefix of addresses of IPv6 that stand for those of IPv4."""


class AddressBlock(NamedTuple):
    """The addresses that begin as `first` does; without a prefix, an address."""

    first: _Address
    prefix: int | None

    @property
    def last(self) -> _Address:
        assert self.prefix is not None
        free = self.first.max_prefixlen - self.prefix
        return type(self.first)(int(self.first) | ((1 << free) - 1))

    def of_six(self) -> tuple[int, int]:
        """The first address as a number of IPv6, and the length of the prefix there."""
        more = _MAPPED if self.first.version == 4 else 0
        start = 0xFFFF << 32 if more else 0
        return start | int(self.first), more + (self.first.max_prefixlen if self.prefix is None else self.prefix)


def parsed(value: str | bytes) -> AddressBlock | None:
    """The address or the block, None for a value that is neither."""
    try:
        if isinstance(value, bytes):
            return _of_bytes(value)
        found = _BLOCK.fullmatch(value)
        if found is not None:
            return _block(ipaddress.ip_address(found[1]), int(found[2]))
        return None if "%" in value else AddressBlock(ipaddress.ip_address(value), None)
    except ValueError:
        return None


def _of_bytes(value: bytes) -> AddressBlock | None:
    if len(value) in _LENGTHS:
        return AddressBlock(ipaddress.ip_address(value), None)
    return _block(ipaddress.ip_address(value[:-1]), value[-1]) if len(value) - 1 in _LENGTHS else None


def _block(address: _Address, prefix: int) -> AddressBlock | None:
    free = address.max_prefixlen - prefix
    return None if free < 0 else AddressBlock(type(address)(int(address) >> free << free), prefix)


def text(block: AddressBlock) -> str:
    mapped = block.first.ipv4_mapped if isinstance(block.first, ipaddress.IPv6Address) else None
    shown = f"::ffff:{mapped}" if mapped is not None else str(block.first)
    return shown if block.prefix is None else f"{shown}/{block.prefix}"


def packed(block: AddressBlock) -> bytes:
    return block.first.packed + (b"" if block.prefix is None else bytes([block.prefix]))


def contains(block: AddressBlock, needle: AddressBlock) -> bool:
    """Whether all addresses of `needle` are in the block; those of IPv4 are compared as those of IPv6."""
    (start, prefix), (other, length) = block.of_six(), needle.of_six()
    free = 128 - prefix
    return length >= prefix and start >> free == other >> free


_ANY = ("INVALID_IP_ADDRESS_OR_CIDR_BLOCK", "IP address and no CIDR block", lambda block: True)
_ONE = ("INVALID_IP_ADDRESS", "IP address", lambda block: block.prefix is None)
_SEVERAL = ("INVALID_CIDR_BLOCK", "CIDR block", lambda block: block.prefix is not None)
_TABLE: dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any]] = {
    "ip_as_binary": (packed, (_ANY,), pa.binary()),
    "ip_as_string": (text, (_ANY,), pa.string()),
    "ip_cidr": (lambda block: block, (_SEVERAL,), None),
    "ip_cidr_contains": (contains, (_SEVERAL, _ANY), pa.bool_()),
    "ip_host": (lambda block: block, (_ONE,), None),
    "ip_network": (lambda block: AddressBlock(block.first, None), (_SEVERAL,), None),
    "ip_network_first": (lambda block: AddressBlock(block.first, None), (_SEVERAL,), None),
    "ip_network_last": (lambda block: AddressBlock(block.last, None), (_SEVERAL,), None),
    "ip_prefix_length": (lambda block: block.prefix, (_SEVERAL,), pa.int32()),
    "ip_version": (lambda block: block.first.version, (_ANY,), pa.int32()),
}
"""The code of each function, what its arguments are, and its type in Arrow, where it is not that of the argument."""


def _computed(code: Callable[..., Any], takes: tuple[Any, ...], safe: bool) -> Callable[..., Any]:
    def function(*values: str | bytes) -> Any:
        blocks = []
        for value, (condition, name, fits) in zip(values, takes, strict=True):
            block = parsed(value)
            if block is None or not fits(block):
                if safe:
                    return None
                shown = value.hex().upper() if isinstance(value, bytes) else value
                raise RaisedError(condition, f"{shown} is no {name}")
            blocks.append(block)
        found = code(*blocks)
        if not isinstance(found, AddressBlock):
            return found
        return packed(found) if isinstance(values[0], bytes) else text(found)

    return function


def functions(kind: str) -> dict[str, Callable[..., Column]]:
    """The functions of Arrow columns by their names in SQL, for arguments of the type `kind`: STRING or BINARY."""
    found = {}
    for name, (code, takes, gives) in _TABLE.items():
        for word in ("", "try_"):
            called = f"{word}{name}"
            type_ = gives or (pa.binary() if kind == "BINARY" else pa.string())
            readers = (texts_or_bytes,) * len(takes)
            found[called] = by_row(_computed(code, takes, bool(word)), readers, type_, called)
    return found
