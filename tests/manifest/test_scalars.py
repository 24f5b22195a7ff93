"""Scalars stay the text that was written; keys may be merged and anchored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .reading import check_marked, load, load_images

pytestmark = pytest.mark.usefixtures("yaml_reader")

AS_WRITTEN = [
    "9.0",
    "10.0",
    "8.6",
    "010",
    "90",
    "no",
    "on",
    "1e3",
    "12:30",
    "sm_90a",
    "0x10",
    "1_000",
    "2024-01-01",
    ".inf",
    "true",
]


@pytest.mark.parametrize("arch", AS_WRITTEN)
def test_g25_scalar_stays_as_written(arch: str, tmp_path: Path) -> None:
    (image,) = load_images(tmp_path, f"images: [{{file: a, triple: t, kind: hip, arch: {arch}}}]\n")
    assert image.arch == arch


def test_g25_scalars_in_defaults_lists_and_metadata_stay_as_written(tmp_path: Path) -> None:
    body = "defaults: {triple: 010, kind: hip, metadata: {v: 1.10}}\nimages: [{file: [9.0, 1e3], arch: [8.0, no]}]\n"
    images = load_images(tmp_path, body)
    assert [Path(image.file).name for image in images] == ["9.0", "1e3", "9.0", "1e3"]
    assert [image.arch for image in images] == ["8.0", "8.0", "no", "no"]
    assert {(image.triple, image.metadata) for image in images} == {("010", (("v", "1.10"),))}


@pytest.mark.parametrize("arch", ["9.0", "10.0", "8.6", "90", "1e3", "1E400", "-0", "123456789012345678901234567890"])
def test_g25_json_number_stays_as_written(arch: str, tmp_path: Path) -> None:
    text = '{"schema": 1, "images": [{"file": "a", "triple": "t", "kind": "hip", "arch": ' + arch + "}]}"
    assert load(tmp_path, text).images[0].arch == arch


@pytest.mark.parametrize("word", ["true", "false"])
def test_json_words_are_text_where_text_is_expected(word: str, tmp_path: Path) -> None:
    text = '{"schema": 1, "images": [{"file": "a", "triple": "t", "kind": "hip", "arch": ' + word + "}]}"
    assert load(tmp_path, text).images[0].arch == word


@pytest.mark.parametrize("nothing", ["~", "null", "Null", "NULL"])
def test_g25_nothing_is_refused(nothing: str, tmp_path: Path) -> None:
    text = f"schema: 1\nimages: [{{file: a, triple: t, kind: hip, arch: §{nothing}}}]\n"
    check_marked(tmp_path, text, ["no value; give one, or quote it if the word itself is meant"])


@pytest.mark.parametrize("quoted", ["'~'", '"null"', "!!str ~", "|-\n   ~", ">-\n   ~"])
def test_quoted_word_is_meant(quoted: str, tmp_path: Path) -> None:
    body = f"images:\n- arch: {quoted}\n  file: a\n  triple: t\n  kind: hip\n"
    assert load_images(tmp_path, body)[0].arch in ("~", "null")


def test_g26_merge_key_may_be_overridden(tmp_path: Path) -> None:
    body = (
        "defaults: &base {triple: t, kind: hip, arch: gfx90a, metadata: {a: '1'}}\n"
        "images:\n- {<<: *base, file: a}\n- {<<: *base, file: a, arch: gfx942}\n- {file: b, arch: gfx1100, <<: *base}\n"
    )
    images = load_images(tmp_path, body)
    assert [(Path(image.file).name, image.arch) for image in images] == [
        ("a", "gfx90a"),
        ("a", "gfx942"),
        ("b", "gfx1100"),
    ]


def test_g26_merge_of_a_list_takes_the_nearest(tmp_path: Path) -> None:
    body = (
        "images:\n- &one {file: a, triple: one, kind: hip}\n- &two {file: b, triple: two, kind: cuda, arch: x}\n"
        "- {<<: [*one, *two], file: c}\n- {<<: *two, arch: y}\n"
    )
    images = load_images(tmp_path, body)
    assert [(image.triple, image.kind.value, image.arch) for image in images[2:]] == [
        ("one", "hip", "x"),
        ("two", "cuda", "y"),
    ]


def test_merged_mappings_may_merge_themselves(tmp_path: Path) -> None:
    body = "images:\n- &one {file: a, triple: t, kind: hip}\n- &two {<<: *one, arch: x}\n- {<<: *two, file: c}\n"
    assert [(Path(image.file).name, image.arch) for image in load_images(tmp_path, body)] == [
        ("a", ""),
        ("a", "x"),
        ("c", "x"),
    ]


@pytest.mark.parametrize("value", ["§text", "[§text]", "[[]]", "[*list]"])
def test_g26_merge_of_anything_else_is_refused(value: str, tmp_path: Path) -> None:
    text = f"schema: 1\nx: &list []\nimages:\n- {{<<: {value}, file: a}}\n"
    if "§" in text:
        check_marked(tmp_path, text, ["'<<' merges mappings only"])
    else:
        with pytest.raises(Exception, match="'<<' merges mappings only"):
            load(tmp_path, text)


def test_quoted_merge_key_is_a_key(tmp_path: Path) -> None:
    check_marked(
        tmp_path, "schema: 1\nimages:\n- {§'<<': {a: b}, file: a, triple: t, kind: hip}\n", ["unknown key '<<'"]
    )


def test_fault_in_a_merged_mapping_is_told_where_it_is_written(tmp_path: Path) -> None:
    text = "schema: 1\ndefaults: &d {triple: t, kind: §HIP}\nimages:\n- {<<: *d, file: a}\n"
    check_marked(tmp_path, text, ["unknown kind 'HIP'"])


def test_fault_behind_an_alias_is_told_where_it_is_written(tmp_path: Path) -> None:
    text = "schema: 1\nimages:\n- {file: a, triple: t, kind: &k §HIP}\n- {file: b, triple: t, kind: *k}\n"
    # The place of an anchored value is that of its anchor.
    check_marked(tmp_path, text.replace("&k §", "§&k "), ["unknown kind 'HIP'"])


def test_anchors_of_lists_mappings_and_words(tmp_path: Path) -> None:
    body = (
        "images:\n- {file: a, triple: &t amdgcn, kind: &k hip, arch: &archs [x, y], metadata: &m {a: b}}\n"
        "- {file: b, triple: *t, kind: *k, arch: *archs, metadata: *m}\n"
    )
    first, second = load_images(tmp_path, body)[:2], load_images(tmp_path, body)[2:]
    assert [(image.triple, image.arch, image.metadata) for image in first] == [
        (image.triple, image.arch, image.metadata) for image in second
    ]


def test_g04_text_with_a_comma_is_one_image_and_a_list_is_two(tmp_path: Path) -> None:
    document = {"triple": "t", "kind": "sycl"}
    for arch, expected in (("pvc,bdw", ["pvc,bdw"]), (["pvc", "bdw"], ["pvc", "bdw"])):
        images = [{**document, "file": "a,b.o", "arch": arch}]
        found = load(tmp_path, json.dumps({"schema": 1, "images": images})).images
        assert [image.arch for image in found] == expected
        assert {Path(image.file).name for image in found} == {"a,b.o"}
