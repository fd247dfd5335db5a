"""Checking a package down to the bag, beside unpacking and hashing it with common tools."""

import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import cost
from bench.cost import Cost
from bench.table import Row

ROOT = Path(__file__).resolve().parent.parent
_BAGIT = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_MEMBERS = 4
_MEMBER_BYTES = 268_000_000
_BLOCK_BYTES = (
    8_000_000  # far beyond the 32 KiB that deflate looks back, so repeating it compresses no better
)
_SMALL_MEMBERS = 100_000
_SMALL_BYTES = 1_000

_CHECK = [sys.executable, str(ROOT / "manage.py"), "check_package", "--layer", "bag", "--json"]
_IMPORTS = "from evidence.management.commands import check_package"
_ROUNDS = 3


def rows() -> Iterator[Row]:
    for program in ("zip", "unzip", "7z", "openssl", "sha256sum"):
        if shutil.which(program) is None:
            raise SystemExit(
                f"needs {program}: apt-get install -y --no-install-recommends zip unzip p7zip-full openssl coreutils"
            )
    idle = cost.best(lambda: cost.of_command([sys.executable, "-c", _IMPORTS], cwd=str(ROOT)), of=_ROUNDS)
    with tempfile.TemporaryDirectory() as temporary:
        _make("large", temporary)
        yield from _large(Path(temporary), idle)
    with tempfile.TemporaryDirectory() as temporary:
        _make("small", temporary)
        yield from _small(Path(temporary), idle)


def _make(what: str, folder: str) -> None:
    # In a process of its own: the peak that the kernel tells of a child begins at that of its parent.
    subprocess.run([sys.executable, "-m", "bench.archive_check", what, folder], cwd=ROOT, check=True)


def _large(folder: Path, idle: Cost) -> Iterator[Row]:
    bag, package, out = folder / "large", str(folder / "large.zip"), folder / "out"
    files = [package, *(str(file) for file in sorted((bag / "data").iterdir()))]

    def by_hand() -> Cost:
        unpacked = cost.of_command(["sha256sum", package]) + cost.of_command(
            ["unzip", "-q", "-d", str(out), package]
        )
        checked = cost.of_command(
            ["sha256sum", "--quiet", "-c", "manifest-sha256.txt"], cwd=str(out / bag.name)
        )
        shutil.rmtree(out)
        return unpacked + checked

    ours, openssl, seven, hand = _in_turn(
        lambda: cost.of_command([*_CHECK, package]),
        lambda: cost.of_command(["openssl", "dgst", "-sha256", *files]),
        lambda: cost.of_command(["7z", "t", package]),
        by_hand,
    )
    packed = Path(package).stat().st_size // 10**6
    work = f"{_MEMBERS} × {_MEMBER_BYTES // 10**6} MB of JSON Lines in {packed} MB"
    yield Row(work, "wall", ours.wall, "sha256sum zip + unzip + sha256sum -c", hand.wall, at_most=0.30)
    yield Row(work, "wall", ours.wall, "7z t + openssl dgst", seven.wall + openssl.wall, at_most=0.50)
    yield Row(work, "processor", ours.cpu, "openssl dgst", openssl.cpu, at_most=2.3)
    yield _memory(work, ours, idle, _MEMBERS)


def _small(folder: Path, idle: Cost) -> Iterator[Row]:
    package = str(folder / "small.zip")
    ours, seven = _in_turn(
        lambda: cost.of_command([*_CHECK, package]), lambda: cost.of_command(["7z", "t", package])
    )
    work = f"{_SMALL_MEMBERS:,} × 1 KB"
    yield Row(work, "wall", ours.wall, "7z t", seven.wall, at_most=1.8)
    yield _memory(work, ours, idle, _SMALL_MEMBERS)


def _memory(work: str, ours: Cost, idle: Cost, members: int) -> Row:
    used, allowed = (ours.peak - idle.peak) / 1e6, 40 + members / 1000
    return Row(work, "memory above idle", used, "40 MB + 1 KB a member", allowed, "MB", 1)


def _in_turn(*works: Callable[[], Cost]) -> list[Cost]:
    """The least of each work; in every round all take their turn, so that a busy minute hits them alike."""
    costs: list[list[Cost]] = [[] for _ in works]
    for _round in range(_ROUNDS):
        for work, kept in zip(works, costs, strict=True):
            kept.append(work())
    return [cost.best(iter(kept).__next__, of=_ROUNDS) for kept in costs]


# ── what is checked ──────────────────────────────────────────────────────────
def _sentences(seed: int) -> Callable[[int], str]:
    """Words as frequent as in a language (Zipf's law), of a language's lengths."""
    source = random.Random(seed)
    letters = "eaosrnidlctumpbgvyqhfzjñxkw"
    weights = [1 / (place + 2) for place in range(len(letters))]
    words = ["".join(source.choices(letters, weights, k=source.randint(1, 11))) for _ in range(5_000)]
    ranks = [1 / (place + 3) for place in range(len(words))]

    def sentence(length: int) -> str:
        return " ".join(source.choices(words, ranks, k=length)).capitalize() + "."

    return sentence


def _write_large(folder: Path) -> None:
    """Responses as format 1 has them. Answers on one norm repeat its passages: about six to one when deflated,
    as the multilingual retrieval answers of NoMIRACL are."""
    bag = folder / "large"
    (bag / "data").mkdir(parents=True)
    digests = []
    for member in range(_MEMBERS):
        sentence, source, lines, size = _sentences(member), random.Random(member), [], 0
        passages = [sentence(24) for _ in range(60)]
        while size < _BLOCK_BYTES:
            number = len(lines)
            record = {
                "item": f"q{number:06d}",
                "answer": " ".join([sentence(24), *source.choices(passages, k=3)]),
                "citations": [{"source": "Ley 19.628", "article": str(number % 97), "verified": True}],
                "requested_at": f"2026-07-10T15:{number % 60:02d}:{number % 59:02d}Z",
                "latency_ms": 400 + number * 7919 % 3000,
            }
            lines.append(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            size += len(lines[-1])
        block, digest = b"".join(lines), hashlib.sha256()
        path = bag / "data" / f"responses-{member}.jsonl"
        with path.open("wb") as file:
            while file.tell() < _MEMBER_BYTES:
                digest.update(block)
                file.write(block)
        digests.append(f"{digest.hexdigest()}  data/{path.name}\n")
    (bag / "manifest-sha256.txt").write_text("".join(digests))
    (bag / "bagit.txt").write_text(_BAGIT)
    subprocess.run(["zip", "-q", "-r", "large.zip", bag.name], cwd=folder, check=True)


def _write_small(folder: Path) -> None:
    sentence, digests = _sentences(0), []
    texts = [sentence(400).encode() for _ in range(500)]
    with zipfile.ZipFile(folder / "small.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for member in range(_SMALL_MEMBERS):
            content = (f"{member} ".encode() + texts[member % len(texts)])[:_SMALL_BYTES]
            path = f"data/{member // 1000:03d}/{member:06d}.txt"
            archive.writestr(path, content)
            digests.append(f"{hashlib.sha256(content).hexdigest()}  {path}\n")
        archive.writestr("manifest-sha256.txt", "".join(digests))
        archive.writestr("bagit.txt", _BAGIT)


if __name__ == "__main__":
    {"large": _write_large, "small": _write_small}[sys.argv[1]](Path(sys.argv[2]))
