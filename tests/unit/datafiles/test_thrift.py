"""Structs in Thrift's compact protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltasql.log.row_groups import I32, I64, Struct
from tests.samples import examples

NUMBERS = st.dictionaries(st.integers(1, 2000), st.integers(-(2**63), 2**63 - 1), max_size=8)


@examples()
@given(NUMBERS)
def test_numbers_come_back(numbers: dict[int, int]) -> None:
    """Fields that are near to one another, and far."""
    struct = Struct()
    for number, value in numbers.items():
        struct.put_number(number, value)
    found = Struct.parsed(struct.to_bytes())
    assert {number: found.number(number) for number in found.values} == numbers


@examples()
@given(st.lists(NUMBERS, max_size=20))
def test_structs_in_lists_come_back(several: list[dict[int, int]]) -> None:
    outer, inner = Struct(), []
    for numbers in several:
        inner.append(Struct())
        for number, value in numbers.items():
            inner[-1].put_number(number, value, I32)
    outer.put_structs(3, inner)
    outer.put_struct(90, outer)
    outer.put_number(91, 7, I64)
    found = Struct.parsed(outer.to_bytes())
    for place in (found, found.struct(90)):
        assert [item.to_bytes() for item in place.structs(3)] == [item.to_bytes() for item in inner]
    assert found.number(91) == 7


def test_values_of_every_kind_are_passed_over() -> None:
    """Truths, a byte, a double, a text, a list of truths, a set, a map, an empty map, and a struct; then a number."""
    fields = [
        (1, b""),
        (2, b""),
        (3, b"\x07"),
        (7, b"12345678"),
        (8, b"\x03abc"),
        (9, b"\x21\x01\x02"),
        (10, b"\xf5\x10" + b"\x02" * 16),
        (11, b"\x01\x85\x01k\x02"),
        (11, b"\x00"),
        (12, b"\x15\x04\x00"),
        (6, b"\x0a"),
    ]
    data = b"".join(bytes([0x10 | kind]) + value for kind, value in fields) + b"\0"
    found = Struct.parsed(data)
    assert found.number(len(fields)) == 5
    assert found.text(5) == "abc"
    assert found.struct(10).number(1) == 2
    assert found.to_bytes() == data


def test_values_of_unknown_kinds() -> None:
    with pytest.raises(ValueError, match="no known type"):
        Struct.parsed(b"\x1d0123456789abcdef\x00")


def test_missing_fields() -> None:
    found = Struct.parsed(b"\0")
    assert (found.number(1), found.text(1), found.struct(1), found.structs(1), 1 in found) == (
        0,
        "",
        Struct(),
        [],
        False,
    )
    found.drop(1)


@pytest.mark.parametrize("data", [b"", b"\x15", b"\x18\x05ab", b"\x1c"])
def test_bytes_that_end_too_soon(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"end amid|cut off"):
        Struct.parsed(data)
