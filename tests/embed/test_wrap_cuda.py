"""CUDA images registered at start: one fatbin by NVIDIA's ``fatbinary``, and what happens where there is none.

NVIDIA's programs are in no package of a build server's system: tests that need them are skipped wherever they are
missing.  The others have a stand-in for ``fatbinary`` that notes its arguments.
"""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest

from offload_tool.actions import wrap_cuda
from offload_tool.actions.embed import EmbedOptions, Mode, embed
from offload_tool.errors import HostError

from ..peers import offload_tool_command, peer, run
from .registering import pack, registered, section_alignment, section_bytes, wrap

CUDA = "triple=nvptx64-nvidia-cuda,kind=cuda"
PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
EMPTY_FATBIN = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 0)
ENTRY_KINDS = {1: "ptx", 2: "elf"}
SAID = [
    "cuda 0: magic 466243b1, version 1, begins 50ed55ba",
    "cuda 0: complete",
    "main",
    "cuda 0: gone",
]


def nvidia(program: str) -> str:
    """The path of a program of the CUDA toolkit; without it the test is skipped, on a build server as well."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is missing; install NVIDIA's CUDA toolkit, 13 or newer")
    return found


def entries(fatbin: bytes) -> list[tuple[str, int]]:
    """Kind and SM number of each entry of a fatbin."""
    magic, version, header_size, size = struct.unpack_from("<IHHQ", fatbin)
    assert (magic, version, header_size, 16 + size) == (0xBA55ED50, 1, 16, len(fatbin))
    found, offset = [], header_size
    while offset < len(fatbin):
        kind, _, entry_size, payload_size = struct.unpack_from("<HHIQ", fatbin, offset)
        found.append((ENTRY_KINDS[kind], struct.unpack_from("<I", fatbin, offset + 0x1C)[0]))
        offset += entry_size + payload_size
    return found


def said_by(*objects: Path, compiler: str = "gcc") -> list[str]:
    """What ``registered`` gives, but whether the fatbin lies at a page: it need not."""
    lines = registered(*objects, compiler=compiler)
    return [line.replace(" unaligned,", "").replace(" aligned,", "") for line in lines]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with PTX that no tool has to make, and a finished fatbin."""
    (tmp_path / "k.ptx").write_text(PTX)
    (tmp_path / "long.ptx").write_text("// a comment\n" * 100 + PTX)
    (tmp_path / "k.fatbin").write_bytes(EMPTY_FATBIN)
    return tmp_path


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """A toolkit whose ``fatbinary`` notes its arguments and makes an empty fatbin."""
    folder = tmp_path / "toolkit" / "bin"
    folder.mkdir(parents=True)
    (folder / "empty").write_bytes(EMPTY_FATBIN)
    (folder / "fatbinary").write_text(f'#!/bin/sh\necho "$@" > {folder}/arguments\ncp {folder}/empty "${{2#*=}}"\n')
    (folder / "fatbinary").chmod(0o755)
    return folder


def path_without_toolkit() -> str:
    """A PATH on which the host's tools are, and no ``fatbinary``."""
    return "/usr/bin:/bin"


class TestStandIn:
    @pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH"])
    @pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
    def test_program_registers_at_start(self, texts: Path, stand_in: Path, variable: str, compiler: str) -> None:
        environment = {"PATH": path_without_toolkit(), variable: str(stand_in.parent)}
        wrap(pack(texts, f"file=k.ptx,arch=sm_80,{CUDA}"), texts / "w.o", "--cc", peer(compiler), env=environment)
        arguments = "-64 --create=images.fatbin --image3=kind=ptx,sm=80,file=image0\n"
        assert (stand_in / "arguments").read_text() == arguments
        assert section_bytes(texts / "w.o", ".nv_fatbin") == EMPTY_FATBIN
        assert section_alignment(texts / "w.o", ".nvFatBinSegment") == 8
        assert said_by(texts / "w.o", compiler=compiler) == SAID

    def test_ptx_behind_a_long_comment(self, texts: Path, stand_in: Path) -> None:
        environment = {"PATH": f"{stand_in}:{path_without_toolkit()}"}
        wrap(pack(texts, f"file=long.ptx,arch=compute_90a,{CUDA}"), texts / "w.o", env=environment)
        assert "--image3=kind=ptx,sm=90a,file=image0" in (stand_in / "arguments").read_text()

    def test_path_comes_before_the_toolkits_variables(self, texts: Path, stand_in: Path) -> None:
        environment = {"PATH": f"{stand_in}:{path_without_toolkit()}", "CUDA_HOME": "/no/such/folder"}
        wrap(pack(texts, f"file=k.ptx,arch=sm_80,{CUDA}"), texts / "w.o", env=environment)
        assert (stand_in / "arguments").exists()

    def test_fatbinary_that_fails_is_told(self, texts: Path, stand_in: Path) -> None:
        (stand_in / "fatbinary").write_text("#!/bin/sh\necho no licence >&2; exit 4\n")
        environment = {"PATH": f"{stand_in}:{path_without_toolkit()}"}
        said = wrap(pack(texts, f"file=k.ptx,arch=sm_80,{CUDA}"), texts / "w.o", status=1, env=environment)
        assert "failed with status 4: no licence" in said
        assert not (texts / "w.o").exists()

    def test_hip_and_cuda_make_one_object(self, texts: Path, stand_in: Path) -> None:
        (texts / "k.hipfb").write_bytes(b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8))
        hip = "file=k.hipfb,triple=amdgcn-amd-amdhsa,kind=hip"
        fat = pack(texts, hip, f"file=k.ptx,arch=sm_80,{CUDA}")
        wrap(fat, texts / "w.o", env={"PATH": f"{stand_in}:{path_without_toolkit()}"})
        said = said_by(texts / "w.o")
        assert [line.split(":")[0] for line in said] == ["cuda 0", "cuda 0", "hip 1", "main", "hip 1", "cuda 0"]


class TestWithoutToolkit:
    def test_finished_fatbin_is_used_as_it_is(self, texts: Path) -> None:
        environment = {"PATH": path_without_toolkit()}
        wrap(pack(texts, f"file=k.fatbin,arch=any,{CUDA}"), texts / "w.o", env=environment)
        assert section_bytes(texts / "w.o", ".nv_fatbin") == EMPTY_FATBIN
        assert said_by(texts / "w.o") == SAID

    def test_fatbinary_that_is_missing_says_what_to_install(self, texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fat = pack(texts, f"file=k.ptx,arch=sm_80,{CUDA}")
        monkeypatch.setattr(wrap_cuda, "_USUAL_TOOLKIT", str(texts / "nowhere"))
        monkeypatch.setenv("PATH", path_without_toolkit())
        monkeypatch.delenv("CUDA_HOME", raising=False)
        monkeypatch.delenv("CUDA_PATH", raising=False)
        with pytest.raises(HostError, match=r"fatbinary is not to be found.*install the CUDA toolkit.*CUDA_HOME"):
            embed(str(fat), str(texts / "w.o"), EmbedOptions(mode=Mode.WRAP, compiler=peer("gcc")))
        assert not (texts / "w.o").exists()

    @pytest.mark.parametrize(
        ("images", "words"),
        [
            (
                ["file=k.fatbin,arch=any", "file=k.ptx,arch=sm_80"],
                "image 0 of 'fat.bin' (cuda nvptx64-nvidia-cuda any)",
            ),
            (["file=k.ptx,arch=sm_80", "file=k.fatbin,arch=any"], "is a whole CUDA fatbin, which goes alone, and ther"),
            (["file=k.ptx"], "has arch ''; CUDA's runtime wants one such as sm_90"),
            (["file=k.ptx,arch=gfx90a"], "has arch 'gfx90a'; CUDA's runtime wants"),
            (
                ["file=w.txt,arch=sm_80"],
                "is of no known kind; a CUDA program takes cubins, PTX or one fatbin, use mode k",
            ),
        ],
    )
    def test_image_that_cannot_be_wrapped_is_named(self, texts: Path, images: list[str], words: str) -> None:
        (texts / "w.txt").write_text("text")
        pack(texts, *(f"{image},{CUDA}" for image in images))
        command = [*offload_tool_command(), "embed", "fat.bin", "-o", "o.o", "--mode", "wrap"]
        said = run(command, cwd=texts, status=1).stderr
        assert words in said
        assert not (texts / "o.o").exists()


class TestToolkit:
    @pytest.fixture(scope="class")
    @staticmethod
    def device(tmp_path_factory: pytest.TempPathFactory) -> Path:
        """A folder with cubins of two archs, PTX, and a relocatable cubin."""
        nvcc = nvidia("nvcc")
        nvidia("fatbinary")
        folder = tmp_path_factory.mktemp("device")
        (folder / "k.cu").write_text('extern "C" __global__ void scale(int *p) { p[threadIdx.x] *= 2; }\n')
        run([nvcc, "-cubin", "-arch=sm_80", "k.cu", "-o", "k80.cubin"], cwd=folder)
        run([nvcc, "-cubin", "-arch=sm_90a", "k.cu", "-o", "k90a.cubin"], cwd=folder)
        run([nvcc, "-ptx", "-arch=compute_80", "k.cu", "-o", "k.ptx"], cwd=folder)
        run([nvcc, "-cubin", "-rdc=true", "-arch=sm_80", "k.cu", "-o", "relocatable.cubin"], cwd=folder)
        return folder

    @pytest.fixture
    @staticmethod
    def fat(device: Path) -> Path:
        images = ["k80.cubin,arch=sm_80", "k90a.cubin,arch=sm_90a", "k.ptx,arch=compute_80"]
        return pack(device, *(f"file={image},{CUDA}" for image in images))

    @pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
    def test_program_registers_at_start(self, fat: Path, tmp_path: Path, compiler: str) -> None:
        wrap(fat, tmp_path / "w.o", "--cc", peer(compiler))
        assert entries(section_bytes(tmp_path / "w.o", ".nv_fatbin")) == [("elf", 80), ("elf", 90), ("ptx", 80)]
        assert section_alignment(tmp_path / "w.o", ".nv_fatbin") >= 8
        assert said_by(tmp_path / "w.o", compiler=compiler) == SAID

    def test_cubins_are_the_ones_packed(self, device: Path, fat: Path, tmp_path: Path) -> None:
        wrap(fat, tmp_path / "w.o")
        fatbin = section_bytes(tmp_path / "w.o", ".nv_fatbin")
        assert all((device / name).read_bytes() in fatbin for name in ("k80.cubin", "k90a.cubin"))

    def test_finished_fatbin_is_used_as_it_is(self, device: Path, tmp_path: Path) -> None:
        image = "--image3=kind=elf,sm=80,file=k80.cubin"
        run([nvidia("fatbinary"), "-64", "--create=whole.fatbin", image], cwd=device)
        wrap(pack(device, f"file=whole.fatbin,arch=sm_80,{CUDA}", output="whole.bin"), tmp_path / "w.o")
        assert section_bytes(tmp_path / "w.o", ".nv_fatbin") == (device / "whole.fatbin").read_bytes()
        assert said_by(tmp_path / "w.o") == SAID

    def test_does_not_depend_on_where_it_was_made(self, fat: Path, tmp_path: Path) -> None:
        (tmp_path / "else").mkdir()
        wrap(fat, tmp_path / "one.o")
        wrap(fat, tmp_path / "else" / "two.o", env={"TMPDIR": str(tmp_path / "else")})
        assert (tmp_path / "one.o").read_bytes() == (tmp_path / "else" / "two.o").read_bytes()

    def test_relocatable_cubin_is_refused(self, device: Path, tmp_path: Path) -> None:
        fat = pack(device, f"file=relocatable.cubin,arch=sm_80,{CUDA}", output="relocatable.bin")
        assert "(cuda nvptx64-nvidia-cuda sm_80) is relocatable" in wrap(fat, tmp_path / "w.o", status=1)

    def test_cubin_of_another_arch_is_told_in_fatbinarys_words(self, device: Path, tmp_path: Path) -> None:
        fat = pack(device, f"file=k80.cubin,arch=sm_75,{CUDA}", output="other.bin")
        said = wrap(fat, tmp_path / "w.o", status=1)
        assert "elf arch does not match user-specified arch" in said
        assert list(tmp_path.iterdir()) == []
