from __future__ import annotations

import pytest

from ..cli.running import Call, caller


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)
