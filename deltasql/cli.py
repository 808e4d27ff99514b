"""The command `deltasql`: results to stdout, errors to stderr, and an exit code that tells them apart."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.concurrency import ConcurrentModificationError
from deltasql.errors.engine import SparkError
from deltasql.errors.secrets import without_secrets
from deltasql.errors.suggestion import similar_names
from deltasql.errors.usage import ScriptUnreadableError, UsageError
from deltasql.interrupts import telling
from deltasql.render import AUTO, FORMATS
from deltasql.version import __version__

if TYPE_CHECKING:
    from deltasql.parser import Statement
    from deltasql.session import Session

OK, FAILED, USAGE, MISMATCH, CONFLICT, INTERRUPTED = 0, 1, 2, 3, 4, 130
BROKEN_PIPE = 141
"""What a shell reports for a program that SIGPIPE ended."""

TEST = "test"
_EXIT_CODES = (
    "exit codes: 0 ok, 1 a statement failed, 2 usage, 3 golden files differ, 4 another writer's commit won, "
    "130 interrupted"
)


class Script(NamedTuple):
    """SQL to run; `name` is a file's name, or "" for the command line."""

    name: str
    text: str


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; its exit code."""
    parser = _parser()
    parser.refuse_slips(sys.argv[1:] if argv is None else argv)
    options = parser.parse_args(argv)
    try:
        return _dispatch(options)
    except DeltaSqlError as error:
        return _report(error, options.stack)
    except KeyboardInterrupt as interrupt:
        print(str(interrupt) or "Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader is gone; the interpreter would flush stdout once more at its end and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if options.stack:
            raise
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        print(
            "This is not an error that deltasql expects. Run with --stack to see where it comes from.", file=sys.stderr
        )
        return FAILED


class _Parser(argparse.ArgumentParser):
    """A parser with commands that knows a misspelt option from a misspelt command."""

    def __init__(self, **details: Any) -> None:
        self._takes_value: dict[str, bool] = {}
        super().__init__(**details)

    def add_argument(self, *names: Any, **details: Any) -> argparse.Action:
        action = super().add_argument(*names, **details)
        self._takes_value.update(dict.fromkeys(action.option_strings, action.nargs != 0))
        return action

    def refuse_slips(self, argv: Sequence[str]) -> None:
        """Ends the program with a message where argparse would complain of the word behind a misspelt option."""
        words = iter(argv)
        for word in words:
            if not word.startswith("-") or word == "-":
                if word != TEST:
                    self.error(_no_command(word))
                return
            name = word.partition("=")[0] if word.startswith("--") else word[:2]
            if name not in self._takes_value:
                close = similar_names(name, self._takes_value)
                self.error(f"there is no option {name}" + (f"; did you mean {close[0]}?" if close else ""))
            if self._takes_value[name] and word == name:
                next(words, None)


def _no_command(word: str) -> str:
    if word.endswith(".sql"):
        return f"to run a file: deltasql -f {word}"
    return f'there is no command {word}; there is {TEST}. To run SQL: deltasql -e "…"'


def _parser() -> _Parser:
    parser = _Parser(
        prog="deltasql",
        description="The SQL dialect of Delta Lake on Apache Spark. Without -e and -f: a shell.",
        epilog=_EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("-e", dest="work", metavar="SQL", action="append", type=_inline, help="run SQL; repeatable")
    parser.add_argument("-f", dest="work", metavar="FILE", action="append", type=_path, help="run a file; - is stdin")
    parser.add_argument("--warehouse", metavar="DIR", default="warehouse", help="tables and catalog (%(default)s)")
    parser.add_argument("--format", choices=FORMATS, default=AUTO, help="how rows are printed (%(default)s)")
    parser.add_argument("--echo", action="store_true", help="print each statement before its rows")
    parser.add_argument("--keep-going", action="store_true", help="go on after a statement that failed")
    parser.add_argument("--timing", action="store_true", help="tell on stderr how long each statement took")
    _add_shared(parser)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    _add_test(parser)
    return parser


def _add_test(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="command", metavar="", title="commands", parser_class=argparse.ArgumentParser)
    test = commands.add_parser(
        TEST,
        help="compare golden files",
        description="Runs DIR/**/x.sql and compares with x.out.",
        epilog=_EXIT_CODES,
    )
    test.add_argument("directory", metavar="DIR", type=Path, help="a directory of .sql files, or one file")
    test.add_argument("-k", dest="only", metavar="TEXT", default="", help="only files whose path holds TEXT")
    test.add_argument("--accept", action="store_true", help="write what came out as the new .out files")
    test.add_argument("-x", "--exitfirst", dest="exit_first", action="store_true", help="stop at the first failure")
    test.add_argument("--last-failed", action="store_true", help="only files that failed in their last run, if any")
    test.add_argument("--durations", metavar="N", type=int, default=0, help="list the N slowest files")
    test.add_argument("--junit", metavar="FILE", type=Path, help="write JUnit's XML, for CI servers")
    test.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_jobs,
        default="auto",
        help="processes for the files that expect no JVM, in suites with many of them; auto: one per CPU (%(default)s)",
    )
    _add_shared(test, default=argparse.SUPPRESS)


def _add_shared(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Options that may stand before and after `test`: the inner parser must not reset what the outer one read."""
    parser.add_argument("--remote", metavar="sc://HOST", default=default, help="a Spark Connect server to run on")
    stack = default or False
    parser.add_argument("--stack", action="store_true", default=stack, help="with errors of Spark, its stack trace")


def _inline(text: str) -> Script:
    return Script("", text)


def _path(path: str) -> Script:
    return Script(path, "")


def _jobs(text: str) -> int:
    """A number of processes; 0 for auto. Raises ArgumentTypeError."""
    if text == "auto":
        return 0
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is neither a number nor auto")
    return int(text)


def _dispatch(options: argparse.Namespace) -> int:
    if options.command == TEST:
        return _test(options)
    scripts = [_loaded(item) for item in options.work or ()]
    if not scripts and not sys.stdin.isatty():
        scripts = [_loaded(Script("-", ""))]
    with _Connection(options) as session:
        if not options.work and sys.stdin.isatty():
            from deltasql.repl import start

            return start(session, style=options.format, stack=options.stack)
        with telling(lambda text: print(text, file=sys.stderr)):
            codes = [_run(session, script, options) for script in scripts]
    return max(codes, default=OK)


def _loaded(script: Script) -> Script:
    """The script with its text. Raises ScriptUnreadableError."""
    if not script.name:
        return script
    try:
        text = sys.stdin.read() if script.name == "-" else Path(script.name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ScriptUnreadableError(path=script.name, reason=reason) from None
    return Script(script.name, text.removeprefix("\ufeff"))


class _Connection:
    """A session for the length of a `with`."""

    def __init__(self, options: argparse.Namespace) -> None:
        from deltasql.session import connect

        self._session: Session = connect(warehouse=options.warehouse, spark=options.remote)

    def __enter__(self) -> Session:
        return self._session

    def __exit__(self, *_: object) -> None:
        self._session.close()


def _run(session: Session, script: Script, options: argparse.Namespace) -> int:
    """Runs each statement and prints its rows; the exit code.

    Raises the first error, after its place in the file was printed, unless the script is to go on.
    """
    from deltasql.parser import split
    from deltasql.render.formats import render

    code = OK
    for statement in split(script.text):
        began = time.perf_counter()
        if options.echo:
            print(f"{without_secrets(statement.text)};")
        try:
            render(session.sql(statement.text).grid(), options.format, sys.stdout)
            sys.stdout.flush()
        except DeltaSqlError as error:
            sys.stdout.flush()
            _say_place(script, statement, error)
            if not options.keep_going:
                raise
            code = max(code, _report(error, options.stack))
        if options.timing:
            print(f"{time.perf_counter() - began:.3f} s", file=sys.stderr)
    return code


def _say_place(script: Script, statement: Statement, error: DeltaSqlError) -> None:
    """Prints `file:line:` of an error in a file."""
    if script.name:
        line = script.text.count("\n", 0, statement.start) + (error.caret.line if error.caret else 1)
        name = "<stdin>" if script.name == "-" else script.name
        print(f"{name}:{line}:", file=sys.stderr)


def _report(error: DeltaSqlError, with_stack: bool) -> int:
    """Prints an error; the exit code for it."""
    print(error, file=sys.stderr)
    if with_stack and isinstance(error, SparkError) and error.stack:
        print(without_secrets(error.stack), file=sys.stderr)
    if isinstance(error, UsageError):
        return USAGE
    return CONFLICT if isinstance(error, ConcurrentModificationError) else FAILED


def _test(options: argparse.Namespace) -> int:
    from deltasql.golden.command import run_suite

    names = ("only", "accept", "jobs", "exit_first", "last_failed", "durations", "junit")
    same = run_suite(options.directory, spark=options.remote, **{name: getattr(options, name) for name in names})
    return OK if same else MISMATCH
