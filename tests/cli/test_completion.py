"""Completion as the shells themselves do it."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool.cli.main import COMMANDS
from offload_tool.cli.parsers import arguments_of, parser_of

from ..peers import offload_tool_command, peer, run

OPTIONS = {command: [name for one in arguments_of(parser_of(command)) for name in one.names] for command in COMMANDS}


def script(shell: str, folder: Path) -> Path:
    path = folder / f"completion.{shell}"
    path.write_text(run([*offload_tool_command(), "completion", shell]).stdout, encoding="utf-8")
    return path


def by_bash(folder: Path, *words: str) -> list[str]:
    listed = " ".join(f"'{word}'" for word in ("offload-tool", *words))
    text = f"source {script('bash', folder)}; COMP_WORDS=({listed}); COMP_CWORD={len(words)}; "
    return run([peer("bash"), "-c", text + '_offload_tool; printf "%s\\n" "${COMPREPLY[@]}"']).stdout.split()


def by_fish(folder: Path, *words: str) -> list[str]:
    text = f"source {script('fish', folder)}; complete -C'offload-tool {' '.join(words)}'"
    done = run([peer("fish"), "--no-config", "-c", text], cwd=folder, env={"HOME": str(folder)})
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


COMPLETE = {"bash": by_bash, "fish": by_fish}


@pytest.mark.parametrize("shell", COMPLETE)
class TestCompleting:
    def test_commands(self, shell: str, tmp_path: Path) -> None:
        assert set(COMPLETE[shell](tmp_path, "")) >= set(COMMANDS)
        assert sorted(COMPLETE[shell](tmp_path, "ex")) == sorted(name for name in COMMANDS if name.startswith("ex"))

    def test_options_of_every_command(self, shell: str, tmp_path: Path) -> None:
        for command, options in OPTIONS.items():
            long = {name for name in options if name.startswith("--")}
            assert set(COMPLETE[shell](tmp_path, command, "--")) == long

    def test_values_of_an_option(self, shell: str, tmp_path: Path) -> None:
        assert sorted(COMPLETE[shell](tmp_path, "embed", "--mode", "")) == ["keep", "link", "wrap"]

    def test_words_of_a_positional(self, shell: str, tmp_path: Path) -> None:
        assert sorted(COMPLETE[shell](tmp_path, "manifest", "s")) == ["schema", "show"]


def test_bash_completes_files_where_a_value_is_one(tmp_path: Path) -> None:
    assert by_bash(tmp_path, "pack", "-o", "") == []
    assert "complete -o default" in script("bash", tmp_path).read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_zsh_is_told_every_option(command: str, tmp_path: Path) -> None:
    stubs = 'compdef() { : }; _arguments() { print -rl -- "$@" }; '
    text = f"{stubs} source {script('zsh', tmp_path)}; CURRENT=3; words=(offload-tool {command} ''); _offload_tool"
    lines = run([peer("zsh"), "-f", "-c", text]).stdout.splitlines()
    told = {line.lstrip("*").partition("[")[0] for line in lines if line.lstrip("*").startswith("-")}
    assert told == set(OPTIONS[command])


def test_zsh_itself_takes_the_descriptions(tmp_path: Path) -> None:
    """A terminal's own zsh: a fault in what ``_arguments`` is given is said instead of completed."""
    text = f"""
      zmodload zsh/zpty
      zpty shell {peer("zsh")} -f -i
      zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source {script("zsh", tmp_path)}; print rea''dy'
      zpty -r shell found '*ready*'
      zpty -w -n shell $'offload-tool embed --mode \\t\\t'
      zpty -r shell found '*wrap*' && print -r -- "$found"
    """
    told = run([peer("zsh"), "-f", "-c", text], env={"TERM": "dumb", "HOME": str(tmp_path)}).stdout
    assert all(word in told for word in ("keep", "link", "wrap"))
    assert "_arguments" not in told
