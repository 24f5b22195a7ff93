"""The faults that a manifest may have, each in both forms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Case:
    """The same fault in both forms; a mark stands before each place that must be told."""

    yaml: str
    json: str
    messages: list[str]


def _one_image(yaml_image: str, json_image: str, *messages: str) -> Case:
    return Case(
        yaml=f"schema: 1\nimages:\n  - file: k.o\n{yaml_image}",
        json='{"schema": 1, "images": [\n  {"file": "k.o", ' + json_image + "}\n]}",
        messages=list(messages),
    )


CASES = {
    "unknown key": _one_image(
        "    §tripel: t\n    triple: t\n    kind: hip\n",
        '§"tripel": "t", "triple": "t", "kind": "hip"',
        "unknown key 'tripel'; did you mean 'triple'?",
    ),
    "unknown key unlike any": _one_image(
        "    §x: t\n    triple: t\n    kind: hip\n",
        '§"x": "t", "triple": "t", "kind": "hip"',
        "unknown key 'x'; expected one of file, input, triple, arch, kind, image_kind, metadata",
    ),
    "unknown key at the top": Case(
        yaml="schema: 1\n§image: []\nimages: []\n",
        json='{"schema": 1,\n§"image": [], "images": []}',
        messages=["unknown key 'image'; did you mean 'images'?"],
    ),
    "unknown key in defaults": Case(
        yaml="schema: 1\ndefaults: {§file: a}\nimages: []\n",
        json='{"schema": 1, "defaults": {§"file": "a"},\n"images": []}',
        messages=["unknown key 'file'"],
    ),
    "include that is no list": Case(
        yaml="schema: 1\nimages: []\ninclude: §a.yaml\n",
        json='{"schema": 1, "images": [],\n "include": §"a.yaml"}',
        messages=["expected a list, found 'a.yaml'"],
    ),
    "include without a manifest": Case(
        yaml="schema: 1\ninclude:\n- §select: {kind: hip}\n",
        json='{"schema": 1, "include": [\n§{"select": {"kind": "hip"}}]}',
        messages=["missing key 'manifest'"],
    ),
    "include of a manifest that is missing": Case(
        yaml="schema: 1\ninclude:\n- manifest: §a.yaml\n- §{§manifset: a.yaml}\n",
        json='{"schema": 1, "include": [{"manifest": §"a.yaml"},\n§{§"manifset": "a.yaml"}]}',
        messages=["manifest '", "missing key 'manifest'", "unknown key 'manifset'; did you mean 'manifest'?"],
    ),
    "unknown placeholder in an include": Case(
        yaml="schema: 1\ninclude: [{manifest: 'a/§{B}.yaml'}]\n",
        json='{"schema": 1, "include": [{"manifest": "a/§{B}.yaml"}]}',
        messages=["unknown placeholder '{B}'"],
    ),
    "unknown keys and kinds in select": Case(
        yaml="schema: 1\nimages: []\ninclude: [{manifest: §m, select: {§archs: a, kind: [hip, §hpi]}}]\n",
        json='{"schema": 1, "images": [], "include": [\n'
        '{"manifest": §"m", "select": {§"archs": "a", "kind": ["hip", §"hpi"]}}]}',
        messages=["manifest '", "unknown key 'archs'; did you mean 'arch'?", "unknown kind 'hpi'; did you mean 'hip'?"],
    ),
    "toolchain and a list in set": Case(
        yaml="schema: 1\nimages: []\ninclude: [{manifest: §m, set: {§toolchain: llvm-22, arch: §[a]}}]\n",
        json='{"schema": 1, "images": [], "include": [\n'
        '{"manifest": §"m", "set": {§"toolchain": "llvm-22", "arch": §["a"]}}]}',
        messages=[
            "manifest '",
            "unknown key 'toolchain'; expected one of arch, kind, metadata",
            "expected text, found a list",
        ],
    ),
    "faulty requirements": Case(
        yaml="schema: 1\nimages: []\nrequire:\n- §{}\n- {kind: §hpi}\n- {arch: §[]}\n",
        json='{"schema": 1, "images": [], "require": [\n§{},\n{"kind": §"hpi"},\n{"arch": §[]}]}',
        messages=["nothing is required; name one of triple, arch, kind", "unknown kind 'hpi'", "empty list"],
    ),
    "budget that is no size": Case(
        yaml="schema: 1\nimages: []\nbudget: §2Gb\n",
        json='{"schema": 1, "images": [], "budget": §"2Gb"}',
        messages=["expected a size such as 1.9GiB, 500MB or a count of bytes, found '2Gb'"],
    ),
    "kind in capitals": _one_image(
        "    triple: t\n    kind: §HIP\n",
        '"triple": "t", "kind": §"HIP"',
        "unknown kind 'HIP'; did you mean 'hip'?",
    ),
    "unknown image kind": _one_image(
        "    triple: t\n    kind: hip\n    image_kind: §cubi\n",
        '"triple": "t", "kind": "hip", "image_kind": §"cubi"',
        "unknown image_kind 'cubi'; did you mean 'cubin'?",
    ),
    "unknown toolchain": Case(
        yaml="schema: 1\ntoolchain: §llvm-14\nimages: []\n",
        json='{"schema": 1, "toolchain": §"llvm-14", "images": []}',
        messages=["unknown toolchain 'llvm-14'; did you mean"],
    ),
    "unknown schema": Case(
        yaml="schema: §2\nimages: []\n",
        json='{"schema": §2, "images": []}',
        messages=["unknown schema '2'; expected one of 1"],
    ),
    "no schema": Case(yaml="§images: []\n", json='§{"images": []}', messages=["missing key 'schema'"]),
    "no images": Case(yaml="§schema: 1\n", json='§{"schema": 1}', messages=["missing key 'images'"]),
    "no triple": Case(
        yaml="schema: 1\nimages:\n  - §file: k.o\n    kind: hip\n",
        json='{"schema": 1, "images": [§{"file": "k.o", "kind": "hip"}]}',
        messages=["missing key 'triple'"],
    ),
    "no kind": Case(
        yaml="schema: 1\nimages:\n  - §{file: k.o, triple: t}\n",
        json='{"schema": 1, "images": [\n\t§{"file": "k.o", "triple": "t"}]}',
        messages=["missing key 'kind'; write 'kind: none' if no runtime shall take it"],
    ),
    "no file": Case(
        yaml="schema: 1\nimages:\n  - §{kind: hip, triple: t}\n",
        json='{"schema": 1, "images": [\n\t§{"kind": "hip", "triple": "t"}]}',
        messages=["missing key 'file' (or 'input')"],
    ),
    "file and input": Case(
        yaml="schema: 1\nimages:\n  - §{file: a, input: b, kind: hip, triple: t}\n",
        json='{"schema": 1, "images": [§{"file": "a", "input": "b", "kind": "hip", "triple": "t"}]}',
        messages=["both 'file' and 'input'; keep one"],
    ),
    "unbound input": Case(
        yaml="schema: 1\nimages:\n  - {input: §fft, kind: hip, triple: t}\n",
        json='{"schema": 1, "images": [{"input": §"fft", "kind": "hip", "triple": "t"}]}',
        messages=["input 'fft' is not bound; pass --bind fft=FILE"],
    ),
    "equal images": Case(
        yaml="schema: 1\nimages:\n  - {file: k.o, kind: hip, triple: t}\n  - {kind: hip, triple: t, file: §./k.o}\n",
        json='{"schema": 1, "images": [{"file": "k.o", "kind": "hip", "triple": "t"},\n'
        '{"file": §"./k.o", "kind": "hip", "triple": "t"}]}',
        messages=["image '"],
    ),
    "null value": _one_image(
        "    triple: §~\n    arch:§\n    kind: §null\n",
        '"triple": §null, "arch": §null, "kind": §null',
        "no value; give one, or quote it",
        "no value",
        "no value",
    ),
    "empty text": _one_image(
        "    triple: §''\n    kind: hip\n", '"triple": §"", "kind": "hip"', "empty text; give a value"
    ),
    "empty list": _one_image(
        "    arch: §[]\n    triple: t\n    kind: hip\n",
        '"arch": §[], "triple": "t", "kind": "hip"',
        "empty list; give a value or leave the key out",
    ),
    "list for text": _one_image(
        "    triple: §[t]\n    kind: hip\n", '"triple": §["t"], "kind": "hip"', "expected text, found a list"
    ),
    "mapping for text": _one_image(
        "    triple: §{t: t}\n    kind: hip\n", '"triple": §{"t": "t"}, "kind": "hip"', "expected text, found a mapping"
    ),
    "list in a list": _one_image(
        "    triple: t\n    kind: hip\n    arch: [a, §[b]]\n",
        '"triple": "t", "kind": "hip", "arch": ["a", §["b"]]',
        "expected text, found a list",
    ),
    "word for a list": Case(
        yaml="schema: 1\nimages: §false\n",
        json='{"schema": 1, "images": §false}',
        messages=["expected a list, found 'false'"],
    ),
    "word for an image": Case(
        yaml="schema: 1\nimages: [§k.o]\n",
        json='{"schema": 1, "images": [§"k.o"]}',
        messages=["expected a mapping of keys to values, found 'k.o'"],
    ),
    "list for metadata": _one_image(
        "    triple: t\n    kind: hip\n    metadata: §[a]\n",
        '"triple": "t", "kind": "hip", "metadata": §["a"]',
        "expected a mapping of keys to values, found a list",
    ),
    "metadata of the image itself": _one_image(
        "    triple: t\n    kind: hip\n    metadata: {§arch: a}\n",
        '"triple": "t", "kind": "hip", "metadata": {§"arch": "a"}',
        "'arch' is a key of the image itself",
    ),
    "align that is no number": Case(
        yaml="schema: 1\nalign: §big\nimages: []\n",
        json='{"schema": 1, "align": §"big", "images": []}',
        messages=["expected a whole number, found 'big'"],
    ),
    "align that is no power of two": Case(
        yaml="schema: 1\nalign: §12\nimages: []\n",
        json='{"schema": 1, "align": §12, "images": []}',
        messages=["align 12 is not allowed; expected a power of two from 8 to 65536"],
    ),
    "format version": Case(
        yaml="schema: 1\nformat_version: §0\nimages: []\n",
        json='{"schema": 1, "format_version": §0, "images": []}',
        messages=["unknown format_version '0'; expected one of 1, 2, 3"],
    ),
    "literal": Case(
        yaml="schema: 1\nliteral: §yes\nimages: []\n",
        json='{"schema": 1, "literal": §"yes", "images": []}',
        messages=["unknown literal 'yes'; expected one of true, false"],
    ),
    "variable named after a placeholder": Case(
        yaml="schema: 1\nvariables: {§arch: x}\nimages: []\n",
        json='{"schema": 1, "variables": {§"arch": "x"}, "images": []}',
        messages=["'arch' cannot name a variable"],
    ),
    "unknown placeholder": Case(
        yaml="schema: 1\nimages:\n  - {file: 'build/§{Arch}.o', kind: hip, triple: t}\n",
        json='{"schema": 1, "images": [{"file": "build/§{Arch}.o", "kind": "hip", "triple": "t"}]}',
        messages=["unknown placeholder '{Arch}'; expected one of {arch}, {kind}, {triple}"],
    ),
    "placeholder first in the text": Case(
        yaml='schema: 1\nimages:\n  - {file: "§{x}.o", kind: hip, triple: t}\n',
        json='{"schema": 1, "images": [{"file": "§{x}.o", "kind": "hip", "triple": "t"}]}',
        messages=["unknown placeholder '{x}'"],
    ),
    "single braces": Case(
        yaml="schema: 1\nimages:\n  - {file: 'a§}b§{', kind: hip, triple: t}\n",
        json='{"schema": 1, "images": [{"file": "a§}b§{", "kind": "hip", "triple": "t"}]}',
        messages=["single '}'; write '}}' for a brace", "single '{'; write '{{' for a brace"],
    ),
    "control character in a path": Case(
        yaml='schema: 1\nimages:\n  - {file: §"C:\\new\\t.o", kind: hip, triple: t}\n',
        json='{"schema": 1, "images": [{"file": §"C:\\new\\t.o", "kind": "hip", "triple": "t"}]}',
        messages=[
            "control character in 'C:\\new\\t.o'; in double quotes a backslash is an escape, use single quotes or /"
        ],
    ),
    "later control character": Case(
        yaml='schema: 1\nimages:\n  - {file: §"a\\x9b.o", kind: hip, triple: t}\n',
        json='{"schema": 1, "images": [{"file": §"a\\u009b.o", "kind": "hip", "triple": "t"}]}',
        messages=["control character in 'a\\x9b.o'"],
    ),
    "key twice": Case(
        yaml="schema: 1\n§images: []\n§images: []\n",
        json='{"schema": 1, §"images": [],\n§"images": []}',
        messages=["key 'images' stands twice; keep one"] * 2,
    ),
    "key twice in an image": _one_image(
        "    §kind: hip\n    triple: t\n    §kind: cuda\n",
        '§"kind": "hip", "triple": "t", §"kind": "cuda"',
        "key 'kind' stands twice",
        "key 'kind' stands twice",
    ),
    "several at once": Case(
        yaml="schema: 1\n§aling: 8\nimages:\n  - {file: a, triple: t, kind: §HIP}\n  - §{file: b, kind: hip}\n"
        "  - {file: 'x§{y}', triple: §~, kind: hip}\n",
        json='{"schema": 1,\n §"aling": 8, "images": [\n{"file": "a", "triple": "t", "kind": §"HIP"},\n'
        '§{"file": "b", "kind": "hip"},\n{"file": "x§{y}", "triple": §null, "kind": "hip"}]}',
        messages=["unknown key 'aling'", "unknown kind", "missing key 'triple'", "unknown placeholder", "no value"],
    ),
}
