"""The calls that the grid of functions is made of: each line is a function with the types of its arguments.

A type stands by a letter of TYPES, several in a row for one argument of any of them. `'…'` is a text that is written
out, and `@date` one of several patterns (TEXTS); `#` is a written whole number. `name(…) over` is a window function.
"""

from __future__ import annotations

TYPES: dict[str, tuple[str, ...]] = {
    "i": ("TINYINT", "SMALLINT", "INT", "BIGINT"),
    "f": ("FLOAT", "DOUBLE"),
    "k": ("DECIMAL",),
    "s": ("STRING",),
    "b": ("BOOLEAN",),
    "x": ("BINARY",),
    "d": ("DATE",),
    "t": ("TIMESTAMP",),
    "z": ("TIMESTAMP_NTZ",),
    "h": ("INTERVAL DAY TO SECOND",),
    "y": ("INTERVAL YEAR TO MONTH",),
    "a": ("ARRAY<INT>", "ARRAY<STRING>", "ARRAY<DOUBLE>"),
    "r": ("ARRAY<STRUCT>",),
    "m": ("MAP<STRING, INT>", "MAP<INT, STRING>"),
    "o": ("STRUCT",),
    "v": ("VOID",),
    "w": ("small INT",),
    "e": ("near DATE",),
}
"""Types by their letters; `n` is any number, `p` any type without parts, `*` any type."""
TYPES["n"] = TYPES["i"] + TYPES["f"] + TYPES["k"]
TYPES["p"] = tuple(kind for letter in "nsbxdtz" for kind in TYPES[letter])
TYPES["*"] = tuple(dict.fromkeys(kind for letter in "pharmov" for kind in TYPES[letter]))

VALUES: dict[str, tuple[str, ...]] = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": ("0Y", "3Y", "-7Y", "127Y"),
    "SMALLINT": ("0S", "5S", "-30S", "32767S"),
    "INT": ("0", "2", "-1", "10", "2147483647"),
    "BIGINT": ("0L", "2L", "-1L", "12345678901L", "9223372036854775807L"),
    "FLOAT": ("0F", "-0.0F", "1.5F", "-2.25F", "3.4e38F", "FLOAT('NaN')"),
    "DOUBLE": ("0D", "-0.0D", "0.5D", "-2.5D", "1234.5678D", "1e300D", "DOUBLE('NaN')", "DOUBLE('-Infinity')"),
    "DECIMAL": ("0.00BD", "1.25BD", "-2.50BD", "99999999.99BD"),
    "STRING": ("''", "'a'", "' Ab c '", "'é😀ß'", "'12'", "'2024-02-29'", "'a,b;c'", "'İıǅ'", "'٣\\u00a0x-y\\n'"),
    "BINARY": ("X''", "X'41'", "X'00FF'", "X'C3A9'"),
    "small INT": ("0", "2", "-1", "10"),
    "near DATE": ("DATE'2024-02-27'", "DATE'2024-03-01'"),
    "DATE": ("DATE'2024-02-29'", "DATE'1969-12-31'", "DATE'1582-10-15'", "DATE'0001-01-01'", "DATE'9999-12-31'"),
    "TIMESTAMP": (
        *("TIMESTAMP'2024-02-29 23:59:59.999999Z'", "TIMESTAMP'1969-12-31 23:59:59.5Z'"),
        *("TIMESTAMP'2024-03-10 07:30:00Z'", "TIMESTAMP'2024-11-03 05:30:00Z'", "TIMESTAMP'1883-11-18 17:30:00Z'"),
    ),
    "TIMESTAMP_NTZ": (
        *("TIMESTAMP_NTZ'2024-02-29 23:59:59.999999'", "TIMESTAMP_NTZ'1969-12-31 23:59:59.5'"),
        *("TIMESTAMP_NTZ'2024-03-10 02:30:00'", "TIMESTAMP_NTZ'1582-10-15 00:00:00'"),
    ),
    "INTERVAL DAY TO SECOND": ("INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-3 00:00:00' DAY TO SECOND"),
    "INTERVAL YEAR TO MONTH": ("INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-0-11' YEAR TO MONTH"),
    "ARRAY<INT>": ("array(3, 1, NULL, 2)", "array(1, 1)", "array(7)"),
    "ARRAY<STRING>": ("array('b', 'a', NULL)", "array('', 'é')", "array('a')"),
    "ARRAY<DOUBLE>": ("array(1.5D, -0.0D)", "array(DOUBLE('NaN'), 2D, NULL)"),
    "ARRAY<STRUCT>": ("array(named_struct('x', 1, 'y', 'z'))",),
    "MAP<STRING, INT>": ("map('a', 1, 'b', NULL)", "map('', 0)"),
    "MAP<INT, STRING>": ("map(1, 'a', 2, NULL)", "map(-1, 'é')"),
    "STRUCT": ("named_struct('x', 1, 'y', 'z')", "named_struct('x', 2, 'y', 'a')"),
    "VOID": ("NULL",),
}
"""Values of each type as they are written; NULL is one more of each."""

NUMBERS = ("0", "1", "2", "3", "-1")
"""What a `#` stands for."""

TEXTS: dict[str, tuple[str, ...]] = {
    "date": (
        *("yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyyMMdd", "dd/MM/yyyy", "MM/dd/yyyy", "yyyy-MM", "yyyy", "MM", "dd"),
        *("HH:mm", "HH", "mm", "ss", "yyyy-MM-dd'T'HH:mm:ss", "dd.MM.yyyy", "yy", "M/d/yyyy", "H:m:s", "d MMM yyyy"),
        *("MMM", "MMMM", "EEE", "EEEE", "E", "hh:mm a", "yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd HH:mm:ss.SSSSSS", "D"),
        *("Q", "'Q'Q", "yyyy-MM-dd HH:mm", "MMM d, yyyy", "DDD", "SSS", "a", "y", "d", "H", "m", "s"),
    ),
    "unit": (
        *("YEAR", "YYYY", "YY", "QUARTER", "MONTH", "MM", "MON", "WEEK", "DAY", "DD", "HOUR", "MINUTE", "SECOND"),
        *("MILLISECOND", "MICROSECOND", "year", "month", "day", "week", "hour", "quarter", "mm", "minute", "second"),
    ),
    "regex": (
        *("a", "[a-z]+", "[A-Z]", "[0-9]+", "[^a-z]", "^a", "c$", "b*", ".", "(a)", "(a|b)", r"\\d+", r"\\w+", r"\\s+"),
        *(r"\\.", ",", "[,;]", "", r"(\\d+)-(\\d+)", "^.*$", " ", "-", "a{1,2}", "[ab]?", r"^\\s+|\\s+$", ";", "/"),
    ),
    "like": ("%", "a%", "%a", "%b%", "_", "a_b%", "", "12", r"\\%", "A%", "%é%"),
    "separator": (",", ";", "", "-", " ", ", ", "|", "/", "é"),
    "path": ("$.a", "$.b", "$.a.b", "$.c[0]", "$['a']", "$"),
    "printf": ("%s", "%s-%s", "<%s>"),
    "field": (
        *("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "QUARTER", "WEEK", "DOW", "DOY", "year", "month", "day", "hour"),
        *("minute", "DAYOFWEEK", "DAYOFYEAR", "SECOND", "second", "EPOCH"),
    ),
    "map": ("x -> x", "x -> x IS NULL", "(x, i) -> i"),
    "test": ("x -> x IS NOT NULL", "x -> x IS NULL", "x -> NULL"),
    "fold": ("(s, x) -> s", "(s, x) -> s + x"),
    "entry": ("(k, v) -> k", "(k, v) -> v IS NULL"),
    "entry test": ("(k, v) -> v IS NULL", "(k, v) -> k IS NOT NULL"),
    "pair": ("(x, y) -> x", "(x, y) -> y IS NULL"),
    "zone": ("UTC", "America/New_York", "Asia/Kolkata", "Europe/Berlin", "+02:00"),
}
"""Texts that are written out, by what they are for. Those with an arrow are lambdas, and no texts."""

ONE_BY_ONE = frozenset(
    """
    array_join concat_ws date_from_unix_date date_trunc element_at factorial from_unixtime get overlay pow power slice
    substr substring trunc try_element_at try_mod
    """.split()  # noqa: SIM905 - twenty quoted words
)
"""Functions that Sail refuses for some values: their rows are asked one by one."""

SCALARS = """
abs(n) acos(f) acosh(f) asin(f) asinh(f) atan(f) atan2(f,f) atanh(f) cbrt(f) ceil(n) ceiling(n) cos(f) cosh(f) cot(f)
csc(f) degrees(f) e() exp(f) expm1(f) floor(n) hypot(f,f) ln(f) log(f) log(f,f) log10(f) log1p(f) log2(f) mod(n,=)
negative(n) positive(n) pi() pmod(n,=) pow(f,f) power(f,f) pow(i,i) power(i,i) radians(f) rint(f) round(n) round(n,#)
sec(f) sign(n) signum(n) signum(f) sin(f) sinh(f) sqrt(f) sqrt(i) tan(f) tanh(f) width_bucket(f,f,f,#) isnan(f)
isnan(n) nanvl(f,f) factorial(i) bin(i) hex(isx) unhex(s) conv(s,#,#) shiftleft(i,i) shiftright(i,i)
shiftrightunsigned(i,i) bit_count(i) bit_get(i,#) getbit(i,#) exp(i) ln(i) log10(i) log2(i) sin(i) cos(i) cbrt(i)
greatest(n,=...) least(n,=...) greatest(s,=...) least(s,=...) greatest(dt,=...) least(dt,=...) try_divide(n,=)
try_mod(i,i) ceil(k,#) floor(k,#) upper(s) lower(s) ucase(s) lcase(s) initcap(s) length(sx) char_length(s)
character_length(s) octet_length(sx) len(sx) bit_length(sx) trim(s) ltrim(s) rtrim(s) btrim(s) btrim(s,s) ltrim(s,s)
rtrim(s,s) lpad(s,#) rpad(s,#) lpad(s,#,s) lpad(s,w,s) rpad(s,#,s) rpad(s,w,s) concat(s,snbd...) concat(x,x...)
concat(i,s...) concat(a,=) concat_ws(@separator,si...) concat_ws(@separator,a) substring(s,#) substring(s,#,#)
substr(s,#) substr(s,#,#) substring(s,i,i) substr(s,i,i) substring(s,i) substr(s,i) left(s,#) right(s,#) left(s,i)
right(s,i) instr(s,s) locate(s,s) locate(s,s,#) position(s,s) position(s,s,#) replace(s,s) replace(s,s,s) repeat(s,#)
repeat(s,w) reverse(s) reverse(a) space(#) split(s,@regex) split(s,@regex,#) split_part(s,@separator,#)
substring_index(s,@separator,#) startswith(s,s) endswith(s,s) contains(s,s) startswith(x,x) endswith(x,x)
contains(x,x) translate(s,s,s) ascii(s) chr(i) char(i) base64(x) unbase64(s) md5(sx) sha(sx) sha1(sx) sha2(s,'256')
sha2(sx,#) crc32(sx) levenshtein(s,s) soundex(s) overlay(s,s,#) overlay(s,s,#,#) find_in_set(s,s) elt(#,s,s)
format_number(n,#) format_string(@printf,s,s) printf(@printf,s,s) format_string('%d',i) format_string('%05d',i)
format_string('%.2f',f) format_string('%s',i) encode(s,'UTF-8') decode(x,'UTF-8') regexp_replace(s,@regex,s)
regexp_replace(s,@regex,'') regexp_replace(s,@regex,'-') regexp_extract(s,@regex,'0') regexp_extract(s,@regex,#)
regexp_extract(s,@regex) regexp_extract_all(s,@regex,#) regexp_like(s,@regex) regexp(s,@regex) rlike(s,@regex)
regexp_count(s,@regex) regexp_instr(s,@regex) regexp_substr(s,@regex) like(s,@like) ilike(s,@like) sentences(s)
to_binary(s,'hex') to_binary(s,'utf-8') is_valid_utf8(s) luhn_check(s) mask(s) char(#) chr(#) quote(s) url_encode(s)
url_decode(s) try_url_decode(s) empty2null(s) collation(s) parse_url(s,'HOST') isnull(*) isnotnull(*) ifnull(p,=)
nvl(p,=) nvl2(p,s,=) nvl2(s,p,=) coalesce(parmo,=...) nullif(p,=) nullifzero(n) zeroifnull(n) equal_null(p,=)
typeof(p) hash(paro...) xxhash64(paro...) year(dtz) month(dtz) day(dtz) dayofmonth(dtz) dayofweek(dtz) dayofyear(dtz)
weekday(dtz) weekofyear(dtz) quarter(dtz) hour(tz) minute(tz) second(tz) dayname(dtz) monthname(dtz) last_day(dtz)
date_add(d,#) date_sub(d,#) date_add(d,i) date_sub(d,i) dateadd(d,#) add_months(d,#) add_months(d,i) datediff(d,d)
date_diff(d,d) datediff(t,t) datediff(z,z) months_between(d,d) months_between(t,t) months_between(d,d,b)
next_day(d,'MON') next_day(d,'Sunday') trunc(d,@unit) trunc(t,@unit) date_trunc(@unit,t) date_trunc(@unit,z)
date_trunc(@unit,d) date_format(d,@date) date_format(t,@date) date_format(z,@date) to_date(s) to_date(t) to_date(d)
to_date(s,@date) to_timestamp(s) to_timestamp(d) to_timestamp(t) to_timestamp(s,@date) to_timestamp_ltz(s)
to_timestamp_ntz(s) to_timestamp_ntz(d) try_to_timestamp(s) try_to_date(s) try_to_timestamp(s,@date) unix_timestamp(t)
unix_timestamp(s) unix_timestamp(d) unix_timestamp(s,@date) unix_seconds(t) unix_millis(t) unix_micros(t) unix_date(d)
to_unix_timestamp(t) to_unix_timestamp(s) from_unixtime(i) from_unixtime(i,@date) timestamp_micros(i)
timestamp_millis(i) timestamp_seconds(i) date_from_unix_date(i) from_utc_timestamp(t,@zone) to_utc_timestamp(t,@zone)
convert_timezone(@zone,@zone,z) make_date(w,w,w) date_part(@field,d)
date_part(@field,t) date_part(@field,z) datepart(@field,d) datepart(@field,t) date(s) date(t) date(d) timestamp(s)
timestamp(d) timestamp(t) make_dt_interval(#,#,#) array(parmo,=...)
array(parmo) array() array_append(a,i) array_append(a,s) array_compact(a) array_contains(a,i) array_contains(a,s)
array_distinct(a) array_except(a,=) array_intersect(a,=) array_join(a,@separator)
array_join(a,@separator,'x') array_max(a) array_min(a) array_position(a,i) array_position(a,s) array_prepend(a,i)
array_prepend(a,s) array_remove(a,i) array_remove(a,s) array_size(ar)
array_sort(a) array_union(a,=) arrays_overlap(a,=) arrays_zip(a,a) cardinality(arm) size(arm) element_at(a,#)
element_at(r,#) element_at(m,s) try_element_at(a,#) try_element_at(m,s) get(a,#) get(r,#) flatten(a)
slice(a,#,#) slice(r,#,#) sort_array(a) sort_array(a,b)
sequence(#,#) sequence(w,w) sequence(e,e)
sort_array(a,'true') map(s,=...2) map(s,i) map(s,d) map(i,s) map() map_concat(m,=) map_contains_key(m,s) map_entries(m)
map_from_arrays(a,a) map_keys(m) map_values(m) map_from_entries(r) str_to_map(s,',',':') str_to_map(s) struct(*...)
named_struct($,*...2) get_json_object(s,@path) json_array_length(s) json_object_keys(s) to_json(o) to_json(m)
to_json(a) from_json(s,'a INT, b STRING') to_csv(o) from_csv(s,'a INT, b STRING') get_json_object(s,'$.a.b.c')
transform(ar,@map) filter(ar,@test) exists(ar,@test)
forall(ar,@test) aggregate(a,#,@fold) reduce(a,#,@fold) map_filter(m,@entry test) transform_values(m,@entry)
transform_keys(m,@entry) zip_with(ar,=,@pair)
"""

AGGREGATES = """
count(*) sum(n) avg(n) mean(n) min(p) max(p) first(p) last(p) first_value(p) last_value(p) any_value(p)
first(p,'true') collect_list(p) collect_set(p) array_agg(p) count_if(b) bool_and(b) bool_or(b) every(b) some(b) any(b)
bit_and(i) bit_or(i) bit_xor(i) stddev(n) stddev_samp(n) stddev_pop(n) std(n) variance(n) var_samp(n) var_pop(n)
corr(f,f) covar_pop(f,f) covar_samp(f,f) skewness(f) kurtosis(f) median(n) mode(p) max_by(s,ndts) max_by(i,ndts)
min_by(s,ndts) min_by(i,ndts) approx_count_distinct(p) percentile(n,'0.5') percentile_cont(f) regr_count(f,f)
regr_avgx(f,f) regr_slope(f,f) product(n) try_sum(n) try_avg(n) histogram_numeric(f,#) min(a) max(a) first(arm)
last(arm) count(*...) min(o) max(o) collect_list(o) collect_list(a) any_value(arm) sum(h) avg(h) min(h) max(h)
"""

WINDOWS = """
row_number() rank() dense_rank() percent_rank() cume_dist() ntile(#) lag(p) lead(p) lag(p,#) lead(p,#) lag(is,#,=)
lead(is,#,=) first_value(p) last_value(p) nth_value(p,#) sum(n) avg(n) min(p) max(p) count(parmo)
"""
"""Calls in front of OVER."""

GENERATORS = """
explode(ar) explode(m) posexplode(ar) inline(r) explode_outer(ar) posexplode_outer(ar) inline_outer(r) stack('2',i,=)
stack('2',s,=)
"""
