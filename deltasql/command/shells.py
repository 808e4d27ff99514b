"""Scripts by which bash, zsh and fish complete the command, made of its own options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

SHELLS = ("bash", "zsh", "fish")
FILES = "<files>"


class Option(NamedTuple):
    """An option with all its names. `values` are what it takes: words, or FILES; () for nothing that can be offered."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...] = ()


def options_of(parser: argparse.ArgumentParser) -> list[Option]:
    """The options of a parser, in their order."""
    return [
        Option(
            tuple(action.option_strings),
            (action.help or "").partition(" (")[0].replace("%%", "%"),
            action.nargs != 0,
            tuple(action.choices or ()) or ((FILES,) if action.metavar in {"FILE", "DIR"} else ()),
        )
        for action in parser._actions
        if action.option_strings
    ]


def script(shell: str, parser: argparse.ArgumentParser, commands: Mapping[str, str]) -> str:
    """The script for one of SHELLS; `commands` are the words beside options, each with what it does."""
    options = options_of(parser)
    match shell:
        case "bash":
            lines = _bash(options, [*commands])
        case "zsh":
            lines = _zsh(options, commands)
        case _:
            lines = _fish(options, commands)
    return "\n".join(lines) + "\n"


def _bash(options: Sequence[Option], commands: Sequence[str]) -> Iterator[str]:
    names = [name for option in options for name in option.names]
    yield '# eval "$(deltasql completion bash)"'
    yield "_deltasql() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '    case "$before" in'
    for option in options:
        if option.takes_value:
            offered = "-f" if FILES in option.values else f'-W "{" ".join(option.values)}"'
            yield f'        {"|".join(option.names)}) COMPREPLY=($(compgen {offered} -- "$word")); return ;;'
    yield f'        completion) COMPREPLY=($(compgen -W "{" ".join(SHELLS)}" -- "$word")); return ;;'
    yield '        test) COMPREPLY=($(compgen -f -- "$word")); return ;;'
    yield "    esac"
    yield f'    COMPREPLY=($(compgen -W "{" ".join([*names, *commands])}" -- "$word"))'
    yield "}"
    yield "complete -o filenames -F _deltasql deltasql"


def _zsh(options: Sequence[Option], commands: Mapping[str, str]) -> Iterator[str]:
    yield "#compdef deltasql"
    yield '# eval "$(deltasql completion zsh)"'
    yield "_deltasql() {"
    yield "    _arguments -s \\"
    for option in options:
        for name in option.names:
            value = ""
            if option.takes_value:
                value = ":value:_files" if FILES in option.values else f":value:({' '.join(option.values)})"
            yield f"        '*{name}[{_plain(option.help)}]{value}' \\"
    yield f"        '1:command:({' '.join(commands)})' '2:argument:{{_values shell {' '.join(SHELLS)}; _files}}'"
    yield "}"
    yield "compdef _deltasql deltasql"


def _fish(options: Sequence[Option], commands: Mapping[str, str]) -> Iterator[str]:
    yield "# deltasql completion fish | source"
    yield "complete -c deltasql -f"
    for option in options:
        words = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
        if option.takes_value:
            words.append("-r" + (" -F" if FILES in option.values else f" -a '{' '.join(option.values)}'"))
        yield f"complete -c deltasql {' '.join(words)} -d '{_plain(option.help)}'"
    for name, told in commands.items():
        yield f"complete -c deltasql -n __fish_use_subcommand -a {name} -d '{_plain(told)}'"
    yield f"complete -c deltasql -n '__fish_seen_subcommand_from completion' -a '{' '.join(SHELLS)}'"
    yield "complete -c deltasql -n '__fish_seen_subcommand_from test' -F"


def _plain(text: str) -> str:
    """Without what the shells take for quotes and brackets of their own."""
    return text.replace("'", "").replace("[", "(").replace("]", ")").replace(":", " -")
