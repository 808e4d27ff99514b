"""SQL of values of the types without parts: such as an assignment takes, and such as it must cast or refuse."""

from __future__ import annotations

VALUES = {
    "TINYINT": ("0", "1", "-7", "127", "-128"),
    "SMALLINT": ("0", "1", "2", "-300", "32767"),
    "INT": ("0", "1", "2", "3", "-5", "300", "2147483647"),
    "BIGINT": ("0", "1", "2", "40000000000", "-9223372036854775808"),
    "FLOAT": ("0.0F", "-0.0F", "1.5F", "0.1F", "16777216F", "float('NaN')"),
    "DOUBLE": ("0.0D", "-0.0D", "1.5D", "1e300D", "double('NaN')", "double('-Infinity')"),
    "DECIMAL": ("0.00", "1.25", "-99.99", "9999.99"),
    "STRING": ("''", "'x'", "'x  '", "'Ä'", "'a''b'", "'%'", "'longer text'", "'a/b=c'", "'1'"),
    "BINARY": ("X''", "X'00'", "X'41FF'"),
    "BOOLEAN": ("TRUE", "FALSE"),
    "DATE": (
        *("DATE '2024-02-29'", "DATE '1969-12-31'", "DATE '2024-07-01'", "DATE '2024-03-10'"),
        *("DATE '1582-10-10'", "DATE '1900-03-01'", "DATE '0001-01-02'", "DATE '9999-12-30'"),
    ),
    "TIMESTAMP": (
        *(
            "TIMESTAMP '2024-01-01 00:30:00'",
            "TIMESTAMP '2024-07-01 23:59:59.999999Z'",
            "TIMESTAMP '2024-07-01 00:00:00'",
        ),
        # An hour that New York skips, and twice the one that it repeats.
        *("TIMESTAMP '2024-03-10 02:30:00'", "TIMESTAMP '2024-11-03 05:30:00Z'", "TIMESTAMP '2024-11-03 06:30:00Z'"),
        *("TIMESTAMP '2024-11-03 01:30:00'", "TIMESTAMP '1969-12-31 23:59:59.5'"),
        # Before the Gregorian calendar, and before zones were whole minutes.
        *("TIMESTAMP '1582-10-10 12:00:00'", "TIMESTAMP '1883-11-18 12:00:00'", "TIMESTAMP '1900-01-01 00:00:00'"),
        *("TIMESTAMP '0001-01-02 00:00:00'", "TIMESTAMP '9999-12-30 23:59:59.999999'"),
    ),
    "TIMESTAMP_NTZ": (
        *("TIMESTAMP_NTZ '2024-01-01 00:30:00'", "TIMESTAMP_NTZ '2024-03-10 02:30:00'"),
        *("TIMESTAMP_NTZ '2024-11-03 01:30:00'", "TIMESTAMP_NTZ '1500-02-28 00:00:00.000001'"),
    ),
    "CHAR": ("''", "'x'", "'x '", "'xy'", "'abc'", "'Ä'"),
    "VARCHAR": ("''", "'x'", "'x '", "'abcd'", "'ab  '", "'Ä'"),
}
"""Every assignment takes these."""

LOOSE = {
    "TINYINT": ("300", "-129", "5L", "1.9", "1e2D", "2147483648"),
    "SMALLINT": ("40000", "5L", "1.9", "1e2D", "7Y"),
    "INT": ("2147483648", "7L", "1.9", "1e2D", "-1e30D", "5Y"),
    "BIGINT": ("5", "1.9", "1e30D"),
    "FLOAT": ("1", "1.25", "16777217", "1e300D"),
    "DOUBLE": ("1", "1.25", "40000000000", "0.1F"),
    "DECIMAL": ("1", "99999", "1.255", "1e2D", "12345.678"),
    "STRING": ("1", "1.50", "TRUE", "DATE '2024-02-29'", "1.5D"),
    "BINARY": (),
    "DATE": ("TIMESTAMP '2024-01-01 00:30:00'", "TIMESTAMP_NTZ '2024-03-10 02:30:00'"),
    "TIMESTAMP": ("DATE '2024-02-29'", "DATE '1900-01-01'", "TIMESTAMP_NTZ '2024-03-10 02:30:00'"),
    "TIMESTAMP_NTZ": ("DATE '2024-02-29'", "TIMESTAMP '2024-11-03 06:30:00Z'"),
    "CHAR": ("'abcd'", "'abc   '", "12", "1234"),
    "VARCHAR": ("'abcde'", "'abcd   '", "12", "12345"),
    "BOOLEAN": (),
}
"""An assignment of the ANSI policy casts these by itself, though it may fail for a value."""

_WHOLE = ("1", "2L", "0Y", "1.0", "1.5", "2.5D", "0.1F", "'1'", "'-5'", "40000000000", "9223372036854775807")
_BROKEN = ("1", "2L", "1.5", "0.1", "1.25D", "0.1F", "'1.5'", "'0.1'", "16777217", "9999.99")
_MOMENTS = (
    *("DATE '2024-07-01'", "DATE '2024-03-10'", "DATE '1900-01-01'", "'2024-07-01'", "'2024-03-10 02:30:00'"),
    *("'1582-10-10 12:00:00'", "TIMESTAMP '2024-07-01 00:00:00'", "TIMESTAMP_NTZ '2024-03-10 02:30:00'"),
    *("TIMESTAMP '2024-11-03 06:30:00Z'", "TIMESTAMP_NTZ '2024-11-03 01:30:00'"),
)
OTHER_TYPES = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), _WHOLE),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), _BROKEN),
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP_NTZ"), _MOMENTS),
    "BOOLEAN": ("'true'", "'f'", "TRUE"),
}
"""Constants, often of other types, with which every value of a type can be compared: no cast fails."""
