"""The bytes of a manifest: UTF-8, with or without a byte order mark, whatever the locale and the line ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from offload_tool.errors import ManifestError, OffloadError
from offload_tool.limits import MANIFEST_BYTES
from offload_tool.manifest.load import load_manifest

from ..peers import offload_tool_command, run

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("bom", [b"", BOM], ids=["without mark", "with mark"])
@pytest.mark.parametrize(
    ("before", "line", "column"),
    [
        (b"", 1, 1),
        (b"schema: 1\n# ", 2, 3),
        ("schema: 1\n# éé😀".encode(), 2, 6),
        (b"schema: 1\r\nimages: []\r\n#", 3, 2),
        (b'{"schema": 1, "images": [{"file": "', 1, 36),
    ],
)
@pytest.mark.parametrize("bad", [b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf8"])
def test_byte_that_is_no_utf8(bom: bytes, before: bytes, line: int, column: int, bad: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_bytes(bom + before + bad + b"\n")
    with pytest.raises(ManifestError) as raised:
        load_manifest(str(tmp_path / "m.yaml"))
    (fault,) = raised.value.faults
    assert (fault.line, fault.column) == (line, column)
    assert fault.message == f"byte 0x{bad[0]:02x} is no UTF-8; save the manifest as UTF-8"


@pytest.mark.usefixtures("yaml_reader")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_byte_order_mark_and_line_ends_change_nothing(end: str, tmp_path: Path) -> None:
    text = f"schema: 1{end}images:{end}- {{file: é.o, triple: t, kind: HIP}}{end}"
    for head in (b"", BOM):
        (tmp_path / "m.yaml").write_bytes(head + text.encode())
        with pytest.raises(ManifestError) as raised:
            load_manifest(str(tmp_path / "m.yaml"))
        assert [(fault.line, fault.column) for fault in raised.value.faults] == [(3, 32)]


def test_byte_order_mark_before_json(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(BOM + b'{"schema": 1, "images": []}')
    assert load_manifest(str(tmp_path / "m.json")).images == ()


def test_json_may_begin_with_spaces_and_lines(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('\n \t\r\n{"schema": 1, "images": [1e3]}', encoding="utf-8")
    with pytest.raises(ManifestError) as raised:
        load_manifest(str(tmp_path / "m.json"))
    assert (raised.value.faults[0].line, raised.value.faults[0].column) == (3, 26)


@pytest.mark.parametrize(
    "name", ["LC_ALL=C", "LC_ALL=POSIX", "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0", "LC_ALL=C.UTF-8"]
)
def test_locale_changes_nothing(name: str, tmp_path: Path) -> None:
    text = 'schema: 1\nimages:\n- {file: "é😀.o", triple: tü, kind: hip, metadata: {k: "ñ"}}\n'
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    env = dict(pair.split("=") for pair in name.split())
    done = run([*offload_tool_command(), "manifest", "show", "--json", tmp_path / "m.yaml"], env=env)
    (image,) = json.loads(done.stdout)["images"]
    assert (image["file"], image["triple"]) == (str(tmp_path / "é😀.o"), "tü")
    assert image["metadata"] == {"k": "ñ"}


def test_no_manifest_at_all(tmp_path: Path) -> None:
    with pytest.raises(OffloadError, match=r"manifest '.*none\.yaml': No such file or directory"):
        load_manifest(str(tmp_path / "none.yaml"))
    with pytest.raises(OffloadError, match="Is a directory"):
        load_manifest(str(tmp_path))


def test_manifest_larger_than_the_limit(tmp_path: Path) -> None:
    with (tmp_path / "m.yaml").open("wb") as file:
        file.truncate(MANIFEST_BYTES + 1)
    with pytest.raises(OffloadError, match=f"is larger than {MANIFEST_BYTES} bytes"):
        load_manifest(str(tmp_path / "m.yaml"))


JSON = '{"schema": 1, "images": [{"file": "a", "triple": "t", "kind": "hip"}%s]}'


@pytest.mark.parametrize("fault", ["", ', {"file": "a"}', ", {"], ids=["sound", "faulty", "no json"])
@pytest.mark.parametrize("absent", ["", "sys.modules['yaml'] = None; "], ids=["yaml there", "yaml absent"])
def test_json_manifest_loads_no_yaml(absent: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(JSON % fault, encoding="utf-8")
    program = (
        f"import sys; {absent}from offload_tool.cli.main import main\n"
        "status = main(['manifest', 'check', sys.argv[1]])\n"
        "loaded = {name.split('.')[0] for name, module in sys.modules.items() if module}\n"
        "assert not loaded & {'yaml', '_yaml'}\n"
        "raise SystemExit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m.json")],
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (1 if fault else 0), done.stderr
    assert "Traceback" not in done.stderr
    assert ("error: " in done.stderr) == bool(fault)
