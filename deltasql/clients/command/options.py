"""Options of the command line and of `deltasql serve`, the configuration file, and completion scripts for shells.

The file is `~/.config/deltasql/config.toml`; values are given as NAME=VALUE. Scripts for bash, zsh and fish are
generated from the options of the program and its commands.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from deltasql.base import errors, session_settings, similar_names
from deltasql.files import FORMATS

SHELLS = ("bash", "zsh", "fish")
FILES = "<files>"
_ARE_FILES = frozenset({"FILE", "DIR"})
"""Metavars of options and arguments that are paths."""


class CompletedOption(NamedTuple):
    """An option with all its names. `values` are its completions: words, or FILES; () for none."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompletedCommand:
    """A command with its options; `values` are the completions of its argument, as of an option.

    The command with an empty name is the program itself.
    """

    name: str
    help: str
    options: tuple[CompletedOption, ...]
    values: tuple[str, ...] = ()


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """The completion script of the parser's program for one of SHELLS."""
    program, *commands = _commands(parser)
    lines = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](program, commands)
    return "\n".join(lines) + "\n"


def _commands(parser: argparse.ArgumentParser) -> Iterator[CompletedCommand]:
    """The program, then its commands in their order."""
    yield _command("", "", parser)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            help_texts = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, inner in action.choices.items():
                yield _command(name, help_texts.get(name, ""), inner)


def _command(name: str, help_text: str, parser: argparse.ArgumentParser) -> CompletedCommand:
    actions = [item for item in parser._actions if not isinstance(item, argparse._SubParsersAction)]
    options = tuple(
        CompletedOption(tuple(item.option_strings), _brief(parser, item), item.nargs != 0, _values(item))
        for item in actions
        if item.option_strings
    )
    return CompletedCommand(
        name, help_text, options, next((_values(item) for item in actions if not item.option_strings), ())
    )


def _brief(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """The help of an option without its default, which stands in brackets."""
    return (action.help or "").partition(" (")[0].replace("%%", "%").replace("%(prog)s", parser.prog)


def _values(action: argparse.Action) -> tuple[str, ...]:
    return tuple(action.choices or ()) or ((FILES,) if action.metavar in _ARE_FILES else ())


def _bash(program: CompletedCommand, commands: Sequence[CompletedCommand]) -> Iterator[str]:
    """Lines of the bash script. COMP_WORDS are the words of the line; option values are skipped to find the command."""
    alone = {name for option in program.options if option.takes_value for name in option.names}
    yield '# eval "$(deltasql completion bash)"'
    yield "_deltasql() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" at'
    yield "    for ((at = 1; at < COMP_CWORD; at++)); do"
    yield '        case "${COMP_WORDS[at]}" in'
    yield f"            {'|'.join(sorted(alone))}) ((at++)) ;;"
    yield f'            {"|".join(item.name for item in commands)}) command="${{COMP_WORDS[at]}}"; break ;;'
    yield "        esac"
    yield "    done"
    yield '    case "$command $before" in'
    yield from (line for item in (*commands, program) for line in _bash_options(item))
    yield "    esac"
    yield '    case "$command" in'
    yield from (_bash_words(item, item.name, _names(item)) for item in commands)
    yield _bash_words(program, "*", [*_names(program), *(item.name for item in commands)])
    yield "    esac"
    yield "}"
    yield "complete -o filenames -F _deltasql deltasql"


def _names(command: CompletedCommand) -> list[str]:
    """The names of all its options."""
    return [name for option in command.options for name in option.names]


def _bash_options(command: CompletedCommand) -> Iterator[str]:
    """Cases that complete values of options; those of the program apply to all commands, after their own."""
    pattern = f'"{command.name}"' if command.name else "*"
    for option in command.options:
        if option.takes_value:
            patterns = "|".join(f"{pattern}\\ {name}" for name in option.names)
            yield f"        {patterns}) {_bash_values(option.values)}; return ;;"


def _bash_words(command: CompletedCommand, pattern: str, names: Sequence[str]) -> str:
    """The case of all other words: names of options, and the command's values unless the word begins with `-`."""
    values = f'[[ "$word" != -* ]] && {_bash_values(command.values)} || ' if command.values else ""
    return f'        {pattern}) {values}COMPREPLY=($(compgen -W "{" ".join(names)}" -- "$word")) ;;'


def _bash_values(values: Sequence[str]) -> str:
    offered = "-f" if FILES in values else f'-W "{" ".join(values)}"'
    return f'COMPREPLY=($(compgen {offered} -- "$word"))'


def _zsh(program: CompletedCommand, commands: Sequence[CompletedCommand]) -> Iterator[str]:
    """Lines of the zsh script. After `_arguments -C` the `case` completes the rest, with words from the command on."""
    yield "#compdef deltasql"
    yield '# eval "$(deltasql completion zsh)"'
    yield "_deltasql() {"
    yield '    local state line curcontext="$curcontext"'
    yield "    _arguments -C \\"
    yield from (f"        {spec} \\" for spec in _zsh_options(program))
    yield "        '1:command:->command' '*::argument:->argument'"
    yield '    case "$state" in'
    yield "        command)"
    descriptions = " ".join(_quoted(f"{item.name}:{item.help}") for item in commands)
    yield f"            local -a told=({descriptions})"
    yield "            _describe -t commands command told ;;"
    yield "        argument)"
    yield '            case "$words[1]" in'
    for item in commands:
        yield f"                {item.name}) _arguments \\"
        yield from (f"                    {spec} \\" for spec in _zsh_options(item))
        yield f"                    '1:argument{_zsh_values(item.values)}' ;;"
    yield "            esac ;;"
    yield "    esac"
    yield "}"
    yield "compdef _deltasql deltasql"


def _zsh_options(command: CompletedCommand) -> Iterator[str]:
    for option in command.options:
        value = f":value{_zsh_values(option.values)}" if option.takes_value else ""
        help_text = option.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        yield from (_quoted(f"*{name}[{help_text}]{value}") for name in option.names)


def _zsh_values(values: Sequence[str]) -> str:
    return ":_files" if FILES in values else f":({' '.join(values)})"


def _fish(program: CompletedCommand, commands: Sequence[CompletedCommand]) -> Iterator[str]:
    yield "# deltasql completion fish | source"
    yield "complete -c deltasql -f"
    names = " ".join(item.name for item in commands)
    yield from _fish_options(program, f"not __fish_seen_subcommand_from {names}")
    for item in commands:
        yield f"complete -c deltasql -n __fish_use_subcommand -a {item.name} -d {_fish_text(item.help)}"
        condition = f"__fish_seen_subcommand_from {item.name}"
        if item.values:
            yield f"complete -c deltasql -n {_fish_text(condition)}{_fish_values(item.values)}"
        yield from _fish_options(item, condition)


def _fish_options(command: CompletedCommand, condition: str) -> Iterator[str]:
    for option in command.options:
        words = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
        value = f" -r{_fish_values(option.values)}" if option.takes_value else ""
        help_text = _fish_text(option.help)
        yield f"complete -c deltasql -n {_fish_text(condition)} {' '.join(words)}{value} -d {help_text}"


def _fish_values(values: Sequence[str]) -> str:
    return " -F" if FILES in values else f" -a {_fish_text(' '.join(values))}"


def _quoted(text: str) -> str:
    """A quoted word of sh."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_text(text: str) -> str:
    """A quoted word of fish, where a backslash escapes quotes and itself."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_SHELL = ("pager", "progress", "confirm", "timing", "rows")
_TEXTS = ("warehouse", "catalog", "remote", "format")
_TABLES = ("shell", "conf", "define", "catalogs")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d*)(\.\d+)?")
_OF_PYSPARK = "pyspark-shell"
_OURS = ("deltasql.", "spark.databricks.delta.")


@dataclass(frozen=True, slots=True)
class Configuration:
    """Content of the configuration file: `shell` are preferences by name, `conf` and `define` as the options."""

    warehouse: str | None = None
    catalog: str | None = None
    remote: str | None = None
    format: str | None = None
    shell: Mapping[str, str] = field(default_factory=dict)
    conf: Mapping[str, str] = field(default_factory=dict)
    define: Mapping[str, Any] = field(default_factory=dict)
    catalogs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    """External catalogs by name."""


def user_file() -> Path:
    """The path of the user's configuration file, which need not exist."""
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "deltasql" / "config.toml"


def read_configuration(path: Path, *, needed: bool = False) -> Configuration:
    """The configuration in a file; empty if it is missing and not `needed`. Raises ConfigurationFileError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError) as error:
        if needed:
            raise errors.ConfigurationFileError(path=str(path), reason=error.strerror or str(error)) from None
        return Configuration()
    except (OSError, UnicodeDecodeError) as error:
        raise errors.ConfigurationFileError(path=str(path), reason=str(error)) from None
    try:
        return _checked(_toml(text))
    except ValueError as error:
        raise errors.ConfigurationFileError(path=str(path), reason=str(error).rstrip(".")) from None


def _toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    values: dict[str, Any] = tomllib.loads(text)
    return values


def _checked(values: dict[str, Any]) -> Configuration:
    """The configuration of parsed TOML. Raises ValueError for unknown settings and values of wrong types."""
    _check_names("", values, (*_TEXTS, *_TABLES))
    for name in _TEXTS:
        if not isinstance(values.get(name, ""), str):
            raise ValueError(f"{name} must be a text")
    for name in _TABLES:
        if not isinstance(values.get(name, {}), dict):
            raise ValueError(f"{name} must be a table, [{name}]")
    if values.get("format", FORMATS[0]) not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}")
    _check_names("shell.", values.get("shell", {}), _SHELL)
    warehouse = values.get("warehouse")
    return Configuration(
        warehouse if warehouse is None or "://" in warehouse else str(Path(warehouse).expanduser()),
        values.get("catalog"),
        values.get("remote"),
        values.get("format"),
        {name: _text(value) for name, value in values.get("shell", {}).items()},
        {name: _text(value) for name, value in _flat(values.get("conf", {}))},
        values.get("define", {}),
        _catalogs(values.get("catalogs", {})),
    )


def with_catalogs(
    configuration: Configuration, given: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[str | None, dict[str, Mapping[str, Any]]]:
    """The current catalog, and the external ones: of the option --catalog, else of the file."""
    external = {**configuration.catalogs, **{name: catalog for name, catalog in given if catalog}}
    return next((name for name, catalog in reversed(given) if not catalog), configuration.catalog), external


def _catalogs(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The external catalogs, each a table. Raises ValueError."""
    for name, options in values.items():
        if not isinstance(options, dict):
            raise ValueError(f"catalogs.{name} must be a table, [catalogs.{name}]")
    return {name: dict(_flat(options)) for name, options in values.items()}


def _check_names(section: str, values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in values:
        if name not in names:
            close = similar_names(name, names)
            advice = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
            raise ValueError(f"there is no setting {section}{name}; {advice}")


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Settings with dotted keys: TOML parses unquoted keys with dots as nested tables."""
    pairs: list[tuple[str, Any]] = []
    for name, value in values.items():
        pairs += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(prefix + name, value)]
    return pairs


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def pair(text: str) -> tuple[str, str]:
    """NAME=VALUE. Raises ValueError."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"'{text}' is not NAME=VALUE")
    return name.strip(), value


def parameter(text: str) -> tuple[str, Any]:
    """NAME=VALUE of a parameter: a number, true, false or null if it has that form; in quotes always a text.

    Raises ValueError.
    """
    name, value = pair(text)
    words: dict[str, bool | None] = {"true": True, "false": False, "null": None}
    if value.lower() in words:
        return name, words[value.lower()]
    if number := _NUMBER.fullmatch(value):
        return name, Decimal(value) if number[1] else int(value)
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return name, value[1:-1] if quoted else value


def catalog_option(text: str) -> tuple[str, dict[str, str]]:
    r"""The catalog that `NAME=TYPE,OPTION=VALUE,…` configures. A comma in a value is written `\,`.

    Raises ValueError.
    """
    name, _, rest = text.partition("=")
    kind, *pairs = (part.replace("\\,", ",") for part in re.split(r"(?<!\\),", rest))
    options = {"type": kind.strip()}
    for item in pairs:
        option, equals, value = item.partition("=")
        if not equals or not option.strip():
            raise ValueError(f"the options of catalog {name} are not OPTION=VALUE,OPTION=VALUE,…")
        options[option.strip()] = value
    if not name.strip() or "," in name or not options["type"] or "=" in options["type"]:
        raise ValueError("a catalog is configured as NAME=TYPE,OPTION=VALUE,…")
    return name.strip(), options


def split_settings(settings: Mapping[str, str], *, remote: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Settings for SET, and settings that Spark must be started with; all are for SET if Spark is `remote`."""
    by_set = {
        key: value
        for key, value in settings.items()
        if remote or key in session_settings.SETTINGS or key.startswith(_OURS)
    }
    return by_set, {key: value for key, value in settings.items() if key not in by_set}


def give_to_spark(settings: Mapping[str, str], environment: dict[str, str] | os._Environ[str]) -> None:
    """Adds `settings` to the environment for a Spark that this process starts; they override existing ones."""
    remaining = dict(settings)
    master = remaining.pop("spark.master", None)
    if master is not None:
        environment["DELTASQL_MASTER"] = master
    if remaining:
        words = [word for key, value in remaining.items() for word in ("--conf", f"{key}={value}")]
        # The last of several settings with one key counts, and the argument pyspark-shell must be at the end.
        submitted = environment.get("PYSPARK_SUBMIT_ARGS", "").strip().removesuffix(_OF_PYSPARK)
        environment["PYSPARK_SUBMIT_ARGS"] = f"{submitted.strip()} {shlex.join(words)} {_OF_PYSPARK}".strip()


def add_catalog(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """The option that names the current catalog, or configures an external one."""
    parser.add_argument(
        "--catalog",
        metavar="NAME",
        action="append",
        type=_catalog,
        default=default,
        help="the current catalog, or an external one: NAME=TYPE,OPTION=VALUE; repeatable (spark_catalog)",
    )


def _catalog(text: str) -> tuple[str, Mapping[str, str]]:
    """The name of a catalog, and its configuration if `text` has one. Raises ArgumentTypeError."""
    if "=" not in text:
        return text, {}
    try:
        return catalog_option(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _add_address(server: argparse.ArgumentParser, port: int) -> None:
    """The options that each server has: its address, and the tables that it serves."""
    server.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="where to listen (%(default)s)")
    server.add_argument("--port", metavar="N", type=int, default=port, help="0 is a free one (%(default)s)")
    server.add_argument("--warehouse", metavar="DIR", default=argparse.SUPPRESS, help="tables and catalog")
    add_catalog(server, default=argparse.SUPPRESS)


def add_options(serve: argparse.ArgumentParser) -> None:
    """Where, what and for whom to serve."""
    _add_address(serve, 31337)
    serve.add_argument("--token-file", metavar="FILE", help="whose text clients must give")
    serve.add_argument("--tls-certificate", metavar="FILE", help="in PEM, with --tls-key")
    serve.add_argument("--tls-key", metavar="FILE", help="in PEM, with --tls-certificate")


def add_warehouse_options(warehouse: argparse.ArgumentParser) -> None:
    """Where, what and for whom a SQL warehouse serves."""
    _add_address(warehouse, 8443)
    warehouse.add_argument("--token", help="what clients must give (DELTASQL_SERVER_TOKEN, or a new one)")
    warehouse.add_argument("--tls-certificate", metavar="FILE", help="in PEM, with --tls-key (one for localhost)")
    warehouse.add_argument("--tls-key", metavar="FILE", help="in PEM, with --tls-certificate")
    warehouse.add_argument("--http", action="store_true", help="plain HTTP, at a loopback address only")
    warehouse.add_argument("--env", action="store_true", help="print the environment variables that clients read")
