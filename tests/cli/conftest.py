from __future__ import annotations

from pathlib import Path

import pytest

from .running import Call, caller, write_manifest


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command line in this process; fails the test if its status is not ``status`` (None: any)."""
    return caller(capsys)


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Two images and the manifest that declares them."""
    (tmp_path / "one.cubin").write_bytes(b"first image")
    (tmp_path / "two.cubin").write_bytes(b"second")
    return write_manifest(
        tmp_path, {"file": "one.cubin", "arch": "sm_80"}, {"file": "two.cubin", "arch": "sm_90"}, toolchain="llvm-22"
    )
