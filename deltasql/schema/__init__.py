"""Data types, schemas and pure functions over them: JSON, paths, edits, evolution, mapping, widening, text.

Independent of tables, logs and statements.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    arrow_values: EMPTY TRUE ZERO flags from_python indexes_of integers no_rows scalar strings
    checks: CHANGE_DATA_COLUMNS CHANGE_FIELDS CHANGE_TYPE COMMIT_TIMESTAMP COMMIT_VERSION HIDDEN_PREFIX
        HIGH_WATER_MARK INVALID_CHARACTERS INVARIANTS TYPE_CHANGES Identity check_change_columns
        check_duplicates check_foreign check_schema check_table_schema column_invariants duplicate_columns
        identities identity_of nested_voids unsupported_changes with_identities with_table_version
    edits: add_column drop_column move_column rename_column replace_columns set_comment set_metadata
        set_nullable set_type with_metadata without_metadata
    evolution: MergeMode arrow_schema as_nullable bare_schema declared_rows merge_schemas plain_arrow_type
        restrict stored_field unreadable_part
    json: HIVE_NULL STORED_AS_NULL field_from_json field_to_json partition_value schema_from_json schema_to_json
        type_from_json type_to_json typed
    result_arrow: PRIMITIVES arrow_type to_table
    text: TYPE_KEY Length Path child collated_paths declared_as declared_length declared_text declared_texts
        declared_type fields_at find_path folded has_lengths kind_text length_of parsed_type path_text
        plain_field plain_type quote_name quote_text replace_type resolve schema_ddl sql_literal sql_text
        suggestion text_sql tree_text type_text walk with_lengths without_lengths
    type_lattice: BITS DIGITS DIGITS_OF_LONG INTEGRAL INTEGRAL_NAMES MOMENTS MOST_DIGITS Widening as_decimal
        can_cast can_up_cast can_widen common_of_branches common_of_values fits is_atomic is_integral is_number
        wider_number
    types: SPHERICAL BINARY BINARY_COLLATION BOOLEAN BYTE DATE DOUBLE EMPTY_METADATA FLOAT ID INTEGER LONG NESTED_IDS
        PARQUET_FIELD_ID PHYSICAL_NAME SHORT STRING TIMESTAMP TIMESTAMP_NTZ VARIANT VOID ArrayType DataType
        DecimalType MapType PrimitiveType RowIdColumns StructField StructType assign_ids case_matters
        collation_of has_collations has_dropped_columns has_shapes is_mapped is_shape known_systems matching
        physical_name physical_schema shape_parts shape_type with_default_collation without_collations
    """,
)
