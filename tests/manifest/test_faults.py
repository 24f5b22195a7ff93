"""Every fault of a manifest is told in one run, with its line and column, alike in YAML and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offload_tool.errors import ManifestError
from offload_tool.limits import MANIFEST_FAULTS
from offload_tool.manifest.load import load_manifests

from .fault_cases import CASES, Case
from .reading import MARK, check_marked, faults_of, load


@pytest.mark.usefixtures("yaml_reader")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_fault_in_yaml(case: Case, tmp_path: Path) -> None:
    check_marked(tmp_path, case.yaml, case.messages)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_fault_in_json(case: Case, tmp_path: Path) -> None:
    check_marked(tmp_path, case.json, case.messages, name="m.json")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_words_are_those_of_the_other_form(case: Case, tmp_path: Path) -> None:
    in_yaml = faults_of(tmp_path, case.yaml.replace(MARK, ""))
    in_json = faults_of(tmp_path, case.json.replace(MARK, ""))
    assert [fault.message for fault in in_yaml] == [fault.message for fault in in_json]


@pytest.mark.usefixtures("yaml_reader")
@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("schema: 1\nimages: []\n§--- \nschema: 1\nimages: []\n", "a second document; a manifest is one"),
        ("§", "the manifest is empty"),
        ("§# only a comment\n", "the manifest is empty"),
        ("§- a\n- b\n", "expected a mapping of keys to values, found a list"),
        ("§text", "expected a mapping of keys to values, found 'text'"),
        ("schema: §!!int 1\nimages: []\n", "tag 'tag:yaml.org,2002:int' is not supported"),
        ("schema: 1\nimages: §!mine []\n", "tag '!mine' is not supported"),
        ("schema: 1\nimages: §*nowhere\n", "unknown alias 'nowhere'"),
        ("schema: 1\n? §[a]\n: b\n", "a key must be text"),
        ("# ééé\nschema: 1\nimages: a§\x01b\n", "no valid YAML: character '\\x01' is not allowed"),
        ("# ééé\nschema: 1\nimages: a§\x00b\n", "no valid YAML: character '\\x00' is not allowed"),
        ("schema: 1\n§\timages: []\n", "no valid YAML: "),
    ],
)
def test_yaml_that_is_no_manifest(marked: str, message: str, tmp_path: Path) -> None:
    check_marked(tmp_path, marked, [message])


@pytest.mark.usefixtures("yaml_reader")
def test_yaml_that_ends_within_a_list(tmp_path: Path) -> None:
    (fault,) = faults_of(tmp_path, "schema: 1\nimages: [\n")
    assert fault.message.startswith("no valid YAML: ")
    assert (fault.line, fault.column) == (3, 1)


@pytest.mark.usefixtures("yaml_reader")
def test_g28_backslash_in_double_quotes_has_a_hint(tmp_path: Path) -> None:
    (fault,) = faults_of(tmp_path, 'schema: 1\nimages: [{file: "C:\\img\\u.o"}]\n')
    assert fault.line == 2
    assert "in double quotes a backslash is an escape, use single quotes or /" in fault.message


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ('{"schema": 1,\n "images": []§', "no valid JSON: "),
        ('{"schema": 1,\n "images": []} §{}', "no valid JSON: Extra data"),
        ('{"schema": 1, "images": §é}', "no valid JSON: Expecting value"),
        ('{"schema": 1, "images": [{"file": "a§\nb"}]}', "no valid JSON: Invalid control character"),
        ('{"schema": 1, "images": [{"file": §"\\ud800", "triple": "t", "kind": "hip"}]}', "half of a surrogate pair"),
    ],
)
def test_json_that_is_no_manifest(marked: str, message: str, tmp_path: Path) -> None:
    check_marked(tmp_path, marked, [message], name="m.json")


@pytest.mark.usefixtures("yaml_reader")
@pytest.mark.parametrize(
    "marked",
    [
        "schema: 1\nimages:\n- file: §>-\n    x{nope}\n  triple: t\n  kind: hip\n",
        'schema: 1\nimages:\n- file: §"\\x41{nope}"\n  triple: t\n  kind: hip\n',
        "schema: 1\nimages:\n- file: §'it''s {nope}'\n  triple: t\n  kind: hip\n",
        "schema: 1\nimages:\n- file: &name x§{nope}.o\n  triple: t\n  kind: hip\n",
        "schema: 1\nimages:\n- file: x§{nope}.o\n  triple: t\n  kind: hip\n",
    ],
    ids=["block", "escape", "doubled quote", "anchor", "plain"],
)
def test_placeholder_is_told_at_its_column_or_at_its_text(marked: str, tmp_path: Path) -> None:
    check_marked(tmp_path, marked, ["unknown placeholder '{nope}'"])


def test_placeholder_behind_an_escape_in_json(tmp_path: Path) -> None:
    text = '{"schema": 1, "images": [{"file": §"\\u0041{nope}", "triple": "t", "kind": "hip"}]}'
    check_marked(tmp_path, text, ["unknown placeholder '{nope}'"])


def test_faulty_images_are_not_called_equal(tmp_path: Path) -> None:
    text = "schema: 1\nimages:\n- {file: a, triple: t, kind: §HIPP}\n- {file: a, triple: t, kind: §CUDDA}\n"
    check_marked(tmp_path, text, ["unknown kind 'HIPP'", "unknown kind 'CUDDA'"])


@pytest.mark.parametrize("more", ["image_kind: ptx", "metadata: {b: '2', a: '1'}"])
def test_images_are_equal_whatever_their_image_kind_and_the_order_of_metadata(more: str, tmp_path: Path) -> None:
    metadata = "" if more.startswith("metadata") else "metadata: {a: '1', b: '2'}, "
    text = (
        "schema: 1\nimages:\n- {file: a, triple: t, kind: hip, metadata: {a: '1', b: '2'}}\n"
        f"- {{file: §a, triple: t, kind: hip, {metadata}{more}}}\n"
    )
    check_marked(tmp_path, text, [f"image {str(tmp_path / 'a')!r} equals that of images.0.file: same file"])


@pytest.mark.parametrize("other", ["arch: b", "triple: u", "kind: cuda", "metadata: {a: '1'}", "file: b"])
def test_images_that_differ_in_one_thing_are_two(other: str, tmp_path: Path) -> None:
    image = {"file": "a", "triple": "t", "kind": "hip"}
    key, value = other.split(": ", 1)
    document = {"schema": 1, "images": [image, {**image, key: {"a": "1"} if key == "metadata" else value}]}
    assert len(load(tmp_path, json.dumps(document)).images) == 2


def test_every_copy_in_a_file_list_is_told(tmp_path: Path) -> None:
    text = "schema: 1\nimages:\n- {file: [a, §a, §./a], triple: t, kind: hip}\n"
    check_marked(tmp_path, text, ["image '", "image '"])


def test_faults_of_two_manifests_come_in_one_run(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"schema: 1\nimages: []\n# \xff\n")
    (tmp_path / "b.json").write_text('{"schema": 1, "images": 3}', encoding="utf-8")
    with pytest.raises(ManifestError) as raised:
        load_manifests([str(tmp_path / "a.yaml"), str(tmp_path / "b.json")])
    assert [(Path(fault.file).name, fault.line, fault.column) for fault in raised.value.faults] == [
        ("a.yaml", 3, 3),
        ("b.json", 1, 25),
    ]


def test_equal_images_of_two_manifests_are_a_fault(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("schema: 1\nimages: [{file: k, triple: t, kind: hip}]\n", encoding="utf-8")
    with pytest.raises(ManifestError) as raised:
        load_manifests([str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")])
    (fault,) = raised.value.faults
    assert (fault.file, fault.line, fault.column) == (str(tmp_path / "b.yaml"), 2, 17)
    assert f"equals that of images.0.file in {tmp_path / 'a.yaml'}" in fault.message


@pytest.mark.parametrize(
    ("key", "one", "other"), [("toolchain", "llvm-19", "llvm-22"), ("align", "16", "32"), ("format_version", "1", "2")]
)
def test_manifests_that_disagree(key: str, one: str, other: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"schema: 1\nimages: []\n{key}: {one}\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text(f"schema: 1\n\n\n{key}: {other}\nimages: []\n", encoding="utf-8")
    both = [str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")]
    with pytest.raises(ManifestError) as raised:
        load_manifests(both)
    (fault,) = raised.value.faults
    assert (fault.file, fault.line, fault.column) == (both[1], 4, len(key) + 3)
    assert f"{key} " in fault.message
    assert "name one on the command line" in fault.message
    load_manifests(both, settled=[key])


def test_manifests_of_which_one_is_silent(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("schema: 1\nimages: []\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("schema: 1\nimages: []\ntoolchain: llvm-22\n", encoding="utf-8")
    manifest = load_manifests([str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")])
    assert manifest.toolchain == "llvm-22"
    assert [Path(file).name for file in manifest.files] == ["a.yaml", "b.yaml"]


def test_many_faults_are_counted_beyond_the_first_hundred(tmp_path: Path) -> None:
    images = "".join(f"- {{file: k{index}, triple: t}}\n" for index in range(1500))
    faults = faults_of(tmp_path, "schema: 1\nimages:\n" + images)
    assert len(faults) == MANIFEST_FAULTS + 1
    assert faults[-1].message == f"{1500 - MANIFEST_FAULTS} more faults"
    assert [fault.line for fault in faults[:-1]] == list(range(3, MANIFEST_FAULTS + 3))


def test_thousands_of_repeated_keys_cost_no_square(tmp_path: Path) -> None:
    # With a count for each key this took minutes.
    variables = {f"k{index}": "v" for index in range(50_000)}
    text = json.dumps({"schema": 1, "images": [], "variables": variables})
    text = text.replace('"k49999"', '"k1"')
    faults = faults_of(tmp_path, text)
    assert [fault.message for fault in faults] == ["key 'k1' stands twice; keep one"] * 2
