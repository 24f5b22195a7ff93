"""Symbols of bitcode as LLVM 22 indexes them: its archiver names the same, in the same order."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from offload_tool.containers.bitcode_symbols import defined_symbols

from ..peers import peer, run
from .test_bitcode import assembled

CLANGS = ["clang-16", "clang-19", "clang-22"]

C = """
extern int used, unused; extern int weak_reference __attribute__((weak));
int tentative; int defined = 1; const int constant = 2; static int internal = 3; static const char text[] = "text";
__thread int thread_local_one; __attribute__((visibility("hidden"))) int hidden = 4;
__attribute__((weak)) int weak_variable; int array[] = {1, 2};
int declared(void); inline int inline_one(void) { return 1; } extern inline int kept(void) { return 2; }
__attribute__((gnu_inline)) extern inline int gnu_inline_one(void) { return 3; }
static int internal_function(void) { return internal + text[1]; }
__attribute__((weak)) int weak_function(void) { return 4; }
__attribute__((visibility("hidden"))) int hidden_function(void) { return internal_function(); }
int function(int value) {
  __builtin_memset(array, value, sizeof array);
  return used + declared() + inline_one() + gnu_inline_one() + (&weak_reference != 0);
}
int labelled __asm__("other_name") = 5; int asm_function(void) __asm__("renamed.function");
int asm_function(void) { return labelled; }
"""
ELF_ONLY = """
extern int alias_of __attribute__((alias("defined"))); int alias_of_function(int) __attribute__((alias("function")));
extern int weak_alias __attribute__((weak, alias("defined")));
static int internal_alias(void) __attribute__((alias("hidden_function"), used));
__attribute__((section("other"), used)) int in_section = 6;
__attribute__((constructor)) void constructor(void) {}
"""
IFUNC = """
static int (*resolve(void))(int) { return function; } int chosen(int) __attribute__((ifunc("resolve")));
"""
ASSEMBLY = """
__asm__(".globl global_label\\nglobal_label: .long 1\\nlocal_label: .long 2\\n.globl used_label\\n");
__asm__(".weak weak_label\\nweak_label: .long 3\\n.globl a_number\\n.set a_number, 4\\n");
"""
APPLE_ASSEMBLY = '__asm__(".globl _global_label\\n_global_label: .long 1\\nlocal_label: .long 2\\n");\n'
CPP = """
template <typename T> struct Box { T value; static T count; Box(); virtual ~Box(); T get() const { return value; } };
template <typename T> T Box<T>::count; template <typename T> Box<T>::Box() { ++count; }
template <typename T> Box<T>::~Box() {} template struct Box<int>; extern template struct Box<char>;
extern "C" int plain(int v) { return Box<char>().get() + v; }
inline int inline_variable = 1; inline int &reference() { static int local = inline_variable; return local; }
namespace { struct Hidden { int member(); }; int Hidden::member() { return 1; } }
int user() { return Box<long>().get() + reference() + Hidden().member() + [](int v) { return v; }(3); }
struct Object { Object(); ~Object(); } object; thread_local Object each;
const int constant = 3; auto *shown = &constant;
"""
HIP = """
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
__device__ int counter; __constant__ int table[4]; __device__ static int internal = 1; __device__ extern int elsewhere;
__device__ int helper(int v) { return v + internal; } __device__ inline int inlined(int v) { return v * 2; }
extern "C" __global__ void kernel(int *p) { __shared__ int s; s = table[0]; *p = helper(inlined(s)) + counter; }
template <typename T> __global__ void generic(T *p) { *p = 1; } template __global__ void generic<float>(float *);
static __global__ void internal_kernel(int *p) { *p = 2; } __device__ void *use = (void *)0;
"""
OPENCL = """
constant int table[2] = {1, 2}; global int counter; int helper(int v) { return v + table[1]; }
kernel void scale(global int *p, int by) { local int s; s = by; p[get_global_id(0)] = helper(s); }
"""
CPP_17 = ("-x", "c++", "-std=c++17")
HIP_ONLY = ("-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib", "--offload-arch=gfx90a")
CUDA_ONLY = ("-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--offload-arch=sm_70")
OPENCL_ONLY = ("-x", "cl", "-cl-std=CL2.0", "-nogpulib", "-Xclang", "-finclude-default-header")
LINUX, APPLE = "--target=x86_64-linux-gnu", "--target=arm64-apple-macos14"
AMDGCN, NVPTX = "--target=amdgcn-amd-amdhsa", "--target=nvptx64-nvidia-cuda"

SOURCES: dict[str, tuple[str, tuple[str, ...]]] = {
    "C for x86-64": (C + ELF_ONLY + IFUNC, (LINUX,)),
    "C, common": (C + ELF_ONLY, (LINUX, "-fcommon", "-O2")),
    "C, assembly": (C + ASSEMBLY, (LINUX, "-g")),
    "C for Apple": (C, (APPLE,)),
    "C for Apple, assembly": (C + APPLE_ASSEMBLY, (APPLE,)),
    "C for AArch64": (C + ELF_ONLY, ("--target=aarch64-linux-gnu",)),
    "C for Windows": (C.replace("__thread", ""), ("--target=x86_64-pc-windows-msvc",)),
    "C for 32-bit Windows": (C.replace("__thread", ""), ("--target=i686-pc-windows-msvc",)),
    "C, LTO": (C + ELF_ONLY, (LINUX, "-flto")),
    "C, thin LTO": (C + ELF_ONLY, (LINUX, "-flto=thin", "-O2")),
    "C for AMD": (C.replace("__thread", ""), (AMDGCN, "-nogpulib")),
    "C for AMD, assembly": (C.replace("__thread", "") + ASSEMBLY, (AMDGCN, "-nogpulib")),
    "C for NVIDIA": (C.replace("__thread", "").replace("renamed.", "renamed_"), (NVPTX, "-nogpulib")),
    "C for NVIDIA, assembly": ("int a;" + ASSEMBLY, (NVPTX, "-nogpulib")),
    "C++": (CPP, (*CPP_17, LINUX)),
    "C++, optimized": (CPP, (*CPP_17, LINUX, "-O2")),
    "C++ for Apple": (CPP, (*CPP_17, APPLE)),
    "C++ for Windows": (CPP, (*CPP_17, "--target=i686-pc-windows-msvc")),
    "C++, two modules": (CPP, (*CPP_17, LINUX, "-flto=thin", "-fvisibility=hidden", "-fwhole-program-vtables")),
    "HIP": (HIP, HIP_ONLY),
    "HIP, optimized": (HIP, (*HIP_ONLY, "-O2", "-fgpu-rdc")),
    "CUDA": (HIP, CUDA_ONLY),
    "CUDA, optimized": (HIP, (*CUDA_ONLY, "-O2", "-fgpu-rdc")),
    "OpenCL for AMD": (OPENCL, (*OPENCL_ONLY, AMDGCN, "-mcpu=gfx90a")),
    "OpenCL for NVIDIA": (OPENCL, (*OPENCL_ONLY, NVPTX)),
}  # fmt: skip


def compiled(folder: Path, source: str, *options: str, compiler: str = "clang-22", name: str = "module") -> Path:
    (folder / f"{name}.c").write_text(source)
    bitcode = folder / f"{name}.bc"
    run([peer(compiler), *options, "-w", "-emit-llvm", "-c", f"{name}.c", "-o", bitcode], cwd=folder)
    return bitcode


def index_of(module: Path) -> list[bytes]:
    """What LLVM's archiver says that a module defines."""
    library = module.with_suffix(".a")
    library.unlink(missing_ok=True)
    run([peer("llvm-ar-22"), "rcsD", "--format=gnu", library, module])
    content = library.read_bytes()
    if content[8:24] != b"/".ljust(16):
        return []
    count = int.from_bytes(content[68:72], "big")
    return content[72 + 4 * count :].split(b"\0", count)[:count]


def symbols_of(module: Path) -> list[bytes]:
    return defined_symbols(memoryview(module.read_bytes()))


@pytest.mark.parametrize("compiler", CLANGS)
@pytest.mark.parametrize(("source", "options"), SOURCES.values(), ids=SOURCES.keys())
def test_same_as_llvm(tmp_path: Path, compiler: str, source: str, options: tuple[str, ...]) -> None:
    module = compiled(tmp_path, source, *options, compiler=compiler)
    ours, theirs = symbols_of(module), index_of(module)
    assert theirs
    if ASSEMBLY in source and compiler == "clang-16":  # it puts these in another order than LLVM 22
        ours, theirs = sorted(ours), sorted(theirs)
    assert ours == theirs


def test_typed_pointers(tmp_path: Path) -> None:
    module = compiled(tmp_path, C + ELF_ONLY, LINUX, "-Xclang", "-no-opaque-pointers", compiler="clang-16")
    assert symbols_of(module) == index_of(module)


LINKAGES = ["", "internal", "private", "weak", "weak_odr", "linkonce", "linkonce_odr", "available_externally"]
LAYOUTS = ["", "e", "e-m:e", "e-m:o", "e-m:x-p:32:32", "e-m:w", "e-m:m", "E-m:l", "E-m:a", "m:o-e"]
KINDS = (
    "".join(
        f"@v{number} = {linkage} global i32 1\n@c{number} = {linkage} hidden constant i32 1\n".replace(
            "private hidden", "private"
        ).replace("al hidden", "al")
        + f"define {linkage} void @f{number}() {{\n  ret void\n}}\n"
        + (f"@a{number} = {linkage} alias i32, ptr @v0\n" if "available" not in linkage else "")
        for number, linkage in enumerate(LINKAGES)
    )
    + """
@undefined = external global i32
@undefined_weak = extern_weak global i32
@appending = appending global [1 x i32] [i32 1]
@metadata = global i32 1, section "llvm.metadata"
@not_metadata = global i32 1, section "llvm.metadata.x"
@in_section = global i32 1, section "s"
@llvm.used = appending global [1 x ptr] [ptr @in_section], section "llvm.metadata"
@llvm.other = global i32 1
@llvm = global i32 1
@"\\01as it is" = global i32 1
@"\\01llvm.as it is" = global i32 1
@"?like C++" = global i32 1
@"\\01?like C++ too" = global i32 1
@"\\FF\\80" = global i32 1
@0 = private constant i32 1
@1 = global i32 1
@2 = global i32 2
@llvm.alias = alias i32, ptr @v0
@in_twos = thread_local global i32 1
define void @in_metadata() section "llvm.metadata" {
  call void @llvm.donothing()
  call void @declared()
  ret void
}
declare void @llvm.donothing()
declare void @declared()
declare extern_weak void @declared_weak()
define void @3() {
  ret void
}
"""
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_linkage_and_mangling(tmp_path: Path, layout: str) -> None:
    module = assembled(tmp_path, f'target datalayout = "{layout}"\n{KINDS}' if layout else KINDS)
    assert symbols_of(module) == index_of(module)
    assert (b"_v0" in symbols_of(module)) == (layout[2:5] in ("m:o", "m:x") or layout == "m:o-e")


def test_nothing_defined(tmp_path: Path) -> None:
    module = assembled(tmp_path, "declare void @declared()\n")
    assert symbols_of(module) == index_of(module) == []


def test_assembly_without_a_symbol_table(tmp_path: Path) -> None:
    """llvm-as writes none; what is left is what the module says itself."""
    module = assembled(tmp_path, 'module asm ".globl label"\nmodule asm "label:"\n@v = global i32 1\n')
    assert symbols_of(module) == [b"v"]


def test_linked_and_optimized(tmp_path: Path) -> None:
    first = compiled(tmp_path, C + ELF_ONLY, LINUX, name="first")
    second = compiled(tmp_path, CPP, "-x", "c++", "-std=c++17", LINUX, name="second")
    linked = tmp_path / "linked.bc"
    run([peer("llvm-link-22"), first, second, "-o", linked])
    assert symbols_of(linked) == index_of(linked)
    run([peer("opt-22"), "-passes=internalize,default<O2>", "-internalize-public-api-list=main", linked, "-o", linked])
    assert symbols_of(linked) == index_of(linked)


def test_several_modules_in_one_file(tmp_path: Path) -> None:
    modules = [
        compiled(tmp_path, C + ELF_ONLY, LINUX, compiler=compiler, name=compiler.replace("-", ""))
        for compiler in CLANGS
    ]
    modules.append(assembled(tmp_path, f'target triple = "x86_64-unknown-linux-gnu"\n{KINDS}', "unnamed"))
    modules.append(assembled(tmp_path, KINDS, "unnamed_again"))
    joined = tmp_path / "joined.bc"
    run([peer("llvm-cat-22"), "-b", *modules, "-o", joined])
    assert symbols_of(joined) == index_of(joined)
    assert b"__unnamed_6" in symbols_of(joined)


def test_wrapper(tmp_path: Path) -> None:
    module = compiled(tmp_path, C, LINUX)
    wrapped = tmp_path / "wrapped.bc"
    wrapper = struct.pack("<4sIIII", b"\xde\xc0\x17\x0b", 0, 24, module.stat().st_size, 7)
    wrapped.write_bytes(wrapper + bytes(4) + module.read_bytes() + bytes(8))
    assert symbols_of(wrapped) == index_of(wrapped) == symbols_of(module)


@pytest.mark.parametrize("padding", [4, 8])
def test_padding_of_archivers(tmp_path: Path, padding: int) -> None:
    module = compiled(tmp_path, C, LINUX)
    module.write_bytes(module.read_bytes() + bytes(padding))
    assert symbols_of(module) == index_of(module) != []
