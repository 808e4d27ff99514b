"""Types of partition columns that folders name, as Spark infers them."""

from __future__ import annotations

import pytest

from deltasql.base.errors import PartitionFoldersError
from deltasql.planner.foreign import partition_fields
from deltasql.schema.text import type_text


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2"], "int"),
        (["-1", "+7"], "int"),
        (["1", "2147483648"], "bigint"),
        (["9223372036854775808"], "decimal(19,0)"),
        (["1", "9223372036854775808"], "decimal(20,0)"),
        (["1.5", "2"], "double"),
        (["1.5", "2147483648"], "string"),
        (["1e3", "NaN"], "double"),
        (["2024-01-31"], "date"),
        (["2024-01-31", "2024-01-31 10:00:00"], "timestamp"),
        (["2024-02-31"], "string"),
        (["2024-01-31", "1"], "string"),
        (["true"], "string"),
        (["", "a"], "string"),
        ([None], "string"),
        ([None, "3"], "int"),
    ],
)
def test_types(values: list[str | None], kind: str) -> None:
    (field,) = partition_fields(([("p", value)] for value in values), "/t")
    assert (field.name, type_text(field.type)) == ("p", kind)


def test_folders_must_name_the_same_columns() -> None:
    with pytest.raises(PartitionFoldersError, match=r"different partition columns: p in some, p, q in others"):
        partition_fields(([("p", "1")], [("p", "1"), ("q", "2")]), "/t")
    assert not partition_fields([], "/t").fields
    assert not partition_fields([[]], "/t").fields
