"""Which toolchain a compiler belongs to, asked from its own packager."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool.actions.probing import probe_toolchain
from offload_tool.errors import HostError

from ..peers import offload_tool_command, peer, run


@pytest.mark.parametrize(
    ("compiler", "toolchain"),
    [("clang-16", "llvm-20"), ("clang-19", "llvm-20"), ("clang-22", "llvm-22"), ("gcc", None)],
)
def test_compilers_own_packager_tells(compiler: str, toolchain: str | None) -> None:
    assert probe_toolchain(peer(compiler)) == toolchain


def test_command_prints_the_name_or_nothing() -> None:
    command = [*offload_tool_command(), "toolchain", "--cc"]
    assert run([*command, peer("clang-22")]).stdout == "llvm-22\n"
    assert run([*command, peer("gcc")]).stdout == ""


def test_packager_that_fails_is_named(tmp_path: Path) -> None:
    packager = tmp_path / "llvm-offload-binary"
    packager.write_text("#!/bin/sh\necho broken >&2; exit 3\n")
    packager.chmod(0o755)
    compiler = tmp_path / "cc"
    compiler.write_text(f'#!/bin/sh\necho "{packager}"\n')
    compiler.chmod(0o755)
    with pytest.raises(HostError, match="failed with status 3: broken"):
        probe_toolchain(str(compiler))
