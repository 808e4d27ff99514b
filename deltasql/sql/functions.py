"""The functions that an expression of a table may call, the names of Spark's functions, and checks of Python handlers.

A table's expression may call those of Spark's functions that read one row and give an equal result at every call. Left
out are functions that run code or read other data: reflect, java_method, try_reflect, from_avro, from_protobuf and
from_xml with their relatives (they read files), names of input files, of users, schemas and versions, random functions,
aggregates, generators and windows. A test compares the list with Spark's.

The Python code of a function is checked on its syntax tree, and never run. Names of Spark's functions are in capitals.
Source: SHOW SYSTEM FUNCTIONS of Spark 4.2.
"""

from __future__ import annotations

import ast
import keyword
import textwrap
from collections.abc import Sequence
from types import CodeType

OF_A_ROW = frozenset(
    """
    abs acos acosh add_months aes_decrypt aggregate approx_top_k_estimate array array_append array_compact
    array_contains array_distinct array_except array_insert array_intersect array_join array_max array_min
    array_position array_prepend array_remove array_repeat array_size array_sort array_union arrays_overlap
    arrays_zip ascii asin asinh assert_true atan atan2 atanh base64 bigint bin binary bit_count bit_get bit_length
    bitmap_bit_position bitmap_bucket_number bitmap_count boolean bround btrim cardinality cast cbrt ceil ceiling
    char char_length character_length charindex chr coalesce collate collation concat concat_ws contains conv
    convert_timezone cos cosh cot crc32 csc date date_add date_diff date_format date_from_unix_date date_part
    date_sub date_trunc dateadd datediff datepart day dayname dayofmonth dayofweek dayofyear decimal decode degrees
    div double e element_at elt encode endswith equal_null exists exp expm1 extract factorial filter find_in_set
    flatten float floor forall format_number format_string from_csv from_json from_unixtime from_utc_timestamp get
    get_json_object getbit greatest hash hex hll_sketch_estimate hll_union hour hypot if iff ifnull ilike initcap
    instr int is_valid_utf8 is_valid_variant is_variant_null isnan isnotnull isnull json_array_length
    json_object_keys json_tuple kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float
    kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double kll_sketch_get_quantile_float
    kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_merge_bigint
    kll_sketch_merge_double kll_sketch_merge_float kll_sketch_to_string_bigint kll_sketch_to_string_double
    kll_sketch_to_string_float last_day lcase least left len length levenshtein like ln locate log log10 log1p log2
    lower lpad ltrim luhn_check make_date make_dt_interval make_interval make_time make_timestamp make_timestamp_ltz
    make_timestamp_ntz make_valid_utf8 make_ym_interval map map_concat map_contains_key map_entries map_filter
    map_from_arrays map_from_entries map_keys map_values map_zip_with mask md5 minute mod month monthname
    months_between named_struct nanvl negative next_day nullif nullifzero nvl nvl2 octet_length overlay parse_json
    parse_url pi pmod position positive pow power printf quarter quote radians raise_error reduce regexp
    regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like regexp_replace regexp_substr repeat
    replace reverse right rint rlike round rpad rtrim schema_of_csv schema_of_json schema_of_variant sec second
    sentences sequence sha sha1 sha2 shiftleft shiftright shiftrightunsigned sign signum sin sinh size slice
    smallint sort_array soundex space split split_part sqrt st_asbinary st_geogfromwkb st_geomfromwkb st_setsrid
    st_srid startswith str_to_map string struct substr substring substring_index tan tanh theta_difference
    theta_intersection theta_sketch_estimate theta_union time time_bucket time_diff time_from_micros
    time_from_millis time_from_seconds time_to_micros time_to_millis time_to_seconds time_trunc timestamp
    timestamp_micros timestamp_millis timestamp_seconds timestampadd timestampdiff tinyint to_binary to_char to_csv
    to_date to_json to_number to_time to_timestamp to_timestamp_ltz to_timestamp_ntz to_unix_timestamp
    to_utc_timestamp to_varchar to_variant_object to_xml transform transform_keys transform_values translate trim
    trunc try_add try_aes_decrypt try_cast try_divide try_element_at try_make_interval try_make_timestamp
    try_make_timestamp_ltz try_make_timestamp_ntz try_mod try_multiply try_parse_json try_parse_url try_subtract
    try_to_binary try_to_date try_to_number try_to_time try_to_timestamp try_url_decode try_validate_utf8
    try_variant_get tuple_difference_double tuple_difference_integer tuple_difference_theta_double
    tuple_difference_theta_integer tuple_intersection_double tuple_intersection_integer
    tuple_intersection_theta_double tuple_intersection_theta_integer tuple_sketch_estimate_double
    tuple_sketch_estimate_integer tuple_sketch_summary_double tuple_sketch_summary_integer tuple_sketch_theta_double
    tuple_sketch_theta_integer tuple_union_double tuple_union_integer tuple_union_theta_double
    tuple_union_theta_integer typeof ucase unbase64 unhex unix_date unix_micros unix_millis unix_seconds
    unix_timestamp upper url_decode url_encode validate_utf8 variant_get vector_cosine_similarity
    vector_inner_product vector_l2_distance vector_norm vector_normalize weekday weekofyear width_bucket xpath
    xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string xxhash64 year
    zeroifnull zip_with
    """.split()  # noqa: SIM905 - four hundred quoted names would fill pages
)

OF_THE_MOMENT = frozenset(
    {
        *("current_date", "current_time", "current_timestamp", "curdate", "getdate", "now", "localtimestamp"),
        "unix_timestamp",
    }
)
"""These tell the time of the statement: one value for all of its rows."""

OF_THE_SESSION = frozenset(
    {
        *("current_user", "session_user", "user", "current_timezone"),
        *("current_catalog", "current_database", "current_schema"),
    }
)
"""These tell who writes, and where. Only a default may call them."""

OUTSIDE = frozenset(
    {
        *("reflect", "java_method", "try_reflect", "from_avro", "to_avro", "schema_of_avro", "from_protobuf"),
        *("to_protobuf", "from_xml", "schema_of_xml", "version", "current_path", "aes_encrypt", "sql_keywords"),
        *("explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack"),
        *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "nth_value"),
        *("window", "window_time", "session_window", "measure", "collations"),
    }
)
"""More of Spark's own that no expression of a table may call."""


BODY = "handler"
"""The name of the function that is made of a body without a handler."""


def file_name(function: str) -> str:
    """The name of the file that tracebacks have for the code of a function."""
    return f"<function {function}>"


def compiled(code: str, handler: str | None, parameters: Sequence[str], function: str) -> CodeType:
    """A module with the handler of a function; without a handler the code is the body of one, called BODY.

    Lines are those of `code`. Raises SyntaxError, ValueError for a NUL.
    """
    return compile(syntax_tree(code, handler, parameters, function), file_name(function), "exec")


def syntax_tree(code: str, handler: str | None, parameters: Sequence[str], function: str) -> ast.Module:
    """The tree of what `compiled` compiles. Raises SyntaxError, ValueError, and RecursionError for deep nesting."""
    try:
        tree = ast.parse(_dedented(code), file_name(function))
    except MemoryError:
        # What Python raises where its parser's stack is full.
        raise RecursionError from None
    if handler is not None:
        return tree
    module = ast.parse(f"def {BODY}({', '.join(parameters)}): pass")
    (definition,) = module.body
    assert isinstance(definition, ast.FunctionDef)
    definition.body = tree.body or definition.body
    return module


def handler_problem(code: str, handler: str, function: str, *, is_table: bool) -> str:
    """The reason why the code has no such handler; "" where it has one, or may have one. Raises SyntaxError."""
    tree = syntax_tree(code, handler, (), function)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = next((node for node in reversed(tree.body) if isinstance(node, kinds) and node.name == handler), None)
    if found is None:
        return "" if handler in _bound_names(tree) else f"its code defines no {handler}"
    if is_table:
        return _class_problem(found, handler)
    return f"{handler} is a class, and a value comes from a function" if isinstance(found, ast.ClassDef) else ""


def _class_problem(found: ast.stmt, handler: str) -> str:
    if not isinstance(found, ast.ClassDef):
        return f"{handler} is no class"
    methods = {node.name for node in found.body if isinstance(node, ast.FunctionDef)}
    return "" if "eval" in methods or found.bases else f"the class {handler} has no method eval"


def _bound_names(tree: ast.Module) -> set[str]:
    """Names that assignments and imports bind."""
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    aliases = (node for node in ast.walk(tree) if isinstance(node, ast.alias))
    return stored | {alias.asname or alias.name for alias in aliases}


def is_python_name(name: str) -> bool:
    """Whether a parameter of this name can be a variable of Python."""
    return name.isidentifier() and not keyword.iskeyword(name)


def _dedented(code: str) -> str:
    """The code without its common indentation; its first line may stand beside the opening `$$`."""
    first, newline, rest = code.partition("\n")
    if not first.strip():
        return newline + textwrap.dedent(rest)
    # The lines below the first may belong to it: class F: …
    whole = first.lstrip() + newline + rest
    return whole if _is_python(whole) else first.lstrip() + newline + textwrap.dedent(rest)


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True


_NAMES = """
ABS ACOS ACOSH ADD_MONTHS AES_DECRYPT AES_ENCRYPT AGGREGATE AND ANY ANY_VALUE APPROX_COUNT_DISTINCT APPROX_PERCENTILE
APPROX_TOP_K APPROX_TOP_K_ACCUMULATE APPROX_TOP_K_COMBINE APPROX_TOP_K_ESTIMATE ARRAY ARRAYS_OVERLAP ARRAYS_ZIP
ARRAY_AGG ARRAY_APPEND ARRAY_COMPACT ARRAY_CONTAINS ARRAY_DISTINCT ARRAY_EXCEPT ARRAY_INSERT ARRAY_INTERSECT
ARRAY_JOIN ARRAY_MAX ARRAY_MIN ARRAY_POSITION ARRAY_PREPEND ARRAY_REMOVE ARRAY_REPEAT ARRAY_SIZE ARRAY_SORT
ARRAY_UNION ASCII ASIN ASINH ASSERT_TRUE ATAN ATAN2 ATANH AVG BASE64 BETWEEN BIGINT BIN BINARY BITMAP_AND_AGG
BITMAP_BIT_POSITION BITMAP_BUCKET_NUMBER BITMAP_CONSTRUCT_AGG BITMAP_COUNT BITMAP_OR_AGG BIT_AND BIT_COUNT BIT_GET
BIT_LENGTH BIT_OR BIT_XOR BOOLEAN BOOL_AND BOOL_OR BROUND BTRIM CARDINALITY CASE CAST CBRT CEIL CEILING CHAR
CHARACTER_LENGTH CHAR_LENGTH CHR COALESCE COLLATE COLLATION COLLATIONS COLLECT_LIST COLLECT_SET CONCAT CONCAT_WS
CONTAINS CONV CONVERT_TIMEZONE CORR COS COSH COT COUNT COUNT_IF COUNT_MIN_SKETCH COVAR_POP COVAR_SAMP CRC32 CSC
CUME_DIST CURDATE CURRENT_CATALOG CURRENT_DATABASE CURRENT_DATE CURRENT_PATH CURRENT_SCHEMA CURRENT_TIME
CURRENT_TIMESTAMP CURRENT_TIMEZONE CURRENT_USER DATE DATEADD DATEDIFF DATEPART DATE_ADD DATE_DIFF DATE_FORMAT
DATE_FROM_UNIX_DATE DATE_PART DATE_SUB DATE_TRUNC DAY DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR DECIMAL DECODE DEGREES
DENSE_RANK DIV DOUBLE E ELEMENT_AT ELT ENCODE ENDSWITH EQUAL_NULL EVERY EXISTS EXP EXPLODE EXPLODE_OUTER EXPM1 EXTRACT
FACTORIAL FILTER FIND_IN_SET FIRST FIRST_VALUE FLATTEN FLOAT FLOOR FORALL FORMAT_NUMBER FORMAT_STRING FROM_AVRO
FROM_CSV FROM_JSON FROM_PROTOBUF FROM_UNIXTIME FROM_UTC_TIMESTAMP FROM_XML GET GETBIT GET_JSON_OBJECT GREATEST
GROUPING GROUPING_ID HASH HEX HISTOGRAM_NUMERIC HLL_SKETCH_AGG HLL_SKETCH_ESTIMATE HLL_UNION HLL_UNION_AGG HOUR HYPOT
IF IFNULL ILIKE IN INITCAP INLINE INLINE_OUTER INPUT_FILE_BLOCK_LENGTH INPUT_FILE_BLOCK_START INPUT_FILE_NAME INSTR
INT ISNAN ISNOTNULL ISNULL IS_VALID_UTF8 IS_VALID_VARIANT IS_VARIANT_NULL JAVA_METHOD JSON_ARRAY_LENGTH
JSON_OBJECT_KEYS JSON_TUPLE KLL_MERGE_AGG_BIGINT KLL_MERGE_AGG_DOUBLE KLL_MERGE_AGG_FLOAT KLL_SKETCH_AGG_BIGINT
KLL_SKETCH_AGG_DOUBLE KLL_SKETCH_AGG_FLOAT KLL_SKETCH_GET_N_BIGINT KLL_SKETCH_GET_N_DOUBLE KLL_SKETCH_GET_N_FLOAT
KLL_SKETCH_GET_QUANTILE_BIGINT KLL_SKETCH_GET_QUANTILE_DOUBLE KLL_SKETCH_GET_QUANTILE_FLOAT KLL_SKETCH_GET_RANK_BIGINT
KLL_SKETCH_GET_RANK_DOUBLE KLL_SKETCH_GET_RANK_FLOAT KLL_SKETCH_MERGE_BIGINT KLL_SKETCH_MERGE_DOUBLE
KLL_SKETCH_MERGE_FLOAT KLL_SKETCH_TO_STRING_BIGINT KLL_SKETCH_TO_STRING_DOUBLE KLL_SKETCH_TO_STRING_FLOAT KURTOSIS LAG
LAST LAST_DAY LAST_VALUE LCASE LEAD LEAST LEFT LEN LENGTH LEVENSHTEIN LIKE LISTAGG LN LOCALTIMESTAMP LOCATE LOG LOG10
LOG1P LOG2 LOWER LPAD LTRIM LUHN_CHECK MAKE_DATE MAKE_DT_INTERVAL MAKE_INTERVAL MAKE_TIME MAKE_TIMESTAMP
MAKE_TIMESTAMP_LTZ MAKE_TIMESTAMP_NTZ MAKE_VALID_UTF8 MAKE_YM_INTERVAL MAP MAP_CONCAT MAP_CONTAINS_KEY MAP_ENTRIES
MAP_FILTER MAP_FROM_ARRAYS MAP_FROM_ENTRIES MAP_KEYS MAP_VALUES MAP_ZIP_WITH MASK MAX MAX_BY MD5 MEAN MEASURE MEDIAN
MIN MINUTE MIN_BY MOD MODE MONOTONICALLY_INCREASING_ID MONTH MONTHNAME MONTHS_BETWEEN NAMED_STRUCT NANVL NEGATIVE
NEXT_DAY NOT NOW NTH_VALUE NTILE NULLIF NULLIFZERO NVL NVL2 OCTET_LENGTH OR OVERLAY PARSE_JSON PARSE_URL PERCENTILE
PERCENTILE_APPROX PERCENTILE_CONT PERCENTILE_DISC PERCENT_RANK PI PMOD POSEXPLODE POSEXPLODE_OUTER POSITION POSITIVE
POW POWER PRINTF PYTHON_WORKER_LOGS QUARTER QUOTE RADIANS RAISE_ERROR RAND RANDN RANDOM RANDSTR RANGE RANK REDUCE
REFLECT REGEXP REGEXP_COUNT REGEXP_EXTRACT REGEXP_EXTRACT_ALL REGEXP_INSTR REGEXP_LIKE REGEXP_REPLACE REGEXP_SUBSTR
REGR_AVGX REGR_AVGY REGR_COUNT REGR_INTERCEPT REGR_R2 REGR_SLOPE REGR_SXX REGR_SXY REGR_SYY REPEAT REPLACE REVERSE
RIGHT RINT RLIKE ROUND ROW_NUMBER RPAD RTRIM SCHEMA_OF_AVRO SCHEMA_OF_CSV SCHEMA_OF_JSON SCHEMA_OF_VARIANT
SCHEMA_OF_VARIANT_AGG SCHEMA_OF_XML SEC SECOND SENTENCES SEQUENCE SESSION_USER SESSION_WINDOW SHA SHA1 SHA2 SHIFTLEFT
SHIFTRIGHT SHIFTRIGHTUNSIGNED SHUFFLE SIGN SIGNUM SIN SINH SIZE SKEWNESS SLICE SMALLINT SOME SORT_ARRAY SOUNDEX SPACE
SPARK_PARTITION_ID SPLIT SPLIT_PART SQL_KEYWORDS SQRT STACK STARTSWITH STD STDDEV STDDEV_POP STDDEV_SAMP STRING
STRING_AGG STRUCT STR_TO_MAP ST_ASBINARY ST_GEOGFROMWKB ST_GEOMFROMWKB ST_SETSRID ST_SRID SUBSTR SUBSTRING
SUBSTRING_INDEX SUM TAN TANH THETA_DIFFERENCE THETA_INTERSECTION THETA_INTERSECTION_AGG THETA_SKETCH_AGG
THETA_SKETCH_ESTIMATE THETA_UNION THETA_UNION_AGG TIME TIMESTAMP TIMESTAMP_MICROS TIMESTAMP_MILLIS TIMESTAMP_SECONDS
TIME_BUCKET TIME_DIFF TIME_FROM_MICROS TIME_FROM_MILLIS TIME_FROM_SECONDS TIME_TO_MICROS TIME_TO_MILLIS
TIME_TO_SECONDS TIME_TRUNC TINYINT TO_AVRO TO_BINARY TO_CHAR TO_CSV TO_DATE TO_JSON TO_NUMBER TO_PROTOBUF TO_TIME
TO_TIMESTAMP TO_TIMESTAMP_LTZ TO_TIMESTAMP_NTZ TO_UNIX_TIMESTAMP TO_UTC_TIMESTAMP TO_VARCHAR TO_VARIANT_OBJECT TO_XML
TRANSFORM TRANSFORM_KEYS TRANSFORM_VALUES TRANSLATE TRIM TRUNC TRY_ADD TRY_AES_DECRYPT TRY_AVG TRY_DIVIDE
TRY_ELEMENT_AT TRY_MAKE_INTERVAL TRY_MAKE_TIMESTAMP TRY_MAKE_TIMESTAMP_LTZ TRY_MAKE_TIMESTAMP_NTZ TRY_MOD TRY_MULTIPLY
TRY_PARSE_JSON TRY_PARSE_URL TRY_REFLECT TRY_SUBTRACT TRY_SUM TRY_TO_BINARY TRY_TO_DATE TRY_TO_NUMBER TRY_TO_TIME
TRY_TO_TIMESTAMP TRY_URL_DECODE TRY_VALIDATE_UTF8 TRY_VARIANT_GET TUPLE_DIFFERENCE_DOUBLE TUPLE_DIFFERENCE_INTEGER
TUPLE_DIFFERENCE_THETA_DOUBLE TUPLE_DIFFERENCE_THETA_INTEGER TUPLE_INTERSECTION_AGG_DOUBLE
TUPLE_INTERSECTION_AGG_INTEGER TUPLE_INTERSECTION_DOUBLE TUPLE_INTERSECTION_INTEGER TUPLE_INTERSECTION_THETA_DOUBLE
TUPLE_INTERSECTION_THETA_INTEGER TUPLE_SKETCH_AGG_DOUBLE TUPLE_SKETCH_AGG_INTEGER TUPLE_SKETCH_ESTIMATE_DOUBLE
TUPLE_SKETCH_ESTIMATE_INTEGER TUPLE_SKETCH_SUMMARY_DOUBLE TUPLE_SKETCH_SUMMARY_INTEGER TUPLE_SKETCH_THETA_DOUBLE
TUPLE_SKETCH_THETA_INTEGER TUPLE_UNION_AGG_DOUBLE TUPLE_UNION_AGG_INTEGER TUPLE_UNION_DOUBLE TUPLE_UNION_INTEGER
TUPLE_UNION_THETA_DOUBLE TUPLE_UNION_THETA_INTEGER TYPEOF UCASE UNBASE64 UNHEX UNIFORM UNIX_DATE UNIX_MICROS
UNIX_MILLIS UNIX_SECONDS UNIX_TIMESTAMP UPPER URL_DECODE URL_ENCODE USER UUID VALIDATE_UTF8 VARIANCE VARIANT_EXPLODE
VARIANT_EXPLODE_OUTER VARIANT_GET VAR_POP VAR_SAMP VECTOR_AVG VECTOR_COSINE_SIMILARITY VECTOR_INNER_PRODUCT
VECTOR_L2_DISTANCE VECTOR_NORM VECTOR_NORMALIZE VECTOR_SUM VERSION WEEKDAY WEEKOFYEAR WHEN WIDTH_BUCKET WINDOW
WINDOW_TIME XPATH XPATH_BOOLEAN XPATH_DOUBLE XPATH_FLOAT XPATH_INT XPATH_LONG XPATH_NUMBER XPATH_SHORT XPATH_STRING
XXHASH64 YEAR ZEROIFNULL ZIP_WITH
"""
FUNCTIONS = frozenset(_NAMES.split())
