"""Completion scripts for bash, zsh and fish, generated from the options of the program and its commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
