"""Names in `_delta_log` and the spelling of data file paths. Source: Delta protocol, File Types and Path encoding."""

from __future__ import annotations

import re
from urllib.parse import unquote

LOG = "_delta_log"
LAST_CHECKPOINT = f"{LOG}/_last_checkpoint"

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def commit_path(version: int) -> str:
    return f"{LOG}/{version:020d}.json"


def checksum_path(version: int) -> str:
    return f"{LOG}/{version:020d}.crc"


def checkpoint_path(version: int) -> str:
    return f"{LOG}/{version:020d}.checkpoint.parquet"


def compacted_path(first: int, last: int) -> str:
    return f"{LOG}/{first:020d}.{last:020d}.compacted.json"


def is_local(location: str) -> bool:
    """True for an absolute path or a `file:` URL."""
    return location.startswith(("/", "file:"))


def local_path(location: str) -> str:
    """The plain path of a local location: `file:///a%20b` and `file:/a%20b` are `/a b`; a path stays as it is."""
    if not location.startswith("file:"):
        return location.rstrip("/") or "/"
    rest = location[len("file:") :]
    if rest.startswith("//"):
        rest = "/" + rest[2:].partition("/")[2]
    return unquote(rest).rstrip("/") or "/"


def is_absolute(path: str) -> bool:
    """True if a decoded data path stands for itself, not for a place below the table."""
    return path.startswith("/") or _SCHEME.match(path) is not None


def canonical(path: str, root: str) -> str:
    """The one spelling of a data file: decoded, relative to `root` where it lies below it.

    `path` is as in the log (URI-encoded), `root` the table's decoded location. `/a/f`, `file:/a/f` and `file:///a/f`
    are one file.
    """
    decoded = unquote(path) if "%" in path else path
    if not is_absolute(decoded):
        return decoded
    if decoded.startswith("file:"):
        # `unquote` has been applied already: only the slashes of the authority are to go.
        decoded = "/" + decoded[len("file:") :].lstrip("/")
    return decoded.removeprefix(f"{root}/")


def absolute(path: str, root: str) -> str:
    """The decoded place of a data file, absolute: what a reader opens. `path` as in the log, `root` decoded."""
    plain = canonical(path, root)
    return plain if is_absolute(plain) else f"{root}/{plain}"


def table_uri(location: str) -> str:
    """The location of a table as Spark names it in results: `file:/path` for a local one."""
    return f"file:{location}" if location.startswith("/") else location
