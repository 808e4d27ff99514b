"""Where files are: names in `_delta_log`, and the encoded paths of data files in the log.

Three spellings of a data file meet here. *As in the log*: URI-encoded, relative to the table or absolute. *Canonical*:
decoded, relative where the file lies below the table; two actions are about one file if these are equal. *Absolute*:
decoded, what a reader opens. A table's `root` is its location, absolute and decoded.
Source: Delta protocol, File Types, Add File and Remove File; java.net.URI for what is encoded.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote

from deltasql.log.storage.locations import is_url, plain_location

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
