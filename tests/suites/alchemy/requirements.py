"""Optional features of databases that SQLAlchemy's suite tests on the dialect, and those that it skips."""

from __future__ import annotations

from typing import Any

from sqlalchemy.testing import exclusions
from sqlalchemy.testing.requirements import SuiteRequirements

THERE = (
    *("create_table_as", "table_ddl_if_exists", "views", "temporary_views", "create_or_replace_view"),
    *("boolean_col_expressions", "nullsordering", "intersect", "except_", "tuple_in", "array_type"),
    *("window_functions", "window_range", "window_range_numeric", "ctes", "ctes_with_values"),
    *("reflects_pk_names", "comment_reflection", "comment_reflection_full_unicode", "schema_create_delete"),
    *("foreign_key_constraint_name_reflection", "cross_schema_fk_reflection", "implicit_default_schema"),
    *("check_constraint_reflection", "inline_check_constraint_reflection", "json_type", "infinity_floats"),
    *("datetime_literals", "datetime_timezone", "datetime_historic", "date_historic", "datetime_timezone_historic"),
    *("timestamp_microseconds", "precision_numerics_many_significant_digits"),
    *("precision_numerics_retains_significant_digits", "precision_numerics_enotation_small"),
    *("server_defaults", "autocommit", "isolation_level", "regexp_match", "regexp_replace", "unicode_ddl"),
    *("supports_bitwise_or", "supports_bitwise_and", "supports_bitwise_not", "supports_bitwise_xor"),
    *("computed_columns", "computed_columns_stored", "computed_columns_default_persisted"),
    *("supports_bitwise_shift", "order_by_label_with_expression", "identity_columns", "reflect_table_options"),
)
"""Parts of SQL that the dialect has and not every database: their tests run."""

MISSING = {
    "autoincrement_insert": "Delta numbers no primary key by itself",
    "temporary_tables": "there are no temporary tables",
    "temp_table_reflection": "there are no temporary tables",
    "has_temp_table": "there are no temporary tables",
    "index_reflection": "there are no indexes",
    "indexes_with_ascdesc": "there are no indexes",
    "reflect_indexes_with_ascdesc": "there are no indexes",
    "unique_constraint_reflection": "there are no unique constraints",
    "duplicate_key_raises_integrity_error": "keys are recorded and not enforced",
    "on_update_cascade": "keys are recorded and not enforced",
    "recursive_fk_cascade": "keys are recorded and not enforced",
    "time": "Delta has no type for a time of day",
    "time_microseconds": "Delta has no type for a time of day",
    "time_implicit_bound": "Delta has no type for a time of day",
    "empty_inserts": "a row needs a value for one column",
    "symbol_names_w_double_quote": "names of tables have no quotes",
    "unusual_column_name_characters": "names of columns have no blanks and brackets without column mapping",
    "precision_numerics_enotation_large": "decimals have 38 digits",
    "nested_aggregates": "Spark nests no aggregates",
}
"""Parts that the suite takes for granted, with the reason why the dialect lacks them."""


class Requirements(SuiteRequirements):
    """The suite asks for attributes of these names."""


def _always(state: str) -> Any:
    rule = getattr(exclusions, state)()
    return property(lambda self: rule)


for _name in THERE:
    setattr(Requirements, _name, _always("open"))
for _name in MISSING:
    setattr(Requirements, _name, _always("closed"))
