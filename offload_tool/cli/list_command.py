"""``offload-tool list``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..actions.selecting import Selection
from ..actions.survey import FoundImage, read_images
from ..errors import OffloadError
from .arguments import CommandParser
from .printing import complain_of, say, say_lines
from .table import table

try:  # as json.encoder does, which would load the whole package
    from _json import encode_basestring_ascii as _text
except ImportError:
    from json.encoder import encode_basestring_ascii as _text

__all__ = ["command_parser", "run"]

_COLUMNS = ("index", "kind", "image kind", "triple", "arch", "size", "offset")
_PLACES = ("member", "section")


def run(arguments: list[str]) -> int:
    """Lists every file it can; exit status 1 if there was one that it could not."""
    options = command_parser().parse(arguments)
    selection = Selection.parse(options.select)
    listed: list[tuple[str, list[FoundImage]]] = []
    failed = False
    for path in options.file:
        try:
            images = read_images(path)
            chosen = [image for image in images if selection.matches(image.words())] if selection.criteria else images
            listed.append((path, chosen))
        except OffloadError as error:
            complain_of(error, "offload-tool")
            failed = True
    if options.json:
        say_lines(_document(listed))
    else:
        for path, images in listed:
            _print_table(path, images, raw_kind=options.raw_kind)
    return 1 if failed else 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "list",
        description="Lists the images in fat binaries and in what holds them: objects, libraries, archives, bitcode.",
        example="offload-tool list images.bin app.o --json",
    )
    parser.add_argument("file", nargs="+", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="one JSON document for programs")
    parser.add_argument("--raw-kind", action="store_true", help="also show the offload kind's number on disk")
    parser.add_argument("--select", action="append", default=[], metavar="KEY=VALUE,...", help="list only these images")
    return parser


def _document(listed: Sequence[tuple[str, list[FoundImage]]]) -> str:
    """An image a line, so that people can read them."""
    files = ",\n".join(map(_text_of_file, *zip(*listed, strict=True))) if listed else ""
    return '{"files": [\n' + files + "\n]}"


def _text_of_file(path: str, images: Sequence[FoundImage]) -> str:
    lines = ",\n".join(f"  {_text_of_image(image)}" for image in images)
    return f' {{"file": {_text(path)}, "images": [\n{lines}\n ]}}'


def _text_of_image(image: FoundImage) -> str:
    """As ``json.dumps`` writes it, in a fifth of the time: there may be tens of thousands, with much the same texts."""
    member, section = _text_or_null(image.member), _text_or_null(image.section)
    nested = f', "images": [{", ".join(map(_text_of_image, image.nested))}]' if image.nested else ""
    return (
        f'{{"index": {image.index}, "triple": {_text(image.triple)}, "arch": {_text(image.arch)}, '
        f'"kind": {_text(image.kind)}, "image_kind": {_text(image.image_kind)}, "flags": {image.flags}, '
        f'"size": {image.size}, "offset": {"null" if image.offset is None else image.offset}, '
        f'"version": {image.version}, "metadata": {_text_of_pairs(image.metadata)}, "raw_kind": {image.raw_kind}, '
        f'"container": {_text(image.container)}, "member": {member}, "section": {section}{nested}}}'
    )


def _text_or_null(text: str | None) -> str:
    return "null" if text is None else _text(text)


@lru_cache(maxsize=1024)
def _text_of_pairs(metadata: tuple[tuple[str, str], ...]) -> str:
    return f"{{{', '.join(f'{_text(key)}: {_text(value)}' for key, value in metadata)}}}"


def _print_table(path: str, images: Sequence[FoundImage], *, raw_kind: bool) -> None:
    """A row an image, nested ones below theirs; places are shown where there are any, versions if one is not 1."""
    noun = "image" if len(images) == 1 else "images"
    say(f"{path}: {len(images)} {noun}, {sum(image.size for image in images):,} bytes")
    if not images:
        return
    places = [place for place in _PLACES if any(getattr(image, place) for image in images)]
    version = ["version"] if any(image.version != 1 for image in images) else []
    columns = (*_COLUMNS, *(["raw kind"] if raw_kind else []), *version, *places)
    rows = [_row(label, image, columns) for outer in images for label, image in outer.tree()]
    say_lines(table([columns, *rows], right=("index", "size", "offset", "raw kind", "version")))


def _row(label: str, image: FoundImage, columns: Sequence[str]) -> list[str]:
    values = {column: getattr(image, column.replace(" ", "_")) for column in columns}
    return ["-" if value in (None, "") else str(value) for value in {**values, "index": label}.values()]
