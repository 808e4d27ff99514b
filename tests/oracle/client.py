"""The oracle from the tests' side: hands scripts to its process, waits for outcomes, and says why it is not there."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.jvm_archive import LARGE_HEAP

Outcome = dict[str, Any]
ENGINE = Path(__file__).with_name("engine.py")
NO_ORACLE = "DELTASQL_NO_ORACLE"
_OF_CONNECT = frozenset({"SPARK_CONNECT_MODE_ENABLED", "SPARK_LOCAL_REMOTE", "SPARK_REMOTE"})
CHECKSUMS = "SET spark.databricks.delta.writeChecksumFile.enabled = true"


class OracleError(Exception):
    """The oracle cannot be used; the text says why and what to do."""


class Oracle:
    """One process of delta-spark. Scripts are run in the order they are submitted."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="deltasql-oracle-"))
        self._numbers = itertools.count()
        self._waiting: dict[str, Future[list[Outcome]]] = {}
        self._process = self._start()
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self.close)

    def submit(self, statements: list[str], directory: Path) -> Future[list[Outcome]]:
        """The outcome of each statement, in time. Tables of the script lie in `directory`."""
        number = str(next(self._numbers))
        future: Future[list[Outcome]] = Future()
        self._waiting[number] = future
        document = {"id": number, "directory": str(directory), "statements": statements}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(document) + "\n")
        self._process.stdin.flush()
        return future

    def run(self, *statements: str) -> list[Outcome]:
        """The outcomes of a short script, which must not fail. Its commits have checksums."""
        script = [CHECKSUMS, *statements]
        outcomes = self.submit(script, Path(tempfile.mkdtemp(dir=self.root))).result(300)[1:]
        for text, outcome in zip(statements, outcomes, strict=True):
            assert "condition" not in outcome, f"{text}\n{outcome}"
        return outcomes

    def close(self) -> None:
        """Ends the process and removes what it wrote."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    def _start(self) -> subprocess.Popen[str]:
        # A local Maven repository in HOME that holds a POM without its jar stops Ivy; another home has none.
        attempts = ["", str(Path(tempfile.gettempdir()) / "deltasql-oracle-home")]
        for home in attempts:
            process = self._launch(home)
            assert process.stdout is not None
            if process.stdout.readline().strip() == '"ready"':
                return process
            process.kill()
        raise OracleError(
            "delta-spark did not start; its jar comes from Maven Central through Ivy.\n"
            f"To run without it set {NO_ORACLE}=1. The end of its output:\n" + self._log_end()
        )

    def _launch(self, home: str) -> subprocess.Popen[str]:
        # Sail in this process has made it one of Spark Connect.
        given = {key: value for key, value in os.environ.items() if key not in _OF_CONNECT}
        environment = (
            given | {"TZ": "UTC", "_JAVA_OPTIONS": LARGE_HEAP} | ({"DELTASQL_ORACLE_HOME": home} if home else {})
        )
        command = [sys.executable, str(ENGINE), str(self.root / "warehouse")]
        with (self.root / "log").open("a") as log:
            return subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
            )

    def _log_end(self) -> str:
        return "\n".join((self.root / "log").read_text(errors="replace").splitlines()[-15:])

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            self._waiting.pop(answer["id"]).set_result(answer["outcomes"])
        for future in self._waiting.values():
            future.set_exception(OracleError("delta-spark ended early:\n" + self._log_end()))


def oracle() -> Oracle:
    """The oracle of this process; it starts at the first call. Raises OracleError, at every call the same.

    A test that asks for it where NO_ORACLE is set is skipped.
    """
    if os.environ.get(NO_ORACLE):
        pytest.skip(f"{NO_ORACLE} is set")
    found = _started()
    if isinstance(found, OracleError):
        raise found
    return found


@cache
def _started() -> Oracle | OracleError:
    try:
        return Oracle()
    except OracleError as error:
        return error
