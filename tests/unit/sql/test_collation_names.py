"""Names of collations, in any spelling."""

from __future__ import annotations

import pytest

from deltasql.base.errors import CollatedKeyError, CollatedTypeError, CollationNameError
from deltasql.schema.types import STRING, ArrayType, collated
from deltasql.sql.expression_types import spelled_collation
from deltasql.sql.parser import parse_type


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("utf8_binary", "UTF8_BINARY"),
        ("Utf8_Lcase", "UTF8_LCASE"),
        ("utf8_lcase_rtrim", "UTF8_LCASE_RTRIM"),
        ("unicode_ai_ci", "UNICODE_CI_AI"),
        ("UNICODE_CS_AS", "UNICODE"),
        ("unicode_trim_ci", "UNICODE_CI_TRIM"),
        ("DE", "de"),
        ("EN_usa_ci", "en_USA_CI"),
        ("sr_cyrl_SRB", "sr_Cyrl_SRB"),
    ],
)
def test_spelling(written: str, spelled: str) -> None:
    assert spelled_collation(written) == spelled


@pytest.mark.parametrize(
    "name", ["UTF8_LCSE", "UTF8_LCASE_CI", "UNICODE_CI_CS", "english", "foo", "CI", "CI_AI", "de__CI", "", "de_CI_XX"]
)
def test_no_collations(name: str) -> None:
    with pytest.raises(CollationNameError):
        spelled_collation(name)


def test_types() -> None:
    assert parse_type("ARRAY<STRING COLLATE `unicode`>") == ArrayType(collated("UNICODE"))
    assert parse_type("STRING COLLATE UTF8_BINARY") == STRING
    for text in ("INT COLLATE UNICODE", "VARCHAR(3) COLLATE UNICODE"):
        with pytest.raises(CollatedTypeError):
            parse_type(text)
    with pytest.raises(CollatedKeyError):
        parse_type("MAP<STRUCT<a: STRING COLLATE UNICODE>, INT>")
