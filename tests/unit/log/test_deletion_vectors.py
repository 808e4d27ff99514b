"""Deletion vectors are read in every storage type, and never believed when they are damaged."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from pyroaring import BitMap, BitMap64

from deltasql.base.errors import InvalidDeletionVectorError
from deltasql.log.actions.deletion_vectors import deleted_rows, vector_path, z85_decode
from deltasql.log.storage.stores import open_store

NAME = "ab^-aqEH.-t@S}K{vb[*k^"
FILE = "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"


def portable(*positions: int) -> bytes:
    return struct.pack("<i", 1681511377) + bytes(BitMap64(positions).serialize())


def native(*bitmaps: tuple[int, ...]) -> bytes:
    parts = [bytes(BitMap(positions).serialize()) for positions in bitmaps]
    sized = b"".join(struct.pack("<i", len(part)) + part for part in parts)
    return struct.pack("<ii", 1681511376, len(bitmaps)) + sized


def written(root: Path, payload: bytes, file: str = FILE) -> bytes:
    """A vector file with one vector at offset 1."""
    data = b"\x01" + struct.pack(">i", len(payload)) + payload + struct.pack(">I", zlib.crc32(payload))
    target = root / file
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return data


def descriptor(payload: bytes, cardinality: int, **changes: Any) -> dict[str, Any]:
    vector = {"storageType": "u", "pathOrInlineDv": NAME, "offset": 1, "sizeInBytes": len(payload)}
    return {**vector, "cardinality": cardinality} | changes


def rows(root: Path, vector: dict[str, Any]) -> list[int]:
    return [int(row) for row in deleted_rows(open_store(str(root)), vector)]


def test_the_name_of_a_vector_file() -> None:
    assert vector_path(NAME) == FILE
    assert vector_path(NAME[2:]) == FILE[3:]


def test_a_vector_in_the_log_itself(tmp_path: Path) -> None:
    text = "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
    inline = {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": 44, "cardinality": 6}
    assert rows(tmp_path, inline) == [3, 4, 7, 11, 18, 29]


@pytest.mark.parametrize("payload", [portable(0, 5, 2**33), native((0, 5), (), (0,))])
def test_both_layouts_of_a_file(tmp_path: Path, payload: bytes) -> None:
    written(tmp_path, payload)
    assert rows(tmp_path, descriptor(payload, 3)) == [0, 5, 2**33]


@pytest.mark.parametrize("name", ["elsewhere/v.bin", "else where/%41%2520#v.bin"])
def test_an_absolute_path(tmp_path: Path, name: str) -> None:
    payload = portable(1)
    written(tmp_path, payload, name)
    place = (tmp_path / name).as_uri()
    assert rows(tmp_path, descriptor(payload, 1, storageType="p", pathOrInlineDv=place)) == [1]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: b"\x02" + data[1:], "not with version 1"),
        (lambda data: data[:8] + b"\xff" + data[9:], "checksum"),
        (lambda data: data[: len(data) // 2], ""),
        (lambda data: b"", "nothing"),
    ],
)
def test_a_damaged_file_is_an_error(tmp_path: Path, damage: Any, reason: str) -> None:
    payload = portable(1, 2, 3)
    data = written(tmp_path, payload)
    (tmp_path / FILE).write_bytes(damage(data))
    with pytest.raises(InvalidDeletionVectorError) as caught:
        rows(tmp_path, descriptor(payload, 3))
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    "changes",
    [{"cardinality": 2}, {"sizeInBytes": 5}, {"storageType": "x"}, {"pathOrInlineDv": "too short"}, {"offset": 7}],
)
def test_a_descriptor_that_does_not_fit_is_an_error(tmp_path: Path, changes: dict[str, Any]) -> None:
    payload = portable(1, 2, 3)
    written(tmp_path, payload)
    with pytest.raises(InvalidDeletionVectorError) as caught:
        rows(tmp_path, descriptor(payload, 3) | changes)
    assert caught.value.condition == "DELTA_DELETION_VECTOR_INVALID"


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidDeletionVectorError) as caught:
        rows(tmp_path, descriptor(portable(1), 1))
    assert caught.value.condition == "DELTA_FILE_NOT_FOUND"
    assert str(tmp_path) in caught.value.message


@pytest.mark.parametrize("text", ["abcd", "~~~~~", "#####"])
def test_bad_text(text: str) -> None:
    with pytest.raises(ValueError, match=r"Z85"):
        z85_decode(text)


@pytest.mark.parametrize("name", ["", "a", "s3://bucket/x", "~" * 20])
def test_a_name_that_leads_to_no_file(name: str) -> None:
    with pytest.raises(InvalidDeletionVectorError, match=r"Z85|UUID|16"):
        vector_path(name)


def test_no_flipped_bit_goes_unnoticed(tmp_path: Path) -> None:
    payload = portable(3, 4, 70_000, 1 << 33)
    data = written(tmp_path, payload)
    for number in range(8 * len(data)):
        changed = bytearray(data)
        changed[number // 8] ^= 1 << number % 8
        (tmp_path / FILE).write_bytes(changed)
        with pytest.raises(InvalidDeletionVectorError):
            rows(tmp_path, descriptor(payload, 4))
