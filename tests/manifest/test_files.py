"""Which files images name: placeholders, lists, bindings, and what they are relative to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offload_tool.errors import Fault, ManifestError
from offload_tool.manifest.expand import file_name_part
from offload_tool.manifest.load import load_manifest, load_manifests, place_of
from offload_tool.manifest.values import INPUT_PREFIX

from ..peers import offload_tool_command, run
from .reading import load, load_images


def _names(folder: Path, body: str) -> list[str]:
    return [str(Path(image.file).relative_to(folder)) for image in load_images(folder, body)]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("k.{arch}.o", "k.gfx942_xnack+.o"),
        ("{triple}/{kind}/{arch}", "amdgcn-amd-amdhsa/hip/gfx942_xnack+"),
        ("{{arch}}.o", "{arch}.o"),
        ("{{{arch}}}", "{gfx942_xnack+}"),
        ("}}{{", "}{"),
        ("{root}/k", "out/sub dir/k"),
        ("{empty_}{root}", "-out/sub dir"),
    ],
)
def test_placeholders(file: str, expected: str, tmp_path: Path) -> None:
    image = {"file": file, "triple": "amdgcn-amd-amdhsa", "kind": "hip", "arch": "gfx942:xnack+"}
    document = {"schema": 1, "variables": {"root": "out/sub dir", "empty_": "-"}, "images": [image]}
    (found,) = load(tmp_path, json.dumps(document)).images
    assert found.file == str(tmp_path / expected)
    assert found.arch == "gfx942:xnack+"


@pytest.mark.parametrize("text", ["gfx942:xnack+", "a/b", "..", "a b", "é", "a\\b", "sm_90a", "x-y.z+"])
def test_a_target_word_becomes_a_file_name(text: str) -> None:
    safe = file_name_part(text)
    assert len(safe) == len(text)
    assert all(
        new == old or (new == "_" and not (old.isascii() and old.isalnum()))
        for new, old in zip(safe, text, strict=True)
    )
    assert "/" not in safe


def test_arch_is_empty_where_none_is_given(tmp_path: Path) -> None:
    assert _names(tmp_path, "images: [{file: 'k{arch}.o', triple: t, kind: hip}]\n") == ["k.o"]


def test_defaults_fill_placeholders_and_lists_of_archs(tmp_path: Path) -> None:
    images = "images: [{file: 'k.{kind}.{arch}'}, {file: '{arch}', arch: x}]\n"
    body = "defaults: {triple: t, kind: cuda, arch: [sm_80, sm_90]}\n" + images
    assert _names(tmp_path, body) == ["k.cuda.sm_80", "k.cuda.sm_90", "x"]


def test_given_variables_count_before_those_of_the_manifest(tmp_path: Path) -> None:
    text = "schema: 1\nvariables: {a: one, b: two}\nimages: [{file: '{a}/{b}/{c}', triple: t, kind: hip}]\n"
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    manifest = load_manifest(str(tmp_path / "m.yaml"), variables={"b": "B", "c": "C"})
    assert manifest.images[0].file == str(tmp_path / "one" / "B" / "C")


def test_what_a_variable_holds_is_not_expanded_again(tmp_path: Path) -> None:
    assert _names(tmp_path, "variables: {a: '{arch}'}\nimages: [{file: '{a}', triple: t, kind: hip}]\n") == ["{arch}"]


def test_literal_expands_nothing(tmp_path: Path) -> None:
    for literal in ("true", "false"):
        body = f"literal: {literal}\nimages: [{{file: 'a{{{{b}}}}', triple: t, kind: hip}}]\n"
        assert _names(tmp_path, body) == ["a{{b}}" if literal == "true" else "a{b}"]
    assert _names(tmp_path, "literal: true\nimages: [{file: '}{nope}', triple: t, kind: hip}]\n") == ["}{nope}"]
    assert load(tmp_path, '{"schema": 1, "literal": true, "images": []}').images == ()


def test_lists_of_archs_and_files_multiply_arch_by_arch(tmp_path: Path) -> None:
    images = load_images(tmp_path, "images: [{file: [a, b], arch: [x, y], triple: t, kind: hip}]\n")
    assert [(Path(image.file).name, image.arch) for image in images] == [("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")]


def test_metadata_of_the_image_counts_before_the_defaults(tmp_path: Path) -> None:
    images = "images: [{file: k, metadata: {b: '3', c: '4'}}]\n"
    body = "defaults: {triple: t, kind: hip, metadata: {a: '1', b: '2'}}\n" + images
    assert dict(load_images(tmp_path, body)[0].metadata) == {"a": "1", "b": "3", "c": "4"}


def test_several_files_are_bound_to_one_input(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(
        "schema: 1\nimages: [{input: fft, arch: [x, y], triple: t, kind: hip}]\n", encoding="utf-8"
    )
    manifest = load_manifest(str(tmp_path / "m.yaml"), bind={"fft": ["/one", "/two"]})
    assert [(image.file, image.arch) for image in manifest.images] == [
        ("/one", "x"), ("/two", "x"), ("/one", "y"), ("/two", "y")
    ]  # fmt: skip
    assert manifest.inputs == ("fft",)


def test_bound_files_hold_no_placeholders(tmp_path: Path) -> None:
    text = "schema: 1\nimages: [{input: fft, triple: t, kind: hip}]\n"
    assert load(tmp_path, text, fft="/a{b}").images[0].file == "/a{b}"


def test_an_unbound_input_may_stay_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("schema: 1\nimages: [{input: fft, triple: t, kind: hip}]\n", encoding="utf-8")
    manifest = load_manifest(str(tmp_path / "m.yaml"), allow_unbound=True)
    assert manifest.images[0].file == INPUT_PREFIX + "fft"


def test_bindings_of_a_generated_manifest_count_for_another_one(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "m.yaml").write_text("schema: 1\nimages: [{input: fft, triple: t, kind: hip}]\n", encoding="utf-8")
    generated = {"schema": 1, "literal": True, "images": [], "bind": {"fft": ["k{1}.o", "/abs/k.o"]}}
    (tmp_path / "build" / "gen.json").write_text(json.dumps(generated), encoding="utf-8")
    paths = [str(tmp_path / "m.yaml"), str(tmp_path / "build" / "gen.json")]
    for order in (paths, paths[::-1]):
        files = [image.file for image in load_manifests(order).images]
        assert files == [str(tmp_path / "build" / "k{1}.o"), "/abs/k.o"]
    given = load_manifests(paths, bind={"fft": ["/given"]})
    assert [image.file for image in given.images] == ["/given"]


@pytest.mark.parametrize("bind", ['{"fft": null}', '{"fft": []}', '{"fft": [["a"]]}', '{"fft": ""}', '["fft"]', "null"])
def test_faulty_bindings(bind: str, tmp_path: Path) -> None:
    text = '{"schema": 1, "images": [{"input": "fft", "triple": "t", "kind": "hip"}], "bind": ' + bind + "}"
    with pytest.raises(ManifestError):
        load(tmp_path, text)


def test_resolve_gives_the_paths(tmp_path: Path) -> None:
    text = '{"schema": 1, "images": [{"file": "#/k", "triple": "t", "kind": "hip"}]}'
    (tmp_path / "m.json").write_text(text, encoding="utf-8")
    asked = []

    def resolve(manifest: str, name: str) -> str:
        asked.append((manifest, name))
        return "/top/" + name.removeprefix("#/")

    assert load_manifest(str(tmp_path / "m.json"), resolve).images[0].file == "/top/k"
    assert asked == [(str(tmp_path / "m.json"), "#/k")]


@pytest.mark.parametrize("where", [".", "sub", "/"])
def test_g28_files_are_relative_to_their_manifest(where: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    text = "schema: 1\nimages:\n- {file: ../k.o, triple: t, kind: hip}\n- {file: /abs/./k.o, triple: t, kind: hip}\n"
    (tmp_path / "sub" / "m.yaml").write_text(text, encoding="utf-8")
    cwd = (tmp_path / where).resolve()
    named = tmp_path / "sub" / "m.yaml" if where == "/" else Path({".": "sub/m.yaml", "sub": "m.yaml"}[where])
    done = run([*offload_tool_command(), "manifest", "show", "--json", named], cwd=cwd)
    document = json.loads(done.stdout)
    assert document["manifest"] == str(tmp_path / "sub" / "m.yaml")
    assert [image["file"] for image in document["images"]] == [str(tmp_path / "k.o"), "/abs/k.o"]
    assert [image["declared"] for image in document["images"]] == [
        f"{tmp_path / 'sub' / 'm.yaml'}:{line}:10" for line in (3, 4)
    ]


def test_g28_backslashes_in_single_quotes_stay(tmp_path: Path) -> None:
    assert _names(tmp_path, "images: [{file: 'C:\\img\\u.o', triple: t, kind: hip}]\n") == ["C:\\img\\u.o"]


def test_place_of_an_image_is_that_of_its_own_file_in_a_list(tmp_path: Path) -> None:
    text = "schema: 1\nimages:\n- file: [a,\n     b]\n  arch: [x, y]\n  triple: t\n  kind: hip\n"
    places = [place_of(image.declared) for image in load(tmp_path, text).images if image.declared]
    assert [(place.line, place.column) for place in places] == [(3, 10), (4, 6)] * 2


def test_place_of_an_image_follows_the_manifest_as_it_is_now(tmp_path: Path) -> None:
    text = "schema: 1\nimages:\n- {file: a, triple: t, kind: hip}\n"
    (image,) = load(tmp_path, text).images
    assert image.declared is not None
    assert place_of(image.declared).line == 3
    (tmp_path / "m.yaml").write_text("\n\n" + text, encoding="utf-8")
    assert place_of(image.declared).line == 5
    (tmp_path / "m.yaml").write_text("[", encoding="utf-8")
    assert place_of(image.declared) == Fault(file=str(tmp_path / "m.yaml"), line=1, column=1, message="")
    (tmp_path / "m.yaml").unlink()
    assert place_of(image.declared).line == 1
