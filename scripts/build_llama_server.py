"""Build llama.cpp's server for the live tests into a folder outside the repository: build_llama_server.py FOLDER.

Its sources are those inside the package llama-cpp-python, from the package index that pip uses. The build takes cmake,
a C++ compiler and about ten minutes on two cores, and leaves one program, FOLDER/llama-server. Nothing is installed.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, VERSION = "llama-cpp-python", "0.3.36"
SHA256 = "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "BUILD_SHARED_LIBS": "OFF",
    "LLAMA_BUILD_COMMON": "ON",
    "LLAMA_BUILD_TOOLS": "ON",
    "LLAMA_BUILD_SERVER": "ON",
    "LLAMA_BUILD_TESTS": "OFF",
    "LLAMA_BUILD_EXAMPLES": "OFF",
    "LLAMA_BUILD_APP": "OFF",
    "LLAMA_BUILD_UI": "OFF",
    # Nothing is fetched while it is built, and it serves without TLS.
    "LLAMA_USE_PREBUILT_UI": "OFF",
    "LLAMA_OPENSSL": "OFF",
    # Its hand-written kernels take minutes to compile, and a tiny model does not need them.
    "GGML_LLAMAFILE": "OFF",
}


def main() -> int:
    """Build the server, or say what is missing; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to build; made if it is not there")
    parser.add_argument("--jobs", type=int, default=2, help="how many files are compiled at once (2)")
    arguments = parser.parse_args()
    folder: Path = arguments.folder.resolve()
    if folder.is_relative_to(ROOT):
        return _refused(f"{folder} is inside the repository: name a folder outside it")
    missing = [name for name in ("cmake", "c++") if shutil.which(name) is None]
    if missing:
        return _refused(f"not installed: {', '.join(missing)}. On Debian: sudo apt-get install cmake g++ ninja-build")
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "llama-server"
    try:
        sources = _unpacked(_downloaded(folder), folder)
        _compile(sources, folder / "build", arguments.jobs)
    except subprocess.CalledProcessError as error:
        return _refused(
            f"{' '.join(map(str, error.cmd[:4]))} … ended with status {error.returncode}; its words are above"
        )
    shutil.copy2(folder / "build" / "bin" / "llama-server", program)
    sys.stdout.write(f"Built {program}\nTo use it: GOLDEN_TEST_LLAMA_SERVER={program} make test MARKS=live\n")
    return 0


def _downloaded(folder: Path) -> Path:
    """Return the archive of the sources, downloaded where it is not there yet.

    Raises:
        SystemExit: it is not the one that this script was written for.
    """
    archive = folder / f"{PACKAGE.replace('-', '_')}-{VERSION}.tar.gz"
    if not archive.is_file():
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--dest", str(folder)]
        subprocess.run([*pip, f"{PACKAGE}=={VERSION}"], check=True)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != SHA256:
        raise SystemExit(f"{archive} is not the archive expected (SHA-256 {digest}): delete it and run this again")
    return archive


def _unpacked(archive: Path, folder: Path) -> Path:
    sources = folder / archive.name.removesuffix(".tar.gz") / "vendor" / "llama.cpp"
    if not (sources / "CMakeLists.txt").is_file():
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    return sources


def _compile(sources: Path, build: Path, jobs: int) -> None:
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    subprocess.run(["cmake", "-S", str(sources), "-B", str(build), *generator, *options], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "llama-server", "-j", str(jobs)], check=True)


def _refused(reason: str) -> int:
    sys.stderr.write(f"build_llama_server: {reason}\n")
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
