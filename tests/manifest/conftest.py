from __future__ import annotations

import pytest
import yaml

from offload_tool.manifest import yaml_text


@pytest.fixture(params=["libyaml", "python"])
def yaml_reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both readers of PyYAML, one after the other: a machine may have either."""
    name = str(request.param)
    if name == "libyaml" and not hasattr(yaml, "CBaseLoader"):
        pytest.skip("PyYAML is installed without libyaml")
    monkeypatch.setattr(yaml_text, "_LOADER", yaml.CBaseLoader if name == "libyaml" else yaml.BaseLoader)
    return name
