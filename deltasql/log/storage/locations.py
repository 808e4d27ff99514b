"""Locations of tables, and their spellings by users, in logs, by Hadoop and by deltasql.

A location is absolute, decoded and canonical: one directory has one location, a prefix of all paths below it. A local
one is a plain path, any other a URL with its storage's canonical scheme (`s3a://b/t` is `s3://b/t`), without a last
slash.

Where files are: names in `_delta_log`, and the encoded paths of data files in the log.

Three spellings of a data file meet here. *As in the log*: URI-encoded, relative to the table or absolute. *Canonical*:
decoded, relative where the file lies below the table; two actions are about one file if these are equal. *Absolute*:
decoded, what a reader opens. A table's `root` is its location, absolute and decoded.
Source: Delta protocol, File Types, Add File and Remove File; java.net.URI for what is encoded.
"""

from __future__ import annotations

import re
import unicodedata
from os.path import normpath, realpath
from pathlib import Path
from urllib.parse import quote, unquote

_ALIASES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "gcs": "gs"}
"""Aliases of schemes, with the canonical ones: names of Hadoop's older connectors, or of those without TLS."""

_HADOOP = {"s3": "s3a"}
"""Hadoop's names of those schemes that it names differently."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def scheme(location: str) -> str:
    """The canonical scheme of a location in lower case; `file` for a plain path."""
    match = _SCHEME.match(location)
    if match is None or location.startswith("/"):
        return "file"
    return _ALIASES.get(match[1].lower(), match[1].lower())


def is_local(location: str) -> bool:
    """True for an absolute path or a `file:` URL."""
    return location.startswith(("/", "file:"))


def is_url(location: str) -> bool:
    """True for a text that begins with a scheme, `file:` included."""
    return _SCHEME.match(location) is not None


def plain_location(decoded: str) -> str:
    """A decoded path or URI with its canonical scheme; a `file:` URI becomes a plain path, without its authority."""
    match = _SCHEME.match(decoded)
    if match is None:
        return decoded
    if match[1] == "file":
        rest = decoded[len("file:") :]
        if rest.startswith("//"):
            rest = rest[2:].partition("/")[2]
        return "/" + rest.lstrip("/")
    return scheme(decoded) + decoded[match.end(1) :]


def local_path(location: str) -> str:
    """The plain path of a local location: `file:///a%20b` and `file:/a%20b` are `/a b`; a path stays as it is."""
    path = location
    if location.startswith("file:"):
        path = plain_location(unquote(location) if "%" in location else location)
    return path.rstrip("/") or "/"


def table_location(location: str) -> str:
    """The canonical form of an absolute location, see the module."""
    return local_path(location) if is_local(location) else plain_location(location).rstrip("/")


def absolute_location(location: str, directory: str = "") -> str:
    """The location of a path or URL that a user has written.

    A relative path is below `directory`, by default the working directory of the process.
    """
    if is_local(location):
        return str(Path(local_path(location)))
    return table_location(location) if is_url(location) else relative_location(location, directory or str(Path.cwd()))


def is_relative(path: str) -> bool:
    """Whether a text is a relative path, and neither an absolute one nor a URL."""
    return bool(path) and not path.startswith("/") and not is_url(path)


def relative_location(path: str, directory: str) -> str:
    """The location of a relative path below an absolute directory, without `.` and `..`."""
    return normpath(f"{directory}/{path}")


def is_same_directory(location: str, other: str) -> bool:
    """Whether two locations are of one directory: a local one may have several paths, by links and `..`."""
    return location == other or (is_local(location) and is_local(other) and realpath(location) == realpath(other))


def hadoop_scheme(location: str) -> str:
    """Hadoop's scheme for the storage of a location, such as `s3a`."""
    name = scheme(location)
    return _HADOOP.get(name, name)


def hadoop_location(location: str) -> str:
    """A location as Spark reads and writes it: `s3a://b/t` for `s3://b/t`; a local path stays as it is."""
    return location if is_local(location) else hadoop_scheme(location) + location[location.index(":") :]


def table_uri(location: str) -> str:
    """A location as Spark names it in results, which does not encode it: `file:/a b` for a local one."""
    return f"file:{location}" if location.startswith("/") else location


LOG = "_delta_log"
LAST_CHECKPOINT = f"{LOG}/_last_checkpoint"
STAGED_COMMITS = f"{LOG}/_staged_commits"

_PLAIN = "_-!.~'()*:@&=+$,;/"
_IS_PLAIN = re.compile(rf"[A-Za-z0-9{re.escape(_PLAIN)}]*")
_BLANK = frozenset({"Zs", "Zl", "Zp", "Cc"})


def commit_path(version: int) -> str:
    """`_delta_log/00000000000000000010.json`."""
    return f"{LOG}/{version:020d}.json"


def checksum_path(version: int) -> str:
    """`_delta_log/00000000000000000010.crc`."""
    return f"{LOG}/{version:020d}.crc"


def checkpoint_path(version: int) -> str:
    """Where the classic checkpoint of a version is that has one file."""
    return f"{LOG}/{version:020d}.checkpoint.parquet"


def compacted_path(first: int, last: int) -> str:
    """Where the commits of the versions from `first` to `last` are in one file."""
    return f"{LOG}/{first:020d}.{last:020d}.compacted.json"


# Paths of data files


def encode_path(path: str) -> str:
    """A decoded path as the log has it: what java.net.URI quotes is %XX, letters outside ASCII stay."""
    return path if _IS_PLAIN.fullmatch(path) else "".join(map(_encoded, path))


def decode_path(path: str) -> str:
    """A path or URI as in the log, or as Spark's `_metadata.file_path` has it, decoded and in our spelling."""
    return plain_location(unquote(path) if "%" in path else path)


def relative_path(decoded: str, root: str) -> str:
    """The canonical path of a file: relative where it lies below the table's `root`."""
    return decoded.removeprefix(f"{root}/") if is_absolute(decoded) else decoded


def canonical(path: str, root: str) -> str:
    """The canonical path of a file; `path` as in the log. `/a/f`, `file:/a/f` and `file:///a/f` are one file."""
    return relative_path(decode_path(path), root)


def located(canonical_path: str, root: str) -> str:
    """The absolute place of a file, from its canonical path."""
    return canonical_path if is_absolute(canonical_path) else f"{root}/{canonical_path}"


def absolute(path: str, root: str) -> str:
    """The absolute place of a file: what a reader opens. `path` as in the log."""
    return located(canonical(path, root), root)


def folder_and_name(location: str) -> tuple[str, str]:
    """The folder of an absolute place, `/` for what lies at the top of a disk, and the name of the file there."""
    folder, _, name = location.rpartition("/")
    return folder or "/", name


def is_absolute(path: str) -> bool:
    """True if a decoded data path stands for itself, not for a place below the table."""
    return path.startswith("/") or is_url(path)


def _encoded(char: str) -> str:
    if char > "\x7f" and unicodedata.category(char) not in _BLANK:
        return char
    return quote(char, safe=_PLAIN)
