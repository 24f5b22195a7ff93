"""Completion scripts for three shells, made of the commands' own parsers; files complete where no words are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from .main import COMMANDS, GLOBAL_OPTIONS, PROGRAM
from .parsers import Argument, arguments_of, parser_of

__all__ = ["SCRIPTS"]


def _arguments() -> dict[str, list[Argument]]:
    return {command: list(arguments_of(parser_of(command))) for command in COMMANDS}


def _quoted(text: str) -> str:
    """A word for any of the shells, none of which reads a backslash within these quotes but fish, which needs none."""
    return "'" + text.replace("\\", "").replace("'", "'\\''") + "'"


def _bash() -> str:
    lines = [
        "_offload_tool() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words=""',
        "  COMPREPLY=()",
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f"    words={_quoted(' '.join((*COMMANDS, *GLOBAL_OPTIONS)))}",
        "  else",
        '    case "${COMP_WORDS[1]} $previous" in',
    ]
    for command, arguments in _arguments().items():
        lines += [f"      {pattern}) {action} ;;" for pattern, action in _bash_values(command, arguments)]
    lines += ['      *) case "${COMP_WORDS[1]}" in']
    for command, arguments in _arguments().items():
        words = [name for one in arguments for name in one.names]
        words += [choice for one in arguments if not one.names for choice in one.choices]
        lines.append(f"        {command}) words={_quoted(' '.join(words))} ;;")
    lines += ["      esac ;;", "    esac", "  fi", '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")', "}"]
    return "\n".join([*lines, f"complete -o default -F _offload_tool {PROGRAM}"])


def _bash_values(command: str, arguments: list[Argument]) -> Iterator[tuple[str, str]]:
    """Patterns of a command and an option that takes a value, and what is done for that value."""
    for one in arguments:
        if one.names and one.value:
            pattern = "|".join(f"'{command} {name}'" for name in one.names)
            yield pattern, f"words={_quoted(' '.join(one.choices))}" if one.choices else "return"


def _zsh() -> str:
    lines = [f"#compdef {PROGRAM}", "_offload_tool() {", "  if (( CURRENT == 2 )); then", "    local -a commands=("]
    lines += [f"      {_quoted(f'{name}:{what}')}" for name, what in COMMANDS.items()]
    lines += [
        "    )",
        "    _describe command commands",
        "    return",
        "  fi",
        "  local command=$words[2]",
        "  shift words",
    ]
    lines += ["  (( CURRENT-- ))", "  case $command in"]
    for command, arguments in _arguments().items():
        specs = [spec for one in arguments for spec in _zsh_specs(one)]
        lines.append(f"    {command}) _arguments {' '.join(specs)} ;;")
    return "\n".join([*lines, "  esac", "}", f"compdef _offload_tool {PROGRAM}"])


def _zsh_specs(one: Argument) -> Iterator[str]:
    """What ``_arguments`` takes: name, help in brackets, and after colons what the value is and how it completes."""
    plain = one.value.replace(":", " ").replace("[", "(").replace("]", ")")
    action = f"({' '.join(one.choices)})" if one.choices else "_files"
    value = f":{plain}:{action}" if one.value else ""
    if not one.names:
        yield _quoted(f"{'*' if one.is_repeated else ''}{value or ':file:_files'}")
    for name in one.names:
        text = one.help.replace("[", "(").replace("]", ")").replace(":", ",")
        yield _quoted(f"{'*' if one.is_repeated else ''}{name}[{text}]{value}")


def _fish() -> str:
    lines = [f"complete -c {PROGRAM} -n __fish_use_subcommand -f"]
    lines += [
        f"complete -c {PROGRAM} -n __fish_use_subcommand -a {name} -d {_quoted(what)}"
        for name, what in COMMANDS.items()
    ]
    for command, arguments in _arguments().items():
        for one in arguments:
            lines += [
                f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {command}'{rest}" for rest in _fish_rest(one)
            ]
    return "\n".join(lines)


def _fish_rest(one: Argument) -> Iterator[str]:
    names = "".join(f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in one.names)
    if one.choices:
        yield f"{names}{' -x' if names else ' -f'} -a {_quoted(' '.join(one.choices))} -d {_quoted(one.help)}"
    elif names:
        yield f"{names}{' -r' if one.value else ''} -d {_quoted(one.help)}"


SCRIPTS: Mapping[str, Callable[[], str]] = MappingProxyType({"bash": _bash, "zsh": _zsh, "fish": _fish})
"""The script of each shell."""
