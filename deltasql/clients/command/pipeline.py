"""The options of `deltasql pipeline`, and the command itself.

Sources: Spark, `spark-pipelines run` and `dry-run`; Databricks, `databricks bundle run` with refresh selections.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

RUN, GRAPH = "run", "graph"
ALL = "*"
"""In place of a name: all datasets."""
_EPILOG = (
    "A folder is read with its sub folders. It may have a spark-pipeline.yml or a databricks.yml; FOLDER may also be "
    "such a file, or one of resources/*.yml. Exit codes: 0 ok, 1 a dataset failed or a file is wrong, 130 interrupted."
)


def add_commands(parser: argparse.ArgumentParser, add_shared: Callable[[argparse.ArgumentParser], None]) -> None:
    """The commands behind `deltasql pipeline`; `add_shared` adds the options that all commands have."""
    commands = parser.add_subparsers(dest="pipeline_command", metavar="", title="commands", required=True)
    run = commands.add_parser(RUN, help="bring all datasets up to date", epilog=_EPILOG)
    _add_source(run)
    run.add_argument("--dry-run", action="store_true", help="plan all of it, and run nothing; starts no JVM")
    help_text = "only this dataset; repeatable, or several with commas"
    run.add_argument("--refresh", metavar="NAME", action="append", default=[], type=_names, help=help_text)
    run.add_argument(
        "--full-refresh",
        metavar="NAME",
        action="append",
        nargs="?",
        const=[ALL],
        default=[],
        type=_names,
        help="compute this dataset again from all rows of its sources; without NAME all of them; repeatable",
    )
    help_text = "datasets that are filled at the same time (%(default)s)"
    run.add_argument("-j", "--jobs", metavar="N", type=_jobs, default=4, help=help_text)
    help_text = "run again whenever so much time has passed, as in --continuous '30 seconds'; until Ctrl-C"
    run.add_argument("--continuous", metavar="INTERVAL", nargs="?", const="", default=None, help=help_text)
    add_shared(run)
    graph = commands.add_parser(GRAPH, help="show the datasets and what they read", epilog=_EPILOG)
    _add_source(graph)
    graph.add_argument("--svg", metavar="FILE", help="draw the graph into a file; - is stdout")
    add_shared(graph)


def _add_source(parser: argparse.ArgumentParser) -> None:
    """The files of a pipeline."""
    parser.add_argument("source", metavar="FOLDER", help="the folder of the files, or the file that names them")
    parser.add_argument("--pipeline", metavar="NAME", help="one of several pipelines of a bundle")
    parser.add_argument("--target", metavar="NAME", help="a target of a bundle")
    help_text = "the value of a variable of a bundle; repeatable"
    parser.add_argument("--var", metavar="NAME=VALUE", action="append", default=[], type=_variable, help=help_text)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _jobs(text: str) -> int:
    """A number of one or more. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of one or more")
    return int(text)


def _variable(text: str) -> tuple[str, str]:
    """A pair NAME=VALUE. Raises ArgumentTypeError."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value
