"""Spark settings from the environment: they are the user's, and a session that deltasql starts keeps them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_SHORT = {"--driver-memory": "spark.driver.memory", "--name": "spark.app.name", "--master": "spark.master"}


def outside_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Spark settings from spark-defaults.conf, PYSPARK_SUBMIT_ARGS and Java options, in ascending precedence."""
    settings = dict(_defaults(environment))
    settings.update(_submitted(environment.get("PYSPARK_SUBMIT_ARGS", "")))
    options = " ".join(environment.get(name, "") for name in JAVA_OPTIONS)
    return settings | dict(re.findall(r"-D(spark\.[^\s=]+)=(\S*)", options))


def defaults_file(environment: Mapping[str, str]) -> Path | None:
    """The spark-defaults.conf that Spark will read, if there is one."""
    folder = environment.get("SPARK_CONF_DIR") or None
    if folder is None and "SPARK_HOME" in environment:
        folder = str(Path(environment["SPARK_HOME"], "conf"))
    path = None if folder is None else Path(folder, "spark-defaults.conf")
    return path if path is not None and path.is_file() else None


def _defaults(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    path = defaults_file(environment)
    if path is not None:
        yield from _properties(path)


def _properties(path: Path) -> Iterator[tuple[str, str]]:
    """The lines `key value`, `key=value` and `key: value` of a file."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in map(str.strip, lines):
        match = re.match(r"([^\s=:#!][^\s=:]*)\s*[\s=:]\s*(.*)", line)
        if match is not None:
            yield match[1], match[2]


def _submitted(text: str) -> Iterator[tuple[str, str]]:
    """Spark settings from a string of spark-submit arguments."""
    try:
        words = shlex.split(text)
    except ValueError:
        return
    words = [part for word in words for part in (word.split("=", 1) if re.match(r"--[a-z-]+=", word) else [word])]
    for option, value in pairwise(words):
        if option in {"--conf", "-c"} and "=" in value:
            key, _, setting = value.partition("=")
            yield key, setting
        elif option in _SHORT:
            yield _SHORT[option], value
        elif option == "--properties-file":
            yield from _properties(Path(value))
