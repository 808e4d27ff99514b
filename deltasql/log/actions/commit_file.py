"""One commit file, parsed: its metadata actions at once, its file actions on first use.

Most commits are small and are read with the standard library alone. The file actions of a big one go to Arrow in one
piece, so that no Python object is made per file.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from deltasql.lazy import pa
from deltasql.log.actions.action_fields import has_odd_characters, parse_line
from deltasql.log.actions.actions import CommitInfo, DomainMetadata, Json, SetTransaction
from deltasql.log.storage.paths import canonical

# From here on Arrow is faster, its import included.
BIG = 4 << 20

_FILE_LINE = (b'{"add":', b'{"remove":', b'{"cdc":')


@dataclass(slots=True)
class CommitFile:
    """The actions of one version. `adds`, `removes` and `changes` are JSON objects; None in a big commit.

    See `file_tables` for those of a big one.
    """

    version: int
    path: str
    info: CommitInfo | None = None
    protocol: Json | None = None
    metadata: Json | None = None
    transactions: dict[str, SetTransaction] = field(default_factory=dict)
    domains: dict[str, DomainMetadata] = field(default_factory=dict)
    adds: list[Json] = field(default_factory=list)
    removes: list[Json] = field(default_factory=list)
    changes: list[Json] = field(default_factory=list)
    # The text of a big commit, kept until its file actions are asked for.
    text: bytes | None = None
    tables: tuple[pa.Table, pa.Table] | None = None

    @property
    def is_big(self) -> bool:
        return self.text is not None or self.tables is not None

    @property
    def has_files(self) -> bool:
        return self.is_big or bool(self.adds or self.removes)

    def file_tables(self, table: str) -> tuple[pa.Table, pa.Table]:
        """Adds and removes of a big commit as Arrow. Raises InvalidLogJsonError."""
        if self.tables is None:
            from deltasql.log.actions.file_tables import parse_file_lines

            assert self.text is not None
            self.tables = parse_file_lines(self.text, self.path, table)
            self.text = None
        return self.tables

    def materialized(self, table: str) -> CommitFile:
        """The commit with `adds` and `removes` as JSON objects; a copy if it is big. Raises InvalidLogJsonError."""
        if self.text is not None:
            return parse_whole_commit(self.text, self.version, self.path, table)
        if self.tables is not None:
            adds, removes = (item.to_pylist(maps_as_pydicts="lossy") for item in self.tables)
            return CommitFile(
                self.version, self.path, self.info, self.protocol, self.metadata, self.transactions, self.domains,
                adds, removes,
            )  # fmt: skip
        return self


def parse_commit(data: bytes, version: int, path: str, table: str) -> CommitFile:
    """The commit in `data`. Raises InvalidLogJsonError, which names `path` and the line."""
    if len(data) < BIG:
        return parse_whole_commit(data, version, path, table)
    commit = CommitFile(version, path, text=data)
    lines = data.splitlines()
    for number, line in enumerate(lines, 1):
        # The last line is parsed whatever it is: a file that was cut off is noticed here, not when it is scanned.
        if not line.startswith(_FILE_LINE) or number == len(lines):
            action = parse_line(line, number, path, table)
            if "add" not in action and "remove" not in action:
                _take(commit, action)
    return commit


def action_key(action: Json, root: str) -> str:
    """The identity of a file action: the file's canonical path, and its deletion vector if it has one."""
    path = canonical(action["path"], root)
    vector = action.get("deletionVector")
    return path if vector is None else vector_key(path, vector)


def vector_key(path: str, vector: Json) -> str:
    """The identity of a file with a deletion vector; no path holds a NUL."""
    offset = vector.get("offset")
    suffix = "" if offset is None else f"@{offset}"
    return f"{path}\0{vector['storageType']}{vector['pathOrInlineDv']}{suffix}"


def parse_whole_commit(data: bytes, version: int, path: str, table: str) -> CommitFile:
    """The commit in `data`, all its actions as JSON objects, big or not. Raises InvalidLogJsonError."""
    commit = CommitFile(version, path)
    odd = has_odd_characters(data)
    for number, line in enumerate(data.splitlines(), 1):
        _take(commit, parse_line(line, number, path, table, odd=odd))
    return commit


def _take(commit: CommitFile, action: Json) -> None:
    for kind, value in action.items():
        if value is None:
            continue
        match kind:
            case "add":
                commit.adds.append(value)
            case "remove":
                commit.removes.append(value)
            case "cdc":
                commit.changes.append(value)
            case "commitInfo":
                commit.info = CommitInfo(value)
            case "protocol":
                commit.protocol = value
            case "metaData":
                commit.metadata = value
            case "txn":
                commit.transactions[value["appId"]] = SetTransaction.from_json(value)
            case "domainMetadata":
                commit.domains[value["domain"]] = DomainMetadata.from_json(value)
            case _:
                continue
