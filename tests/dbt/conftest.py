"""One project, played once: its tables and what dbt said of each step are what the tests look at."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from deltasql import Session, connect

os.environ.setdefault("DELTASQL_MASTER", "local[2]")

PROJECT = Path(__file__).parent / "project"


@dataclass
class Played:
    """`steps` has the status of each node, by its name, for each step; `messages` what dbt said of it."""

    folder: Path
    session: Session
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    catalog: dict[str, Any] = field(default_factory=dict)
    metadata_started_spark: bool = False

    def dbt(self, step: str, *words: str, variables: dict[str, Any] | None = None) -> None:
        from dbt.cli.main import dbtRunner

        told = ["--vars", json.dumps(variables)] if variables else []
        place = ["--project-dir", str(self.folder / "project"), "--profiles-dir", str(self.folder)]
        done = dbtRunner().invoke([*words, *place, *told, "--quiet"])
        if done.exception is not None:
            raise done.exception
        results = getattr(done.result, "results", None) or []
        self.steps[step] = {_name(item): str(item.status) for item in results}
        self.messages.update({f"{step} {_name(item)}": str(item.message) for item in results})
        if words[0] == "docs":
            text = (self.folder / "project" / "target" / "catalog.json").read_text(encoding="utf-8")
            self.catalog = {key.rpartition(".")[2]: value for key, value in json.loads(text)["nodes"].items()}

    @property
    def log(self) -> str:
        """What dbt wrote to its log in all steps."""
        return (self.folder / "project" / "logs" / "dbt.log").read_text(encoding="utf-8")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.session.sql(query).collect()]

    def operations(self, table: str) -> list[str]:
        """Those of the table's versions, oldest first."""
        return [row["operation"] for row in reversed(self.session.sql(f"DESCRIBE HISTORY {table}").collect())]


def _name(item: Any) -> str:
    node = getattr(item, "node", item)
    return str(getattr(node, "name", None) or node.unique_id)


def _spark_started() -> bool:
    from pyspark import SparkContext

    return SparkContext._active_spark_context is not None


@contextmanager
def project_in(folder: Path, project: Path, profile: str, targets: dict[str, dict[str, Any]]) -> Iterator[Played]:
    """A copy of a project in `folder`, with a warehouse of its own and these targets; the first one is the default."""
    shutil.copytree(project, folder / "project")
    warehouse = str(folder / "warehouse")
    every = {"type": "deltasql", "warehouse": warehouse, "threads": 4}
    outputs = {name: {**every, **target} for name, target in targets.items()}
    # JSON is YAML, too.
    text = json.dumps({profile: {"target": next(iter(targets)), "outputs": outputs}})
    (folder / "profiles.yml").write_text(text, encoding="utf-8")
    with connect(warehouse) as session:
        yield Played(folder, session)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("dbt")
    targets = {"dev": {"schema": "library"}, "cloned": {"schema": "cloned"}, "bare": {"schema": "bare"}}
    with project_in(folder, PROJECT, "library", targets) as play:
        session = play.session
        started = _spark_started()
        play.dbt("seed", "seed")
        play.dbt("early docs", "docs", "generate", "--no-compile")
        play.metadata_started_spark = _spark_started() != started
        of_time = ("--event-time-start", "2024-05-01", "--event-time-end", "2024-05-03")
        play.dbt("first build", "build", "--exclude", "broken", "resource_type:seed", *of_time)
        play.dbt("breach", "run", "--select", "broken")
        session.sql("UPDATE library.readers_seed SET name = 'Ada L.', joined = DATE '2024-05-03' WHERE id = 1")
        session.sql("DELETE FROM library.readers_seed WHERE id = 5")
        rest = ("strict", "unmapped", "resource_type:seed", "resource_type:unit_test")
        of_time = ("--event-time-start", "2024-05-02", "--event-time-end", "2024-05-04")
        later = {"today": "2024-05-03", "wider": True}
        play.dbt("second build", "build", "--exclude", "broken", *rest, *of_time, variables=later)
        play.dbt("unmapped", "run", "--select", "unmapped", variables=later)
        play.dbt("strict", "run", "--select", "strict", variables=later)
        session.sql("ALTER TABLE library.strict ADD COLUMN note STRING")
        play.dbt("retry", "retry")
        play.dbt("docs", "docs", "generate", "--no-compile", variables=later)
        play.dbt("freshness", "source", "freshness", variables=later)
        play.dbt("operation", "run-operation", "count_loans", "--args", "{least: 3}", variables=later)
        play.dbt("show", "show", "--inline", "select * from {{ ref('readers') }}", "--limit", "1", variables=later)
        state = ("--state", str(shutil.copytree(folder / "project" / "target", folder / "state")))
        few = ("--select", "stg_loans", "updated", "readers_history", "--full-refresh")
        play.dbt("clone", "clone", *state, *few, "--target", "cloned", variables=later)
        bare = ("--select", "+appended", "+updated", "--exclude", "resource_type:unit_test", "resource_type:test")
        play.dbt("empty", "build", "--empty", *bare, "--target", "bare", variables=later)
        yield play
