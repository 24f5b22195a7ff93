"""HIP images registered at start: the bundle as LLVM's tools read it, and the program as its runtime sees it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from offload_tool.errors import UsageError
from offload_tool.gpu.hip_bundle import HOST_ENTRY_ID, BundleEntry, bundle, entry_id

from ..openmp import ANSWER, RUN_ENVIRONMENT, TRIPLE, make_pieces
from ..peers import LLVM_22_LIBRARIES, offload_tool_command, peer, run
from .registering import RUNTIMES, pack, registered, section_alignment, section_bytes, wrap

AMD = "amdgcn-amd-amdhsa"
ARCHS = {"gfx90a:xnack+": "k90a.co", "gfx90a:xnack-": "k90a-off.co", "gfx1100": "k1100.co"}
HIP = "triple=amdgcn-amd-amdhsa,kind=hip"
IDS = [entry_id(AMD, arch) for arch in ARCHS]
GIVEN = "magic 48495046, version 1, aligned, begins 5f5f434c"


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a code object for each of ``ARCHS``, and ``k.o``, a relocatable one."""
    folder = tmp_path_factory.mktemp("device")
    (folder / "k.cl").write_text("__kernel void scale(__global int *p) { p[0] *= 2; }\n")
    peer("ld.lld-22")
    clang = [peer("clang-22"), "-target", AMD, "-nogpulib", "-x", "cl", "k.cl"]
    for arch, name in ARCHS.items():
        run([*clang, f"-mcpu={arch}", "-o", name], cwd=folder)
    run([*clang, "-mcpu=gfx90a", "-c", "-o", "k.o"], cwd=folder)
    return folder


@pytest.fixture(scope="module")
def fat(device: Path) -> Path:
    return pack(device, *(f"file={name},arch={arch},{HIP}" for arch, name in ARCHS.items()))


@pytest.fixture
def wrapped(fat: Path, tmp_path: Path) -> Path:
    wrap(fat, tmp_path / "wrapped.o")
    return tmp_path / "wrapped.o"


class TestBundle:
    def test_g09_written_ids_use_four_parts(self) -> None:
        assert entry_id(AMD, "gfx90a:xnack+") == "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
        assert entry_id(f"{AMD}-", "gfx9-4-generic") == "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic"
        assert entry_id(f"{AMD}-unknown", "gfx1100") == "hipv4-amdgcn-amd-amdhsa--gfx1100"
        assert entry_id("spirv64-amd-amdhsa", "amdgcnspirv") == "hip-spirv64-amd-amdhsa--amdgcnspirv"

    def test_features_are_put_in_order(self) -> None:
        assert entry_id(AMD, "gfx90a:xnack-:sramecc+").endswith("--gfx90a:sramecc+:xnack-")

    @pytest.mark.parametrize("triple", ["", "amdgcn", "amdgcn-amdhsa", "a-b-c-d-e"])
    def test_triple_of_other_parts_is_refused(self, triple: str) -> None:
        with pytest.raises(UsageError, match=f"triple {triple!r} has . parts"):
            entry_id(triple, "gfx90a")

    def test_objects_beyond_4_gib(self) -> None:
        sizes = [5 << 30, 1, 4096]
        plan = bundle([BundleEntry(entry_id=f"hip-a-b-c--{size}", size=size) for size in sizes])
        assert plan.offsets == (4096, 4096 + (5 << 30), 8192 + (5 << 30))
        assert plan.size == 8192 + (5 << 30) + 4096
        assert len(plan.head) == 4096

    def test_table_longer_than_a_page(self) -> None:
        plan = bundle([BundleEntry(entry_id=entry_id(AMD, f"gfx{number}"), size=1) for number in range(100)])
        assert (plan.offsets[0], len(plan.head)) == (8192, 8192)

    def test_bytes_are_the_bundlers_own(self, device: Path, wrapped: Path) -> None:
        inputs = ["--input=/dev/null", *(f"--input={name}" for name in ARCHS.values())]
        targets = f"--targets={','.join([HOST_ENTRY_ID, *IDS])}"
        bundler = [peer("clang-offload-bundler-22"), "--type=o", "--bundle-align=4096"]
        run([*bundler, targets, *inputs, "--output=theirs.hipfb"], cwd=device)
        assert section_bytes(wrapped, ".hip_fatbin") == (device / "theirs.hipfb").read_bytes()

    def test_host_entry_is_what_clang_writes(self, tmp_path: Path) -> None:
        (tmp_path / "k.hip").write_text("__attribute__((global)) void k(int *p) { *p = 1; }\n")
        peer("clang-offload-bundler-22")
        options = ["-nogpuinc", "-nogpulib", "--offload-arch=gfx1100", "--offload-device-only", "-c"]
        run([peer("clang-22"), "-x", "hip", "k.hip", *options, "--no-offload-new-driver", "-o", "k.fb"], cwd=tmp_path)
        theirs = (tmp_path / "k.fb").read_bytes()
        _, size, length = struct.unpack_from("<QQQ", theirs, 32)
        assert (theirs[56 : 56 + length].decode(), size) == (HOST_ENTRY_ID, 0)
        assert entry_id(AMD, "gfx1100").encode() in theirs[:4096]

    def test_clang_offload_bundler_reads_it(self, device: Path, wrapped: Path) -> None:
        (wrapped.parent / "ours.hipfb").write_bytes(section_bytes(wrapped, ".hip_fatbin"))
        command = [peer("clang-offload-bundler-22"), "--type=o", "--input=ours.hipfb"]
        listed = run([*command, "--list"], cwd=wrapped.parent).stdout.split()
        assert sorted(listed) == sorted([HOST_ENTRY_ID, *IDS])
        for target, name in zip(IDS, ARCHS.values(), strict=True):
            run([*command, "--unbundle", f"--targets={target}", f"--output={name}"], cwd=wrapped.parent)
            assert (wrapped.parent / name).read_bytes() == (device / name).read_bytes()

    def test_llvm_objdump_reads_it(self, device: Path, wrapped: Path) -> None:
        run([peer("llvm-objdump-22"), "--offloading", wrapped.name], cwd=wrapped.parent)
        for target, name in zip(IDS, ARCHS.values(), strict=True):
            [extracted] = wrapped.parent.glob(f"*{target}")
            assert extracted.read_bytes() == (device / name).read_bytes()


class TestObject:
    def test_sections(self, wrapped: Path) -> None:
        assert section_alignment(wrapped, ".hip_fatbin") == 4096
        assert section_alignment(wrapped, ".hipFatBinSegment") == 8

    @pytest.mark.parametrize("compiler", ["gcc", "clang-22", "gcc -flto"])
    def test_program_registers_at_start(self, fat: Path, tmp_path: Path, compiler: str) -> None:
        program, *flags = compiler.split()
        wrap(fat, tmp_path / "wrapped.o", "--cc", " ".join([peer(program), *flags]))
        said = registered(tmp_path / "wrapped.o", compiler=program)
        assert said == [f"hip 0: {GIVEN}", "main", "hip 0: gone"]

    def test_two_objects_register_both(self, device: Path, fat: Path, tmp_path: Path) -> None:
        wrap(fat, tmp_path / "one.o")
        wrap(pack(device, f"file=k1100.co,arch=gfx1100,{HIP}", output="other.bin"), tmp_path / "two.o")
        said = registered(tmp_path / "one.o", tmp_path / "two.o")
        assert said[:3] == [f"hip 0: {GIVEN}", f"hip 1: {GIVEN}", "main"]

    def test_shared_library_registers(self, wrapped: Path) -> None:
        folder = wrapped.parent
        (folder / "runtimes.c").write_text(RUNTIMES)
        (folder / "main.c").write_text("int main(void) { return 0; }\n")
        run([peer("gcc"), "-shared", "-fPIC", "runtimes.c", "wrapped.o", "-o", "libk.so"], cwd=folder)
        run([peer("gcc"), "main.c", "-Wl,--no-as-needed", "libk.so", "-Wl,-rpath,$ORIGIN", "-o", "program"], cwd=folder)
        assert run([folder / "program"]).stdout.splitlines() == [f"hip 0: {GIVEN}", "hip 0: gone"]

    def test_does_not_depend_on_where_it_was_made(self, fat: Path, wrapped: Path, tmp_path: Path) -> None:
        (tmp_path / "else").mkdir()
        wrap(fat, tmp_path / "else" / "again.o", env={"TMPDIR": str(tmp_path / "else")})
        assert (tmp_path / "else" / "again.o").read_bytes() == wrapped.read_bytes()

    def test_other_elf_host(self, fat: Path, tmp_path: Path) -> None:
        wrap(fat, tmp_path / "arm.o", "--cc", f"{peer('clang-22')} --target=aarch64-linux-gnu")
        assert "AArch64" in run([peer("readelf"), "-h", tmp_path / "arm.o"]).stdout
        assert section_alignment(tmp_path / "arm.o", ".hip_fatbin") == 4096

    def test_host_that_is_no_elf_is_refused(self, fat: Path, tmp_path: Path) -> None:
        compiler = f"{peer('clang-22')} --target=x86_64-pc-windows-msvc"
        assert "embeds into ELF hosts" in wrap(fat, tmp_path / "o.o", "--cc", compiler, status=1)
        assert list(tmp_path.iterdir()) == []

    def test_spirv_keeps_the_kind_that_the_runtime_looks_for(self, device: Path, tmp_path: Path) -> None:
        (tmp_path / "k.spv").write_bytes(bytes.fromhex("03022307") + bytes(16))
        spirv = "file=k.spv,triple=spirv64-amd-amdhsa,arch=amdgcnspirv,kind=hip"
        fat = pack(tmp_path, f"file={device / 'k1100.co'},arch=gfx1100,{HIP}", spirv, toolchain="llvm-20")
        wrap(fat, tmp_path / "w.o")
        (tmp_path / "ours.hipfb").write_bytes(section_bytes(tmp_path / "w.o", ".hip_fatbin"))
        command = [peer("clang-offload-bundler-22"), "--type=o", "--input=ours.hipfb", "--list"]
        assert "hip-spirv64-amd-amdhsa--amdgcnspirv" in run(command, cwd=tmp_path).stdout.split()

    def test_bundle_alone_is_used_as_it_is(self, wrapped: Path, tmp_path: Path) -> None:
        whole = section_bytes(wrapped, ".hip_fatbin")
        (tmp_path / "k.hipfb").write_bytes(whole)
        wrap(pack(tmp_path, f"file=k.hipfb,{HIP}"), tmp_path / "whole.o")
        assert section_bytes(tmp_path / "whole.o", ".hip_fatbin") == whole

    @pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
    def test_openmp_beside_hip_runs_on_the_device_and_registers(
        self, device: Path, tmp_path: Path, compiler: str
    ) -> None:
        pieces = make_pieces(tmp_path)
        openmp = f"file={pieces.device_library},triple={TRIPLE},arch=generic,kind=openmp"
        fat = pack(tmp_path, f"file={device / 'k1100.co'},arch=gfx1100,{HIP}", openmp)
        wrap(fat, tmp_path / "wrapped.o", "--cc", peer(compiler))
        assert section_alignment(tmp_path / "wrapped.o", ".hip_fatbin") == 4096
        (tmp_path / "runtimes.c").write_text(RUNTIMES)
        sources: list[str | Path] = ["runtimes.c", pieces.host_object, "wrapped.o"]
        libraries = [f"-L{LLVM_22_LIBRARIES}", "-lomp", "-lomptarget"]
        run([peer("gcc"), *sources, *libraries, "-o", "program"], cwd=tmp_path)
        said = run([tmp_path / "program"], env=RUN_ENVIRONMENT).stdout
        assert f"hip 0: {GIVEN}\n" in said
        assert ANSWER in said


class TestRefusal:
    @pytest.fixture(autouse=True)
    def _folder(self, device: Path, tmp_path: Path) -> None:
        for name in (*ARCHS.values(), "k.o"):
            (tmp_path / name).write_bytes((device / name).read_bytes())
        (tmp_path / "text.co").write_text("text")
        (tmp_path / "k.hipfb").write_bytes(b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8))
        (tmp_path / "k.spv").write_bytes(bytes.fromhex("03022307") + bytes(16))

    @pytest.mark.parametrize(
        ("images", "words"),
        [
            (["file=k.o,arch=gfx90a"], "(hip amdgcn-amd-amdhsa gfx90a) is relocatable: the runtime cannot load it"),
            (["file=text.co,arch=gfx90a"], "is of no known kind; a HIP program takes AMDGPU code objects"),
            (["file=k1100.co"], "has no arch; HIP's runtime finds an image by its arch"),
            (["file=k1100.co,arch=gfx1100", "file=k90a.co,arch=gfx1100"], "image 1 of 'fat.bin'"),
            (["file=k90a.co,arch=g:xnack+:a-", "file=k1100.co,arch=g:xnack+:a-"], "has the target of image 0"),
            (["file=k1100.co,arch=gfx1100", "file=k.hipfb,arch=all"], "is a whole Clang offload bundle, which goes"),
        ],
    )
    def test_is_told_with_the_image(self, tmp_path: Path, images: list[str], words: str) -> None:
        assert words in self._wrapped(tmp_path, *(f"{image},{HIP}" for image in images))

    def test_triple_that_makes_no_entry_id(self, tmp_path: Path) -> None:
        said = self._wrapped(tmp_path, "file=k1100.co,arch=gfx1100,triple=amdgcn,kind=hip")
        assert "image 0 of 'fat.bin' (hip amdgcn gfx1100): triple 'amdgcn' has 1 parts" in said

    @pytest.mark.parametrize("kind", ["sycl", "none"])
    def test_kind_without_registration_names_the_mode(self, tmp_path: Path, kind: str) -> None:
        said = self._wrapped(tmp_path, f"file=k.spv,triple=spirv64-unknown-unknown,kind={kind}")
        assert f"image 0 of 'fat.bin' ({kind} spirv64-unknown-unknown ) has a kind that mode wrap cannot carry" in said
        assert "use mode keep" in said

    @pytest.mark.parametrize(
        ("image", "modes"),
        [
            ("file=k.spv,triple=spirv64-unknown-unknown,kind=sycl", "use mode keep"),
            (f"file=k1100.co,arch=gfx1100,{HIP}", "use mode wrap or keep"),
        ],
    )
    def test_link_names_only_modes_that_carry_the_kind(self, tmp_path: Path, image: str, modes: str) -> None:
        pack(tmp_path, image)
        said = run([*offload_tool_command(), "embed", "fat.bin", "-o", "o.o"], cwd=tmp_path, status=1).stderr
        assert said.endswith(f"; {modes}\n")

    def _wrapped(self, folder: Path, *images: str) -> str:
        pack(folder, *images)
        command = [*offload_tool_command(), "embed", "fat.bin", "-o", "o.o", "--mode", "wrap"]
        said = run(command, cwd=folder, status=1).stderr
        assert "Traceback" not in said
        assert not (folder / "o.o").exists()
        return said
