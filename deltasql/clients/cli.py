"""The command `deltasql`: results go to stdout, errors to stderr, and exit codes distinguish the kinds of failure."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO
from warnings import catch_warnings, simplefilter

from deltasql.base import (
    ENGINES,
    DeltaSqlError,
    __version__,
    errors,
    session_settings,
    similar_names,
    telling,
    without_secrets,
)
from deltasql.clients.command import checking, files
from deltasql.clients.command.files import SUFFIXES, read_script, shown_name
from deltasql.clients.command.options import (
    SHELLS,
    Configuration,
    add_catalog,
    add_options,
    add_warehouse_options,
    give_to_spark,
    pair,
    parameter,
    read_configuration,
    script,
    split_settings,
    user_file,
    with_catalogs,
)
from deltasql.files import AUTO, FORMATS, ProgressLine
from deltasql.plan import StatementWarning
from deltasql.schema import quote_name as quote

if TYPE_CHECKING:
    from deltasql.clients.notebooks import NotebookPosition
    from deltasql.files import Result
    from deltasql.session import Session
    from deltasql.sql import Statement

OK, FAILED, USAGE, MISMATCH, CONFLICT, INTERRUPTED = 0, 1, 2, 3, 4, 130
BROKEN_PIPE = 141
"""Exit code by which shells report a program that SIGPIPE ended."""

DEMO, RUN, CHECK, LSP, TEST = "demo", "run", "check", "lsp", "test"
SERVE, WAREHOUSE, COMPLETION = "serve", "warehouse", "completion"
_COMMANDS = {
    RUN: "run scripts and notebooks: .sql, .py, .ipynb",
    DEMO: "run a short tour in a folder of its own, which is removed",
    CHECK: "find errors in files of SQL, and run nothing",
    LSP: "answer an editor: errors, completion and help in files of SQL",
    TEST: "compare golden files",
    SERVE: "serve tables over Arrow Flight SQL",
    WAREHOUSE: "serve tables to the clients of Databricks' SQL warehouses",
    COMPLETION: "print a script by which a shell completes options",
}
_EXIT_CODES = (
    "exit codes: 0 ok, 1 a statement failed, 2 usage, 3 golden files differ, 4 another writer's commit won, "
    "130 interrupted"
)


class Script(NamedTuple):
    """SQL to run; `name` is a file's name, or "" for the command line."""

    name: str
    text: str


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
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
    """An argument parser that distinguishes misspelt options from misspelt commands."""

    def __init__(self, **details: Any) -> None:
        self._takes_value: dict[str, bool] = {}
        super().__init__(**details)

    def add_argument(self, *names: Any, **details: Any) -> argparse.Action:
        action = super().add_argument(*names, **details)
        self._takes_value.update(dict.fromkeys(action.option_strings, action.nargs != 0))
        return action

    def refuse_slips(self, argv: Sequence[str]) -> None:
        """Exits with a message about a misspelt option or command, for which argparse's would be misleading."""
        words = iter(argv)
        for word in words:
            if not word.startswith("-") or word == "-":
                if word not in _COMMANDS:
                    self.error(_no_command(word))
                return
            name = word.partition("=")[0] if word.startswith("--") else word[:2]
            if name not in self._takes_value:
                close = similar_names(name, self._takes_value)
                self.error(f"there is no option {name}" + (f"; did you mean {close[0]}?" if close else ""))
            if self._takes_value[name] and word == name:
                next(words, None)


def _no_command(word: str) -> str:
    if word.endswith(SUFFIXES):
        return f"to run a file: deltasql run {word}"
    return f'there is no command {word}; there are {", ".join(_COMMANDS)}. To run SQL: deltasql -e "…"'


def _parser() -> _Parser:
    parser = _Parser(
        prog="deltasql",
        description="The SQL dialect of Delta Lake on Apache Spark. Without -e and -f: a shell.",
        epilog=_EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("-e", dest="work", metavar="SQL", action="append", type=_inline, help="run SQL; repeatable")
    parser.add_argument("-f", dest="work", metavar="FILE", action="append", type=_path, help="run a file; - is stdin")
    _add_running(parser)
    _add_shared(parser)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    _add_commands(parser)
    return parser


def _add_running(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Adds the options of running statements; `default` keeps the inner parser of a command from resetting them."""
    no = default or False
    parser.add_argument("--warehouse", metavar="DIR", default=default, help="tables and catalog (warehouse)")
    help_text = "folder of relative paths in statements (.)"
    parser.add_argument("--directory", metavar="DIR", default=default or "", help=help_text)
    help_text = "the user of current_user() (DELTASQL_USER)"
    parser.add_argument("--user", metavar="NAME", default=default, help=help_text)
    help_text = "groups for is_member(), with commas (DELTASQL_GROUPS)"
    parser.add_argument("--groups", metavar="NAMES", default=default, help=help_text)
    help_text = "create catalogs and schemas on first use"
    parser.add_argument("--create-catalogs", action="store_true", default=no, help=help_text)
    add_catalog(parser, default)
    parser.add_argument("--format", choices=FORMATS, default=default, help=f"how rows are printed ({AUTO})")
    parser.add_argument("--echo", action="store_true", default=no, help="print each statement before its rows")
    parser.add_argument("--keep-going", action="store_true", default=no, help="go on after a statement that failed")
    help_text = "tell on stderr how long each statement took"
    parser.add_argument("--timing", action="store_true", default=no, help=help_text)
    help_text = "do not tell on a terminal how far Spark is"
    parser.add_argument("--no-progress", action="store_true", default=no, help=help_text)
    help_text = "in notebooks, run cells of %%sh, %%fs and %%pip"
    parser.add_argument("--allow-shell", action="store_true", default=no, help=help_text)
    _add_values(parser, default)


def _add_values(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--widget",
        metavar="NAME=VALUE",
        action="append",
        default=default,
        type=partial(_read, pair),
        help="the value of a widget: of :NAME and ${NAME}; repeatable",
    )
    parser.add_argument(
        "-D",
        dest="define",
        metavar="NAME=VALUE",
        action="append",
        default=default,
        type=partial(_read, parameter),
        help="the value of :NAME; repeatable",
    )
    parser.add_argument(
        "--conf",
        metavar="KEY=VALUE",
        action="append",
        default=default,
        type=partial(_read, pair),
        help="a setting, also one of Spark's; repeatable",
    )
    help_text = "settings in place of ~/.config/deltasql/config.toml"
    parser.add_argument("--config", metavar="FILE", default=default, help=help_text)


def _add_commands(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="command", metavar="", title="commands", parser_class=argparse.ArgumentParser)
    demo = commands.add_parser(DEMO, help=_COMMANDS[DEMO])
    _add_shared(demo, default=argparse.SUPPRESS)
    run = commands.add_parser(
        RUN,
        help=_COMMANDS[RUN],
        description="Runs files one after the other: statements of SQL, and notebooks of Databricks or Jupyter.",
        epilog=_EXIT_CODES,
    )
    run.add_argument("work", metavar="FILE", nargs="+", type=_path, help="a script or a notebook; - is stdin")
    _add_running(run, default=argparse.SUPPRESS)
    _add_shared(run, default=argparse.SUPPRESS)
    check = commands.add_parser(
        CHECK,
        help=_COMMANDS[CHECK],
        description="Parses and plans the statements of files; prints FILE:LINE:COLUMN: for each error.",
        epilog=_EXIT_CODES,
    )
    checking.add_options(check)
    _add_shared(check, default=argparse.SUPPRESS)
    lsp = commands.add_parser(
        LSP, help=_COMMANDS[LSP], description="Speaks the Language Server Protocol on stdin and stdout."
    )
    checking.add_warehouse(lsp)
    completion = commands.add_parser(COMPLETION, help=_COMMANDS[COMPLETION])
    completion.add_argument("shell", choices=SHELLS)
    serve = commands.add_parser(
        SERVE,
        help=_COMMANDS[SERVE],
        description="Serves the tables of --warehouse to ADBC and JDBC clients until Ctrl-C.",
        epilog="The token is in DELTASQL_SERVER_TOKEN, or in a file; without one only this machine is served.",
    )
    add_options(serve)
    _add_shared(serve, default=argparse.SUPPRESS)
    warehouse = commands.add_parser(
        WAREHOUSE,
        help=_COMMANDS[WAREHOUSE],
        description="Serves the tables of --warehouse over Thrift and REST, as a SQL warehouse does, until Ctrl-C.",
        epilog="Without --token the server makes one up, and prints it; with --host it must be given.",
    )
    add_warehouse_options(warehouse)
    _add_shared(warehouse, default=argparse.SUPPRESS)
    test = commands.add_parser(
        TEST,
        help=_COMMANDS[TEST],
        description="Runs DIR/**/x.sql and compares with x.out.",
        epilog=_EXIT_CODES,
    )
    files.add_options(test)
    _add_shared(test, default=argparse.SUPPRESS)


def _add_shared(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Adds options that may stand before or after a command; `default` keeps the inner parser from resetting them."""
    parser.add_argument("--remote", metavar="sc://HOST", default=default, help="a Spark Connect server to run on")
    help_text = "what computes rows: spark, or sail, which is experimental and needs no JVM (spark)"
    parser.add_argument("--engine", choices=ENGINES, default=default, help=help_text)
    stack = default or False
    parser.add_argument("--stack", action="store_true", default=stack, help="with errors of Spark, its stack trace")


def _inline(text: str) -> Script:
    return Script("", text)


def _path(path: str) -> Script:
    return Script(path, "")


def _read(read: Callable[[str], Any], text: str) -> Any:
    """The value of an option that `read` takes apart. Raises ArgumentTypeError."""
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _dispatch(options: argparse.Namespace) -> int:
    work = {DEMO: _demo, CHECK: _check, LSP: _lsp, TEST: _test, SERVE: _serve}
    work |= {WAREHOUSE: _warehouse, COMPLETION: _complete}
    return work.get(options.command, _sql)(options)


def _complete(options: argparse.Namespace) -> int:
    sys.stdout.write(script(options.shell, _parser()))
    return OK


def _demo(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="deltasql-demo-") as folder:
        options.warehouse, options.echo = folder, True
        options.work = [_path(str(Path(__file__).parent / "command" / "demo.sql"))]
        return _sql(options)


def _check(options: argparse.Namespace) -> int:
    from deltasql.clients.checking import check_scripts

    _configured(options)
    scripts, schema = (
        [(shown_name(path), read_script(path)) for path in paths] for paths in (options.files, options.schema)
    )
    are_right = check_scripts(
        scripts,
        schema,
        warehouse=options.warehouse,
        catalog=options.catalog,
        engine=options.engine,
        as_json=options.report == checking.JSON,
    )
    return OK if are_right else FAILED


def _lsp(options: argparse.Namespace) -> int:
    try:
        from deltasql.clients.language_server import serve
    except ModuleNotFoundError as error:
        raise errors.LanguageServerPackageMissingError(package=error.name or "pygls") from None
    _configured(options)
    serve(options.warehouse)
    return OK


def _sql(options: argparse.Namespace) -> int:
    scripts = [_loaded(item) for item in options.work or ()]
    interactive = not options.work and sys.stdin.isatty()
    if not scripts and not interactive:
        scripts = [_loaded(Script("-", ""))]
    configuration = _configured(options)
    with _Connection(options) as session:
        if interactive:
            return _shell(session, options, configuration)
        if sys.stderr.isatty() and not options.no_progress:
            session.on_progress = ProgressLine(_duplicate_stderr())
        with telling(lambda text: print(text, file=sys.stderr)):
            return _Running(session, options).run(scripts)


def _configured(options: argparse.Namespace) -> Configuration:
    """The configuration file; fills `options` that are not given with its values. Raises ConfigurationFileError."""
    path = user_file() if options.config is None else Path(options.config)
    configuration = read_configuration(path, needed=options.config is not None)
    options.warehouse = options.warehouse or configuration.warehouse or "warehouse"
    options.catalog, options.catalogs = with_catalogs(configuration, options.catalog or ())
    options.format = options.format or configuration.format or AUTO
    options.remote = options.remote or configuration.remote
    options.define = {**configuration.define, **dict(options.define or ())} or None
    options.conf = {**configuration.conf, **dict(options.conf or ())}
    return configuration


def _shell(session: Session, options: argparse.Namespace, configuration: Configuration) -> int:
    from deltasql.clients.repl import Preferences, start

    preferences = Preferences()
    for name, text in configuration.shell.items():
        preferences = preferences.with_value(name, text)
    if options.no_progress:
        preferences = preferences.with_value("progress", "off")
    return start(session, options.format, options.stack, preferences, options.define)


def _duplicate_stderr() -> TextIO:
    """A duplicate of stderr, since its file descriptor is redirected while Spark starts."""
    return os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding=sys.stderr.encoding)


def _loaded(script: Script) -> Script:
    """The script with its text. Raises ScriptUnreadableError."""
    if not script.name:
        return script
    return Script(script.name, read_script(script.name))


class _Connection:
    """A session for the length of a `with`."""

    def __init__(self, options: argparse.Namespace) -> None:
        from deltasql.session import connect

        by_set, for_start = split_settings(options.conf, remote=options.remote is not None)
        give_to_spark(for_start, os.environ)
        given = {name: getattr(options, name) for name in ("engine", "catalogs", "directory")}
        # What is not given is left to the environment.
        given |= {name: value for name in ("user", "groups") if (value := getattr(options, name)) is not None}
        if options.create_catalogs:
            given["create_catalogs"] = True
        self._session: Session = connect(options.warehouse, options.remote, **given)
        self._settings, self._catalog, self._widgets = by_set, options.catalog, options.widget or ()

    def __enter__(self) -> Session:
        for key, value in self._settings.items():
            self._session.sql(f"SET {key} = {value}")
        for name, value in self._widgets:
            self._session.settings.set(session_settings.WIDGET_PREFIX + name, value)
        if self._catalog is not None:
            self._session.sql(f"USE CATALOG {quote(self._catalog)}")
        return self._session

    def __exit__(self, *_: object) -> None:
        self._session.close()


class _Running:
    """Runs the statements of scripts and the cells of notebooks, and prints their rows."""

    def __init__(self, session: Session, options: argparse.Namespace) -> None:
        self._session, self._options, self._code = session, options, OK

    def run(self, scripts: Sequence[Script]) -> int:
        """The exit code. Raises the first error, after its place was printed, unless --keep-going is set."""
        from deltasql.clients.notebooks import NotebookRun, Output

        options = self._options
        output = Output(self._statement, self._failed, print, self._show)
        notebook = NotebookRun(self._session, output, allow_shell=options.allow_shell)
        try:
            for script in scripts:
                value = notebook.run(script.name, script.text)
                if value is not None:
                    print(f"Notebook exited: {value}", file=sys.stderr)
        finally:
            notebook.close()
        return self._code

    def _statement(self, statement: Statement, place: NotebookPosition, session: Session) -> Result | None:
        began = time.perf_counter()
        if self._options.echo:
            print(f"{without_secrets(statement.text)};")
        result = None
        try:
            args: Mapping[str, Any] | None = self._options.define
            with catch_warnings():
                # Printed below, without a place in this file.
                simplefilter("ignore", StatementWarning)
                result = session.sql(statement.text, args) if args else session.sql(statement.text)
            self._show(result)
            for text in result.warnings:
                print(f"Warning: {text}", file=sys.stderr)
        except DeltaSqlError as error:
            self._failed(error, place)
        if self._options.timing:
            print(f"{time.perf_counter() - began:.3f} s", file=sys.stderr)
        return result

    def _show(self, result: Result) -> None:
        from deltasql.files import render

        render(result.grid(), self._options.format, sys.stdout)
        sys.stdout.flush()

    def _failed(self, error: DeltaSqlError, place: NotebookPosition) -> None:
        """Prints the place of an error in a file, and the error with --keep-going. Raises it without."""
        sys.stdout.flush()
        if place.path:
            print(place.text(error), file=sys.stderr)
        if not self._options.keep_going:
            raise error
        self._code = max(self._code, _report(error, self._options.stack))


def _report(error: DeltaSqlError, with_stack: bool) -> int:
    """Prints an error and returns the exit code for it."""
    print(error, file=sys.stderr)
    if with_stack and isinstance(error, errors.SparkError) and error.stack:
        print(without_secrets(error.stack), file=sys.stderr)
    if isinstance(error, errors.UsageError):
        return USAGE
    return CONFLICT if isinstance(error, errors.ConcurrentModificationError) else FAILED


def _test(options: argparse.Namespace) -> int:
    from deltasql.clients.golden.parallel import run_suite

    names = ("only", "accept", "jobs", "exit_first", "last_failed", "durations", "junit", "engine")
    same = run_suite(options.directory, spark=options.remote, **{name: getattr(options, name) for name in names})
    return OK if same else MISMATCH


def _serve(options: argparse.Namespace) -> int:
    try:
        from deltasql.clients.server.flight import Settings, serve
    except ModuleNotFoundError as error:
        raise errors.ServerPackageMissingError(package=error.name or "protobuf") from None
    by_set = _settings_of_server(options)
    tls = options.tls_certificate, options.tls_key
    options_of_server = options.warehouse, options.host, options.port, options.remote
    catalogs = options.catalog, options.catalogs
    serve(Settings(*options_of_server, options.token_file, *tls, options.engine, by_set, catalogs))
    return OK


def _settings_of_server(options: argparse.Namespace) -> dict[str, str]:
    """The settings that are SET at the start of each session of a server; the others are given to Spark."""
    _configured(options)
    by_set, for_start = split_settings(options.conf, remote=options.remote is not None)
    identity = {"deltasql.user": options.user, "deltasql.groups": options.groups}
    give_to_spark(for_start, os.environ)
    return {**by_set, **{key: value for key, value in identity.items() if value is not None}}


def _warehouse(options: argparse.Namespace) -> int:
    try:
        from deltasql.clients.warehouse.service import WarehouseSettings, serve
    except ModuleNotFoundError as error:
        raise errors.WarehousePackageMissingError(package=error.name or "databricks-sql-connector") from None
    by_set = _settings_of_server(options)
    tls = options.tls_certificate and (options.tls_certificate, options.tls_key)
    where = options.warehouse, options.host, options.port, options.token, tls, options.http
    catalogs = options.catalog, options.catalogs
    serve(WarehouseSettings(*where, options.remote, options.engine, by_set, catalogs), shows_environment=options.env)
    return OK
