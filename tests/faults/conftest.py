from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from .injecting import Injector, compiled_shim


@pytest.fixture(scope="session")
def shared_injector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Injector]:
    injector = Injector(compiled_shim(tmp_path_factory.mktemp("shim")), tmp_path_factory.mktemp("injected"))
    yield injector
    injector.close()


@pytest.fixture
def inject(shared_injector: Injector) -> Iterator[Injector]:
    """Runs command lines under faults, in a folder that is empty at first."""
    yield shared_injector
    for path in shared_injector.folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
