"""Spark's functions in the four lists that JDBC has: of numbers, of texts, of dates and times, and all others."""

from __future__ import annotations

import re
from collections.abc import Mapping

from deltasql.sql.functions.spark_names import FUNCTIONS

_NUMBERS = """
ABS ACOS ACOSH ASIN ASINH ATAN ATAN2 ATANH BROUND CBRT CEIL CEILING CONV COS COSH COT CSC DEGREES E EXP EXPM1 FACTORIAL
FLOOR GREATEST HYPOT LEAST LN LOG LOG10 LOG1P LOG2 MOD NEGATIVE PI PMOD POSITIVE POW POWER RADIANS RAND RANDN RANDOM
RINT ROUND SEC SIGN SIGNUM SIN SINH SQRT TAN TANH TRY_ADD TRY_DIVIDE TRY_MOD TRY_MULTIPLY TRY_SUBTRACT UNIFORM
WIDTH_BUCKET
"""
_TEXTS = """
ASCII BASE64 BTRIM CHAR CHARACTER_LENGTH CHAR_LENGTH CHR CONCAT CONCAT_WS CONTAINS ELT ENDSWITH FIND_IN_SET
FORMAT_NUMBER FORMAT_STRING INITCAP INSTR LCASE LEFT LEN LENGTH LEVENSHTEIN LOCATE LOWER LPAD LTRIM MASK OCTET_LENGTH
OVERLAY POSITION PRINTF REGEXP_COUNT REGEXP_EXTRACT REGEXP_EXTRACT_ALL REGEXP_INSTR REGEXP_LIKE REGEXP_REPLACE
REGEXP_SUBSTR REPEAT REPLACE REVERSE RIGHT RPAD RTRIM SENTENCES SOUNDEX SPACE SPLIT SPLIT_PART STARTSWITH SUBSTR
SUBSTRING SUBSTRING_INDEX TO_CHAR TRANSLATE TRIM UCASE UNBASE64 UPPER
"""
_TIMES = re.compile(
    r"ADD_MONTHS|CONVERT_TIMEZONE|CUR(RENT_)?(DATE|TIME\w*)|DATE\w*|DAY\w*|FROM_(UNIXTIME|UTC_TIMESTAMP)|HOUR|LAST_DAY"
    r"|LOCALTIMESTAMP|(TRY_)?(MAKE|TO)_(DATE|TIME|\w*INTERVAL|\w*TIMESTAMP\w*)|MINUTE|MONTH\w*|NEXT_DAY|NOW|QUARTER|SECOND"
    r"|TIME\w*|TRUNC|UNIX_\w+|WEEK\w*|YEAR"
)


def _kinds() -> dict[int, list[str]]:
    names = sorted(name for name in FUNCTIONS if name.isidentifier())
    texts, numbers = set(_TEXTS.split()), set(_NUMBERS.split())
    kinds: dict[int, list[str]] = {509: [], 510: [], 511: [], 512: []}
    for name in names:
        is_of_times = _TIMES.fullmatch(name) is not None
        kinds[512 if is_of_times else 509 if name in numbers else 510 if name in texts else 511].append(name)
    return kinds


FUNCTION_KINDS: Mapping[int, list[str]] = _kinds()
"""The lists by their numbers in SqlInfo, each by name; 511 are those called system functions."""
