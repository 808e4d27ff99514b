"""Writing a compacted log file: some commits in one, so that a reader of a long tail fetches few files.

It only helps: the commits stay, and history is read from them. Source: Delta protocol, Log Compaction Files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile, action_key
from deltasql.log.replay.log_reader import LogReader
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.paths import compacted_path


def write_compaction(store: LogStore, table: str, first: int, last: int) -> bool:
    """Writes the commits from `first` to `last` into one file as well; whether it has.

    False if they were so before, if it is but one commit, and for commits that are better left alone: big ones, and
    those with deletion vectors, which readers have been known to mix up. Raises the errors of LogReader and the store.
    """
    if first >= last:
        return False
    commits = LogReader(store, table).commits(range(first, last + 1))
    if any(commit.is_big or _has_vectors(commit) for commit in commits):
        return False
    lines = [json.dumps(action, separators=(",", ":")) + "\n" for action in reconciled_actions(commits, store.root)]
    return store.put_if_absent(compacted_path(first, last), "".join(lines).encode())


def reconciled_actions(commits: Sequence[CommitFile], root: str) -> list[Json]:
    """The reconciled actions of commits, which are oldest first: the newest action of each kind and key.

    Removes stay, also of files that were added in between, and so do domains that were removed: they hide what is older
    than these commits. `root` is the table's decoded location.
    """
    single: dict[tuple[str, str], Json] = {}
    files: dict[str, Json] = {}
    for commit in commits:
        single |= {("protocol", ""): {"protocol": commit.protocol}} if commit.protocol is not None else {}
        single |= {("metaData", ""): {"metaData": commit.metadata}} if commit.metadata is not None else {}
        single |= {("txn", name): item.to_json() for name, item in commit.transactions.items()}
        single |= {("domain", name): item.to_json() for name, item in commit.domains.items()}
        for kind, actions in (("remove", commit.removes), ("add", commit.adds)):
            for action in actions:
                key = action_key(action, root)
                # Replaced, a file moves to the place of its newest action.
                files.pop(key, None)
                files[key] = {kind: action}
    return [*single.values(), *files.values()]


def _has_vectors(commit: CommitFile) -> bool:
    return any(action.get("deletionVector") is not None for action in (*commit.adds, *commit.removes))
