"""Names and texts by which a plan marks its checks and casts, so that their failures can be identified.

They occur in Spark's errors, never in those of the user.
"""

from __future__ import annotations

VIOLATION = "DELTASQL_CONSTRAINT|"
"""Starts the text that a broken constraint raises.

Its name, condition and NOT NULL column, percent-encoded, and the row follow, so that whoever hears of it can tell all.
"""
CAST = "DELTASQL_CAST|"
"""Starts the text that a value raises which its column cannot hold: column, type, and Spark's words follow."""
IDENTITY_OVERFLOW = "DELTASQL_IDENTITY_OVERFLOW|"
"""Starts the text that an identity column raises when its numbers are used up; its name follows."""
JSON_NAME = "DELTASQL_JSON_NAME|"
"""Starts the text that a path in a JSON text raises which several fields match; the name in the path follows."""

GENERATED = "Generated Column "
"""Begins the name of the constraint that a generated column has its value; the quoted column follows."""
LENGTH = "__CHAR_VARCHAR_STRING_LENGTH_CHECK__"
"""Begins the name of the constraint that a text fits its column; path and length follow. The name is Spark's."""
PARTITION_NAME = "PARTITION "
"""Begins the name of the constraint that a partition value can name a directory; the column follows."""
REPLACE_WHERE = "REPLACE WHERE"
"""The constraint that a row of INSERT … REPLACE WHERE satisfies the predicate."""

BOUND_VALUES = r"__[xc]\d+|__value"
"""Pattern of the names that values have while they are brought to their type."""
