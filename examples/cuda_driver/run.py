"""Packs images of one kernel, picks the one for the GPU that is there, loads it through the CUDA driver and runs it.

Then every other image is given to the driver too: it must load those that ``pick`` says would run, and no other.
Exit status 0: the numbers are right and the driver agrees; 1: they are not, it does not, or there is no GPU.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from driver import Driver, DriverError, Gpu, NoGpuError

from offload_tool import FoundImage, OffloadError, load_manifest, pack, pick_images, read_images

FOLDER = Path(__file__).resolve().parent
MANIFEST = FOLDER / "offload.yaml"
BUILD = FOLDER / "build"
READY_MADE = FOLDER / "images"
NUMBERS = [float(number) for number in range(1000)]
FACTOR = 2.5  # the products are exact, whatever rounds them


def main() -> int:
    options = parsed()
    try:
        driver = Driver()
        gpu = Gpu(driver)
        print(f"{gpu.name}, compute capability {gpu.capability}, driver for CUDA {dotted(driver.version)}")
        images = packed(READY_MADE if options.ready_made else folder_of_images(driver.version))
        with gpu.current():
            return run(gpu, images)
    except NoGpuError as error:
        print(f"gpu-test: not run, nothing was tested: {error}", file=sys.stderr)
    except (DriverError, OffloadError) as error:
        print(f"gpu-test: failed: {error}", file=sys.stderr)
    return 1


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--ready-made", action="store_true", help="use the images of this folder, even if nvcc is there"
    )
    return parser.parse_args()


def run(gpu: Gpu, images: dict[str, FoundImage]) -> int:
    found = pick_images(list(images.values()), gpu.capability)
    if found.chosen is None:
        print(f"gpu-test: failed: {found.absence()}", file=sys.stderr)
        return 1
    print(f"picked: {found.chosen.target}: {found.chosen.verdict.reason}")
    wrong = 0
    for candidate in found.candidates:
        answer = tried(gpu, bytes(images[candidate.image.id].content))
        agrees = (answer == "right numbers") is candidate.verdict.runs
        wrong += not agrees
        expected = "would run" if candidate.verdict.runs else "would not"
        print(f"  {candidate.target:<12}{expected:<11}{answer}{'' if agrees else '   <- NOT AS EXPECTED'}")
    if wrong:
        print(f"gpu-test: failed: {wrong} images did not do what was expected", file=sys.stderr)
        return 1
    print("The picked image ran, and the driver agrees about every other.")
    return 0


def tried(gpu: Gpu, image: bytes) -> str:
    try:
        got = gpu.scale(image, NUMBERS, FACTOR)
    except DriverError as error:
        return str(error)
    return "right numbers" if got == [number * FACTOR for number in NUMBERS] else "WRONG NUMBERS"


def packed(folder: Path) -> dict[str, FoundImage]:
    """The images of a fat binary that is packed from the manifest, by the index of each."""
    BUILD.mkdir(exist_ok=True)
    output = str(BUILD / "scale.bin")
    pack(output, load_manifest(str(MANIFEST), variables={"images": os.path.relpath(folder, FOLDER)}))
    return {str(image.index): image for image in read_images(output)}


def folder_of_images(driver_version: tuple[int, int]) -> Path:
    """Images that nvcc builds here, or the ready-made ones: a driver does not load what a newer CUDA has made."""
    nvcc = find_nvcc()
    if nvcc is None:
        print("no nvcc here: ready-made images")
        return READY_MADE
    try:
        told = subprocess.run([nvcc, "--version"], check=True, capture_output=True, text=True).stdout
        release = re.search(r"release (\d+)\.(\d+)", told)
        if release is None or (int(release[1]), int(release[2])) > driver_version:
            print("nvcc is newer than the driver: ready-made images")
            return READY_MADE
        return built(nvcc)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"nvcc does not build them ({error}): ready-made images")
        return READY_MADE


def built(nvcc: str) -> Path:
    folder = BUILD / "images"
    folder.mkdir(parents=True, exist_ok=True)
    for image in sorted(READY_MADE.glob("scale.*.*")):
        _, arch, suffix = image.name.split(".")
        command = [nvcc, f"-{suffix}", f"-arch={arch}", str(FOLDER / "scale.cu"), "-o", str(folder / image.name)]
        subprocess.run(command, check=True, capture_output=True)
    print(f"images built by {nvcc}")
    return folder


def find_nvcc() -> str | None:
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc") or shutil.which("nvcc", path=os.path.join(home, "bin"))


def dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


if __name__ == "__main__":
    sys.exit(main())
