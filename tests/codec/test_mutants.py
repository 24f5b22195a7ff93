"""The golden files, cut at every length and with every byte of their first 256 changed.

Each mutant is refused with an offset, or lists what an independent reader lists.  What a mutant costs is held by limits
of the process that reads it, never by a clock.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from offload_tool.actions.survey import FoundImage, survey
from offload_tool.codec.writer import encode_string
from offload_tool.errors import FormatError, OffloadError

from ..peers import PEAK_KIB, ROOT, run
from .independent import Damaged, Listed, images_of

GOLDEN = sorted((Path(__file__).parent.parent / "data" / "offload-binary").glob("*.bin"))
CHANGES = (0x01, 0x80, 0xFF)
MOST_CPU_SECONDS = 2
MOST_KIB = 100 << 10

CHILD = """
import contextlib, io, os, resource, sys
from pathlib import Path
from offload_tool.cli.main import main
from tests.codec.test_mutants import MOST_CPU_SECONDS, mutants
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
for number, mutant in enumerate(mutants(Path(sys.argv[1]).read_bytes())):
    Path("mutant").write_bytes(mutant)
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + 1 + MOST_CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (most, -1))  # whoever goes beyond is killed
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        status = main(["list", "mutant"])
    text = said.getvalue()
    assert (status, text.count("\\n")) in ((0, 0), (1, 1)), (number, status, text)
    assert not status or "(at byte " in text or mutant[:4] != b"\\x10\\xff\\x10\\xad", (number, text)
print(PEAK_KIB)
""".replace("PEAK_KIB", PEAK_KIB)


def mutants(content: bytes) -> Iterator[bytes]:
    yield from (content[:length] for length in range(len(content)))
    for offset in range(min(256, len(content))):
        for change in CHANGES:
            yield content[:offset] + bytes([content[offset] ^ change]) + content[offset + 1 :]


def outcome(content: bytes) -> list[FoundImage] | None:
    """What is listed, or None if it was refused with an offset within the file."""
    try:
        return survey(memoryview(content), "mutant")
    except OffloadError as error:
        fault = error
    cause = fault.__cause__
    assert isinstance(cause, FormatError), repr(fault)
    assert 0 <= cause.offset <= len(content)
    assert "\n" not in str(fault)
    return None


def comparable(image: FoundImage) -> Listed:
    strings = {"triple": image.triple, "arch": image.arch, **dict(image.metadata)}
    pairs = tuple(sorted((encode_string(key), encode_string(value)) for key, value in strings.items() if value))
    return Listed(image.version, image.raw_image_kind, image.raw_kind, image.flags, pairs, bytes(image.content))


def without_empty(listed: Listed) -> Listed:
    """The strings as the listing keeps them: the last of equal keys, none that is empty."""
    return listed._replace(strings=tuple(sorted((key, value) for key, value in dict(listed.strings).items() if value)))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_mutants_are_refused_or_read_alike(path: Path) -> None:
    content = path.read_bytes()
    for number, mutant in enumerate(mutants(content)):
        found = outcome(mutant)
        if mutant[:4] != content[:4]:
            assert not found
            continue
        try:
            expected = images_of(mutant)
        except Damaged:
            assert found is None, f"mutant {number} is damaged and was listed"
            continue
        assert found is not None, f"mutant {number} was refused"
        assert [comparable(image) for image in found] == [without_empty(listed) for listed in expected], number


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_mutants_cost_little_on_the_command_line(path: Path, tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(ROOT)}
    memory = run([sys.executable, "-c", CHILD, path], cwd=tmp_path, env=environment).stdout
    assert int(memory) < MOST_KIB
