"""The fields of actions and the JSON types of their values, and readers of many JSON texts at once as Arrow columns.

Each action is checked once, when it is read, and all later code relies on it. Source: Delta protocol, Actions. The
statistics of files are such JSON texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias
from urllib.parse import unquote

from deltasql.base import errors, pa, pc
from deltasql.log.actions.actions import Json


@dataclass(frozen=True, slots=True)
class _Kind:
    """A JSON type beyond Python's own: `accepts` decides about a value that is not null."""

    name: str
    accepts: Callable[[Any], bool]


def _is_small(value: Any) -> bool:
    return type(value) is int and -(1 << 31) <= value < 1 << 31


def _are_texts(value: Any) -> bool:
    return type(value) is list and all(type(item) is str for item in value)


def _maps_texts(value: Any) -> bool:
    return type(value) is dict and (not value or all(item is None or type(item) is str for item in value.values()))


def _is_time(value: Any) -> bool:
    return type(value) is int and _FIRST_TIME <= value <= _LAST_TIME


# The years 1 to 9999, in ms: a timestamp of a result holds no other.
_FIRST_TIME, _LAST_TIME = -62_135_596_800_000, 253_402_300_799_999


def _are_counts(value: Any) -> bool:
    return type(value) is list and all(type(item) is int for item in value)


# Python's own types stand for a string, a boolean, an object, and a 64-bit integer.
_INT = _Kind("a 32-bit integer", _is_small)
_TEXTS = _Kind("an array of strings", _are_texts)
_TIME = _Kind("a time in milliseconds", _is_time)
COUNTS = _Kind("an array of integers", _are_counts)
_MAP = _Kind("an object of strings", _maps_texts)
_NAMES = {str: "a string", bool: "a boolean", int: "a 64-bit integer", dict: "an object"}
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a JSON object, and which of them it must have to be of use."""

    fields: Mapping[str, _Type]
    required: tuple[str, ...] = ()


_Type: TypeAlias = "type[Any] | _Kind | Fields"

_VECTOR = Fields(
    {"storageType": str, "pathOrInlineDv": str, "offset": _INT, "sizeInBytes": _INT, "cardinality": int},
    ("storageType", "pathOrInlineDv", "sizeInBytes", "cardinality"),
)
_FILE: Mapping[str, _Type] = {
    "path": str,
    "partitionValues": _MAP,
    "size": int,
    "dataChange": bool,
    "stats": str,
    "tags": _MAP,
    "deletionVector": _VECTOR,
    "baseRowId": int,
    "defaultRowCommitVersion": int,
}
ACTIONS: Mapping[str, Fields] = {
    "add": Fields({**_FILE, "modificationTime": int, "clusteringProvider": str}, ("path", "size", "modificationTime")),
    "remove": Fields({**_FILE, "deletionTimestamp": int, "extendedFileMetadata": bool}, ("path",)),
    "cdc": Fields({**_FILE}, ("path",)),
    "metaData": Fields(
        {
            "id": str,
            "name": str,
            "description": str,
            "format": Fields({"provider": str, "options": _MAP}),
            "schemaString": str,
            "partitionColumns": _TEXTS,
            "configuration": _MAP,
            "createdTime": _TIME,
        },
        ("id",),
    ),
    "protocol": Fields(
        {"minReaderVersion": _INT, "minWriterVersion": _INT, "readerFeatures": _TEXTS, "writerFeatures": _TEXTS},
        ("minReaderVersion", "minWriterVersion"),
    ),
    "txn": Fields({"appId": str, "version": int, "lastUpdated": int}, ("appId", "version")),
    "domainMetadata": Fields({"domain": str, "configuration": str, "removed": bool}, ("domain", "configuration")),
    # Writers put what they like into it; these are what a reader relies on.
    "commitInfo": Fields({"inCommitTimestamp": _TIME, "txnId": str}),
    "sidecar": Fields({"path": str, "sizeInBytes": int, "modificationTime": int, "tags": _MAP}, ("path",)),
    "checkpointMetadata": Fields({"version": int, "tags": _MAP}),
}


def _are_paths(value: Any) -> bool:
    return type(value) is list and all(type(item) is str or (item and _are_texts(item)) for item in value)


# The domains that tables rely on here, with what their configurations tell.
_DOMAINS: Mapping[str, Fields] = {
    "delta.clustering": Fields({"clusteringColumns": _Kind("an array of paths", _are_paths)}),
    "delta.rowTracking": Fields({"rowIdHighWaterMark": int}),
}


class InvalidFieldError(ValueError):
    """A field of an action whose value has another type than the Delta protocol says; the text names it."""


def parse_line(line: bytes, number: int, path: str, table: str, *, odd: bool = True) -> Json:
    """One action, with what it must hold to be of use and fields of the right types; {} for an empty line.

    `odd` is false where `has_odd_characters` says so of the whole text. Raises InvalidLogJsonError, and
    InvalidDeletionVectorError for numbers that no deletion vector has.
    """
    if not line or line.isspace():
        return {}
    try:
        action = _decoded(line)
        if type(action) is not dict:
            raise InvalidFieldError("an action is a JSON object")
        for kind, value in action.items():
            if kind in ACTIONS and value is not None:
                check_action(kind, value)
        if odd and has_odd_characters(line):
            check_characters(action)
    except (ValueError, RecursionError) as error:
        raise errors.InvalidLogJsonError(table, path, number, str(getattr(error, "msg", error)).rstrip(".")) from error
    return action


_DECODER = json.JSONDecoder()


def _decoded(line: bytes) -> Any:
    """The value of a line of JSON, without the search of `json.loads` for an encoding and for blanks."""
    try:
        text = line.decode("utf-8", "surrogatepass")
        value, end = _DECODER.raw_decode(text)
    except ValueError:
        return json.loads(line)
    return value if end == len(text) else json.loads(line)


# The names of fields and the types of their values in actions that were right, with those fields that are still to be
# looked at: integers and maps. The actions of a log have few shapes, and one look-up takes the place of many.
_SHAPES: dict[tuple[object, ...], tuple[tuple[str, ...], tuple[str, ...]]] = {}
_MOST_SHAPES = 1000
_PLAIN = frozenset({str, bool, int, dict, type(None)})
_TEXTS_OR_NULLS = frozenset({str, type(None)})


def check_action(kind: str, action: Any) -> None:
    """Raises InvalidFieldError, and InvalidDeletionVectorError for numbers that no deletion vector has."""
    if type(action) is not dict:
        raise InvalidFieldError(f"{kind} is no JSON object")
    shape = (kind, *action, *map(type, action.values()))
    cached = _SHAPES.get(shape)
    if cached is None or not _is_right(action, *cached):
        check_fields(kind, action, ACTIONS[kind])
        _remember(shape, action, ACTIONS[kind].fields)
    if kind == "domainMetadata" and action["domain"] in _DOMAINS and not action.get("removed"):
        _check_domain(action["domain"], action["configuration"])


def _check_domain(domain: str, configuration: str) -> None:
    try:
        check_fields(domain, json.loads(configuration or "{}"), _DOMAINS[domain])
    except (json.JSONDecodeError, RecursionError):
        raise InvalidFieldError(f"the configuration of {domain} is no JSON") from None


def _remember(shape: tuple[object, ...], action: Json, fields: Mapping[str, _Type]) -> None:
    """Keeps the shape of an action that was right, unless more than its types has to be looked at."""
    checked = [name for name, value in action.items() if value is not None and name in fields]
    is_plain = all(fields[name] in (str, bool, int, _MAP) for name in checked)
    if is_plain and _PLAIN.issuperset(map(type, action.values())) and len(_SHAPES) < _MOST_SHAPES:
        integers, maps = (tuple(name for name in checked if fields[name] is kind) for kind in (int, _MAP))
        _SHAPES[shape] = integers, maps


def _is_right(action: Json, integers: tuple[str, ...], maps: tuple[str, ...]) -> bool:
    for name in integers:
        if not _LEAST <= action[name] <= _MOST:
            return False
    for name in maps:
        values = action[name]
        if values and not _TEXTS_OR_NULLS.issuperset(map(type, values.values())):
            return False
    return True


def check_fields(name: str, action: Any, kinds: Fields) -> None:
    """Raises what `check_action` does. A number such as 1.0 for an integer becomes one."""
    if type(action) is not dict:
        raise InvalidFieldError(f"{name} is no JSON object")
    for field in kinds.required:
        if action.get(field) is None:
            raise InvalidFieldError(f"the action lacks '{field}'")
    fields = kinds.fields
    value: Any
    for field, value in action.items():
        kind = fields.get(field)
        # One comparison decides for nearly all values of a large log.
        if type(value) is kind:
            if kind is not int or _LEAST <= value <= _MOST:
                continue
        elif kind is None or value is None or (type(kind) is _Kind and kind.accepts(value)):
            continue
        _check_field(f"{name}.{field}", action, field, kind)


def _check_field(name: str, action: Json, field: str, kind: _Type) -> None:
    value = action[field]
    if isinstance(kind, Fields):
        check_fields(name, value, kind)
        return
    if type(value) is float and value.is_integer() and kind in (int, _INT, _TIME):
        action[field] = value = int(value)
    if kind.accepts(value) if isinstance(kind, _Kind) else _is_integer(value) and kind is int:
        return
    described = kind.name if isinstance(kind, _Kind) else _NAMES[kind]
    if type(value) is int and name.endswith((".deletionVector.offset", ".deletionVector.sizeInBytes")):
        raise errors.InvalidDeletionVectorError(action["pathOrInlineDv"], f"its {field} {value} is not {described}")
    raise InvalidFieldError(f"{name} is not {described}")


def _is_integer(value: Any) -> bool:
    return type(value) is int and _LEAST <= value <= _MOST


_ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")


def has_odd_characters(text: bytes) -> bool:
    """Whether JSON may hold a NUL, which no name of a file has, or half of a surrogate pair, which is no character."""
    return has_odd_bytes(text) or (b"\\u" in text and (b"\\ud" in text or b"\\uD" in text))


def has_odd_bytes(text: bytes) -> bool:
    """As `has_odd_characters`, but for surrogates that are escaped: Arrow's reader refuses halves of these itself."""
    if b"%00" in text or (b"\\u" in text and b"\\u0000" in text):
        return True
    return b"\xed" in text and _ENCODED_SURROGATE.search(text) is not None


def check_characters(values: Json) -> None:
    """Raises InvalidFieldError for half of a surrogate pair anywhere, or a NUL in the path of an action."""
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidFieldError("half of a surrogate pair is no character") from None
    for kind, value in values.items():
        path = value.get("path") if kind in ACTIONS and value is not None else None
        if path is not None and "\0" in unquote(path):
            raise InvalidFieldError(f"{kind}.path holds a NUL character")


def read_objects(texts: pa.StringArray, fields: Iterable[pa.Field]) -> pa.Table:
    """One row for each text, with the columns `fields`; other fields of the objects are ignored.

    A null gives a row of nulls. Raises ArrowInvalid where a text is not one object, or a value has another type.
    """
    import pyarrow.json

    from deltasql.schema import strings

    texts = texts if texts.null_count == 0 else pc.fill_null(texts, strings(["{}"])[0])
    # Arrow's reader ends the whole process at a `null` between objects.
    if not pc.all(pc.and_(pc.starts_with(texts, "{"), pc.ends_with(texts, "}"))).as_py():
        raise pa.ArrowInvalid("a text is not one object")
    buffer = _text(texts)
    table = pyarrow.json.read_json(
        pa.BufferReader(buffer),
        # Within one block the reader parses consecutive objects without separators.
        read_options=pyarrow.json.ReadOptions(block_size=buffer.size + 1, use_threads=False),
        parse_options=pyarrow.json.ParseOptions(
            explicit_schema=pa.schema(list(fields)), unexpected_field_behavior="ignore"
        ),
    )
    if table.num_rows != len(texts):
        raise pa.ArrowInvalid("a text is not one object")
    return table


def parsed_object(text: str) -> dict[str, Any] | None:
    """The object of one text, with Decimal for numbers that are not whole; None if it is not an object."""
    try:
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(texts: pa.StringArray) -> pa.Buffer:
    """The concatenated bytes of all `texts`, without a copy."""
    _, offsets, data = texts.buffers()
    if data is None:
        return pa.py_buffer(b"")
    positions = memoryview(offsets).cast("i")
    first, last = positions[texts.offset], positions[texts.offset + len(texts)]
    return data.slice(first, last - first)
