"""``pack --archive``: what binutils and the linker make of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..peers import peer, run
from .running import Call, write_manifest


def _members(archive: Path) -> list[str]:
    return run([peer("ar"), "t", archive]).stdout.splitlines()


def test_g13_member_names_are_unique_and_bytes_come_back(call: Call, tmp_path: Path) -> None:
    contents = {"x": b"12345", "y": b"12345678901", "z": b"even"}
    for name, content in contents.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.o").write_bytes(content)
    path = write_manifest(tmp_path, *[{"file": f"{name}/k.o", "arch": name} for name in contents])
    call("pack", path, "--archive", "-o", tmp_path / "lib.a")
    assert _members(tmp_path / "lib.a") == ["k.o", "k-2.o", "k-3.o"]
    (tmp_path / "all").mkdir()
    run([peer("ar"), "x", tmp_path / "lib.a"], cwd=tmp_path / "all")
    assert [(tmp_path / "all" / name).read_bytes() for name in ("k.o", "k-2.o", "k-3.o")] == list(contents.values())


def test_archive_is_a_function_of_its_input(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "--archive", "-o", tmp_path / "a.a")
    os.utime(tmp_path / "one.cubin", ns=(10**18, 10**18))
    (tmp_path / "one.cubin").chmod(0o700)
    call("pack", manifest, "--archive", "-o", tmp_path / "b.a")
    assert (tmp_path / "a.a").read_bytes() == (tmp_path / "b.a").read_bytes()
    assert str(tmp_path).encode() not in (tmp_path / "a.a").read_bytes()
    assert run([peer("ar"), "tv", tmp_path / "a.a"], env={"TZ": "UTC"}).stdout.count("rw-r--r-- 0/0") == 2


@pytest.mark.parametrize("name", ["fifteen_chars_x", "sixteen_chars_xx", "seventeen_chars_x", "with space.o", "ü.o"])
def test_g13_names_of_every_length(name: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"12345")
    call("pack", write_manifest(tmp_path, {"file": name}), "--archive", "-o", tmp_path / "lib.a")
    assert _members(tmp_path / "lib.a") == [name]


def test_linker_finds_symbols_through_the_index(call: Call, tmp_path: Path) -> None:
    for name, value in (("first", 40), ("second", 2)):
        (tmp_path / f"{name}.c").write_text(f"int {name}(void) {{ return {value}; }}\n", encoding="utf-8")
        run([peer("gcc"), "-c", f"{name}.c"], cwd=tmp_path)
    (tmp_path / "main.c").write_text(
        "int first(void), second(void);\nint main(void) { return first() + second(); }\n", encoding="utf-8"
    )
    images = [{"file": f"{name}.o", "triple": "x86_64-pc-linux-gnu", "kind": "none"} for name in ("first", "second")]
    call("pack", write_manifest(tmp_path, *images), "--archive", "-o", tmp_path / "lib.a")
    assert _members(tmp_path / "lib.a") == ["first.o", "second.o"]
    index = run([peer("readelf"), "-c", "lib.a"], cwd=tmp_path).stdout
    assert [line.strip().split(" at ")[0] for line in index.splitlines()[1:] if line.strip()] == [
        "Contents of binary lib.a(first.o)", "first", "Contents of binary lib.a(second.o)", "second",
    ]  # fmt: skip
    run([peer("gcc"), "main.c", "lib.a", "-o", "main"], cwd=tmp_path)
    run([tmp_path / "main"], status=42)


def test_archive_of_nothing(call: Call, tmp_path: Path) -> None:
    call("pack", write_manifest(tmp_path), "--archive", "-o", tmp_path / "lib.a")
    assert _members(tmp_path / "lib.a") == []


def test_archive_of_an_object_that_is_damaged_has_no_symbols_of_it(call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text("int k;\n", encoding="utf-8")
    run([peer("gcc"), "-c", "k.c"], cwd=tmp_path)
    whole = (tmp_path / "k.o").read_bytes()
    (tmp_path / "k.o").write_bytes(whole[: len(whole) // 2])
    call("pack", write_manifest(tmp_path, {"file": "k.o"}), "--archive", "-o", tmp_path / "lib.a")
    assert _members(tmp_path / "lib.a") == ["k.o"]
