from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _settled_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No choice of the person who runs the tests reaches them."""
    tools = ("OFFLOAD_TOOLCHAIN", "OFFLOAD_WRAPPER", "CC", "CXX", "CFLAGS", "LDFLAGS", "MAKEFLAGS", "SCONSFLAGS")
    for name in (*tools, "PYTHONUNBUFFERED"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def images(tmp_path: Path) -> Path:
    """A folder with small images: object, bitcode, cubin, PTX by suffix, and one without a suffix."""
    folder = tmp_path / "images"
    folder.mkdir()
    for source in (Path(__file__).parent / "data" / "offload-binary" / "inputs").iterdir():
        (folder / source.name).write_bytes(source.read_bytes())
    return folder
