"""Any sound manifest means the same written as YAML, as JSON, or shown and read again."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offload_tool.cli.main import main
from offload_tool.manifest.load import load_manifest
from offload_tool.manifest.values import Manifest
from offload_tool.model import TOOLCHAINS, ImageKind, OffloadKind

_CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff\ufffe\uffff\u2028\u2029")
_TEXT = st.text(_CHARACTERS, min_size=1, max_size=12)
_FILE = _TEXT.map(lambda text: "f" + text.replace("{", "{{").replace("}", "}}"))
_METADATA = st.dictionaries(_TEXT.filter(lambda key: key not in ("file", "kind", "triple", "arch")), _TEXT, max_size=3)
_SCALAR_OR_LIST = st.one_of(_TEXT, st.lists(_TEXT, min_size=1, max_size=3, unique=True))
_TARGET = st.fixed_dictionaries(
    {"triple": _TEXT, "kind": st.sampled_from([kind.value for kind in OffloadKind])},
    optional={
        "arch": _SCALAR_OR_LIST,
        "image_kind": st.sampled_from([kind.word for kind in ImageKind]),
        "metadata": _METADATA,
    },
)


@st.composite
def _documents(draw: st.DrawFn) -> dict[str, Any]:
    targets = draw(st.lists(_TARGET, max_size=4))
    images = [{**target, "file": f"{index}-{draw(_FILE)}"} for index, target in enumerate(targets)]
    optional = {
        "toolchain": st.sampled_from(list(TOOLCHAINS)),
        "align": st.sampled_from(["8", "16", "65536"]),
        "defaults": st.fixed_dictionaries(
            {}, optional={"triple": _TEXT, "arch": _SCALAR_OR_LIST, "metadata": _METADATA}
        ),
        "variables": st.dictionaries(st.from_regex(r"\A[a-z]{1,8}_\Z"), _TEXT, max_size=2),
    }
    return {"schema": "1", "images": images, **draw(st.fixed_dictionaries({}, optional=optional))}


def _meaning(manifest: Manifest) -> tuple[object, ...]:
    images = [
        (image.file, image.triple, image.kind, image.arch, image.image_kind, dict(image.metadata))
        for image in manifest.images
    ]
    return images, manifest.toolchain, manifest.align, manifest.format_version


def _read(folder: Path, text: str) -> Manifest:
    (folder / "m").write_bytes(text.encode())
    return load_manifest(str(folder / "m"))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=_documents(), indent=st.sampled_from([None, 2]), ascii_only=st.booleans(), flow=st.booleans())
def test_yaml_and_json_mean_the_same(
    document: dict[str, Any], indent: int | None, ascii_only: bool, flow: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        as_yaml = yaml.safe_dump(document, allow_unicode=not ascii_only, default_flow_style=flow, sort_keys=False)
        if as_yaml.startswith("{"):
            as_yaml = "---\n" + as_yaml
        as_json = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
        first, second = _read(Path(name), as_yaml), _read(Path(name), as_json)
        assert _meaning(first) == _meaning(second)
        count = sum(len(image["arch"]) if isinstance(image.get("arch"), list) else 1 for image in document["images"])
        assert len(first.images) >= count


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=_documents())
def test_what_show_prints_reads_as_the_same_images(document: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        manifest = _read(Path(name), json.dumps(document))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert main(["manifest", "show", "--json", str(Path(name) / "m")]) == 0
        shown = json.loads(printed.getvalue())
        keys = ("file", "triple", "arch", "kind", "image_kind", "metadata")
        images = [{key: image[key] for key in keys if image[key] not in (None, "", {})} for image in shown["images"]]
        again = {"schema": 1, "literal": True, "toolchain": shown["toolchain"], "images": images}
        assert _meaning(_read(Path(name), json.dumps(again)))[0] == _meaning(manifest)[0]
