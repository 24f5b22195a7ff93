"""The host object: section, type, flags, symbols, and what happens when it cannot be made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from offload_tool import read_images

from ..peers import offload_tool_command, peer, run


@pytest.fixture
def fat(tmp_path: Path, images: Path) -> Path:
    """One relocatable image and nothing else: an object of the host's compiler."""
    (images / "device.c").write_text("int kernel(void) { return 1; }\n")
    run([peer("gcc"), "-c", "device.c", "-o", "device.o"], cwd=images)
    image = "file=device.o,triple=amdgcn-amd-amdhsa,arch=gfx90a,kind=hip"
    command = [*offload_tool_command(), "pack", "-o", "fat.bin", "--toolchain", "llvm-22", "--image", image]
    run(command, cwd=images)
    return images / "fat.bin"


def embed(fat: Path, output: Path, *more: str, status: int = 0, env: dict[str, str] | None = None) -> str:
    return run([*offload_tool_command(), "embed", fat, "-o", output, *more], status=status, env=env).stderr


def section(path: Path, name: str) -> list[str]:
    rows = run([peer("readelf"), "-SW", path]).stdout.splitlines()
    return next(row.split("]", 1)[1].split() for row in rows if f" {name} " in row)


@pytest.mark.parametrize("compiler", ["gcc", "clang-22", "clang-19", "clang-16", "gcc -flto", "clang-22 -flto"])
def test_link_section_has_type_and_flags(fat: Path, tmp_path: Path, compiler: str) -> None:
    program, *flags = compiler.split()
    embed(fat, tmp_path / "stub.o", "--cc", " ".join([peer(program), *flags]))
    name, kind, _, _, size, _, flags_shown, *_, align = section(tmp_path / "stub.o", ".llvm.offloading")
    assert (name, int(size, 16), flags_shown, align) == (".llvm.offloading", fat.stat().st_size, "E", "8")
    assert kind in ("LLVM_OFFLOADING", "LOOS+0xfff4c0b")
    assert [image.section for image in read_images(str(tmp_path / "stub.o"))] == [".llvm.offloading"]


def test_llvm_objdump_finds_the_images(fat: Path, tmp_path: Path) -> None:
    embed(fat, tmp_path / "stub.o")
    shown = run([peer("llvm-objdump-22"), "--offloading", tmp_path / "stub.o"]).stdout
    assert "gfx90a" in shown


def test_object_does_not_depend_on_where_it_was_made(fat: Path, tmp_path: Path) -> None:
    other = tmp_path / "other folder"
    other.mkdir()
    shutil.copy(fat, other / "copy.bin")
    embed(fat, tmp_path / "one.o")
    embed(other / "copy.bin", other / "two.o")
    assert (tmp_path / "one.o").read_bytes() == (other / "two.o").read_bytes()
    assert str(tmp_path).encode() not in (tmp_path / "one.o").read_bytes()


@pytest.mark.parametrize("name", ["with space", 'a"b', "back\\slash", "$dollar#hash", "ünï", "'quote'", "100%", "a\tb"])
def test_odd_folder_names(fat: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    shutil.copy(fat, folder / "f.bin")
    embed(folder / "f.bin", folder / "stub.o")
    assert len(read_images(str(folder / "stub.o"))) == 1


def test_keep_gives_the_program_its_bytes(images: Path, tmp_path: Path) -> None:
    command = [*offload_tool_command(), "pack", "-o", "fat.bin", "--align", "4096"]
    run([*command, "--image", "file=k.cubin,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=cuda"], cwd=images)
    embed(images / "fat.bin", tmp_path / "kept.o", "--mode", "keep", "--symbol", "blob")
    (tmp_path / "main.c").write_text(
        "#include <stdio.h>\n#include <stdint.h>\nextern const char blob_start[], blob_end[];\n"
        "extern const uint64_t blob_size;\n"
        "int main(void) {\n"
        "  if ((uint64_t)(blob_end - blob_start) != blob_size || (uintptr_t)blob_start % 4096) return 1;\n"
        "  return fwrite(blob_start, 1, blob_size, stdout) != blob_size; }\n"
    )
    run([peer("gcc"), "main.c", "kept.o", "-Wl,--gc-sections", "-o", "program"], cwd=tmp_path)
    run(["sh", "-c", "./program > copy.bin"], cwd=tmp_path)
    assert (tmp_path / "copy.bin").read_bytes() == (images / "fat.bin").read_bytes()
    found = read_images(str(tmp_path / "program"))
    assert [(image.arch, image.section) for image in found] == [("sm_80", ".offload_images")]


def test_keep_in_a_shared_library_and_an_archive(fat: Path, tmp_path: Path) -> None:
    embed(fat, tmp_path / "kept.o", "--mode", "keep")
    source = "extern const char offload_images_start[];\nconst char *get(void) { return offload_images_start; }\n"
    (tmp_path / "get.c").write_text(source)
    run([peer("gcc"), "-fPIC", "-c", "get.c"], cwd=tmp_path)
    run([peer("ar"), "rcs", "libk.a", "get.o", "kept.o"], cwd=tmp_path)
    run([peer("gcc"), "-shared", "-Wl,-u,get", "libk.a", "-o", "libk.so"], cwd=tmp_path)
    assert len(read_images(str(tmp_path / "libk.so"))) == 1


@pytest.mark.parametrize("symbol", ["1x", "a-b", "", "a b"])
def test_symbol_must_be_an_identifier(fat: Path, tmp_path: Path, symbol: str) -> None:
    words = embed(fat, tmp_path / "o.o", "--mode", "keep", "--symbol", symbol, status=2)
    assert "is no C identifier" in words


@pytest.mark.parametrize("mode", ["link", "wrap"])
def test_symbol_is_for_keep_alone(fat: Path, tmp_path: Path, mode: str) -> None:
    words = embed(fat, tmp_path / "o.o", "--mode", mode, "--symbol", "x", status=2)
    assert words == f"offload-tool: error: symbol 'x' has no meaning in mode {mode}; only keep has any\n"


def test_compiler_that_is_missing(fat: Path, tmp_path: Path) -> None:
    words = embed(fat, tmp_path / "o.o", "--cc", "no-such-cc", status=1)
    assert words == "offload-tool: error: compiler 'no-such-cc' is not to be found; name another with --cc or CC\n"


def test_compiler_from_the_environment(fat: Path, tmp_path: Path) -> None:
    words = embed(fat, tmp_path / "o.o", status=1, env={"CC": "no-such-cc -O2"})
    assert "compiler 'no-such-cc -O2' is not to be found" in words


def test_compiler_that_fails_keeps_the_old_object(fat: Path, tmp_path: Path) -> None:
    (tmp_path / "o.o").write_bytes(b"old")
    words = embed(fat, tmp_path / "o.o", "--cc", f"{peer('gcc')} -no-such-flag", status=1)
    assert "failed with status 1" in words
    assert "Traceback" not in words
    assert (tmp_path / "o.o").read_bytes() == b"old"


def test_host_that_is_no_elf_is_refused(fat: Path, tmp_path: Path) -> None:
    words = embed(fat, tmp_path / "o.o", "--cc", f"{peer('clang-22')} --target=x86_64-pc-windows-msvc", status=1)
    assert "embeds into ELF hosts" in words
    assert not (tmp_path / "o.o").exists()


@pytest.mark.parametrize(
    "target",
    [
        "armv7-linux-gnueabihf",
        "aarch64-linux-gnu",
        "riscv64-linux-gnu",
        "i386-linux-gnu",
        "s390x-linux-gnu",
        "powerpc-linux-gnu",
        "mips64-linux-gnuabi64",
    ],
)
def test_other_elf_hosts(fat: Path, tmp_path: Path, target: str) -> None:
    embed(fat, tmp_path / "o.o", "--cc", f"{peer('clang-22')} --target={target}")
    assert [image.arch for image in read_images(str(tmp_path / "o.o"))] == ["gfx90a"]


def test_host_file_and_empty_binary_are_refused(fat: Path, tmp_path: Path) -> None:
    embed(fat, tmp_path / "o.o")
    assert "is a host file" in embed(tmp_path / "o.o", tmp_path / "p.o", status=1)
    (tmp_path / "empty.bin").write_bytes(b"")
    assert "nothing to embed" in embed(tmp_path / "empty.bin", tmp_path / "p.o", status=1)
    assert not (tmp_path / "p.o").exists()


def test_depfile_names_the_fat_binary_and_the_packager(fat: Path, tmp_path: Path) -> None:
    embed(fat, tmp_path / "o.o", "--depfile", str(tmp_path / "o.d"), "--depfile-target", "target")
    lines = [line.strip(" \\") for line in (tmp_path / "o.d").read_text().splitlines()]
    assert lines[:2] == ["target:", str(fat)]
    assert any(line.endswith("/actions/embed.py") for line in lines)


def test_failed_embedding_writes_no_depfile(fat: Path, tmp_path: Path) -> None:
    embed(fat, tmp_path / "o.o", "--cc", "no-such-cc", "--depfile", str(tmp_path / "o.d"), status=1)
    assert list(tmp_path.glob("o.*")) == []


def test_entry_of_metadata_alone_is_no_image(images: Path, tmp_path: Path) -> None:
    golden = Path(__file__).parent.parent / "data" / "offload-binary" / "v2-four-images.bin"
    embed(golden, tmp_path / "o.o", "--mode", "keep")
    assert [image.is_metadata_only for image in read_images(str(tmp_path / "o.o"))] == [False, False, False, True]
    words = embed(golden, tmp_path / "p.o", "--mode", "link", status=1)
    assert "image 0" in words
