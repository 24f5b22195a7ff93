"""What a command loads: start-up is a feature."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from offload_tool import __version__

from .peers import ROOT, run

HEAVY = ["elftools", "SCons", "rich", "difflib", "filecmp", "asyncio", "tempfile", "importlib.metadata"]
PROBE = "import sys; from offload_tool.cli.{module} import main; main({arguments!r}); print(*sys.modules)"


def loaded(module: str, arguments: list[str]) -> set[str]:
    probe = PROBE.format(module=module, arguments=arguments)
    return set(run([sys.executable, "-c", probe], cwd=ROOT / "examples" / "quickstart").stdout.split())


def test_pack_of_a_simple_yaml_manifest_loads_nothing_heavy() -> None:
    assert loaded("main", ["pack", "images.yaml", "-o", "/dev/null"]).isdisjoint([*HEAVY, "yaml"])


def test_pack_of_any_yaml_manifest_loads_nothing_else_heavy(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"image")
    (tmp_path / "m.yaml").write_text("schema: 1\nimages: [{file: a,\n  triple: t, kind: none}]\n")
    modules = loaded("main", ["pack", str(tmp_path / "m.yaml"), "-o", "/dev/null"])
    assert "yaml" in modules
    assert modules.isdisjoint(HEAVY)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("main", ["pack", "images.yaml", "-o", "/dev/null"]),
        ("offload_binary", ["offload-binary", "-o", "/dev/null", "--image=file=saxpy.ptx,triple=t"]),
    ],
)
def test_plain_pack_loads_only_what_it_uses(module: str, arguments: list[str]) -> None:
    rooms = ("containers.bitcode", "containers.archive", "actions.archiving", "actions.incremental", "actions.mapping")
    unused = ["hashlib", "json", "mmap", "shutil", "zlib", *(f"offload_tool.{name}" for name in rooms)]
    assert loaded(module, arguments).isdisjoint(unused)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("main", ["--version"]),
        ("main", ["--cmake-dir"]),
        ("offload_binary", ["offload-binary", "-o", "/dev/null", "--image=file=saxpy.ptx,triple=t"]),
    ],
)
def test_yaml_is_not_loaded_without_need(module: str, arguments: list[str]) -> None:
    assert loaded(module, arguments).isdisjoint([*HEAVY[:3], "yaml", "subprocess"])


def test_importing_the_package_loads_no_room() -> None:
    probe = "import sys, offload_tool; print(*[name for name in sys.modules if name.startswith('offload_tool.')])"
    assert run([sys.executable, "-c", probe], cwd=ROOT).stdout.split() == ["offload_tool.version"]


def test_public_names_are_there() -> None:
    import offload_tool

    for name in offload_tool.__all__:
        assert getattr(offload_tool, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = offload_tool.nothing


WAITING = (
    "import threading; "
    "threading.Thread(target=lambda: (threading.main_thread().join(), os.write(1, b'waited for, '))).start(); "
)
WORKING = (
    "import multiprocessing.util; read, write = os.pipe(); atexit.register(os.write, write, b'end'); "
    "multiprocessing.get_context('fork').Process(target=os.read, args=(read, 3)).start(); "
)


@pytest.mark.parametrize("module", ["main", "offload_binary"])
@pytest.mark.parametrize(
    ("more", "end"),
    [
        ("", ""),
        ("import multiprocessing, threading; ", ""),
        (WAITING, "waited for, tidied up"),
        (WORKING, "tidied up"),
    ],
)
def test_process_ends_at_once_where_nobody_is_waited_for(module: str, more: str, end: str) -> None:
    """The interpreter's tidying up takes a tenth of a small command; all that was said is said all the same."""
    code = (
        f"import atexit, os, sys; atexit.register(os.write, 1, b'tidied up'); {more}sys.argv = ['x', '--version']; "
        f"from offload_tool.cli.{module} import console; console()"
    )
    out = run([sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(ROOT)}).stdout
    assert __version__ in out
    assert out.endswith(end or out.splitlines()[-1] + "\n")
    assert ("tidied up" in out) == bool(end)


def test_collector_of_garbage_looks_less_often() -> None:
    code = "import gc; from offload_tool.cli.process import run_as_process; "
    code += "run_as_process(lambda: print(gc.get_threshold()[0]) or 3)"
    done = run([sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(ROOT)}, status=3)
    assert int(done.stdout) > 100_000
