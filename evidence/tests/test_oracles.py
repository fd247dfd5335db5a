"""Tools that no one here wrote agree: bagit.py, zip, unzip and 7z on what is a sound package."""

import io
import subprocess
import zipfile
from pathlib import Path

import bagit
import pytest

from evidence import checking
from evidence.tests.archives import make

ARCHIVES = Path(__file__).resolve().parent / "archives"
# 7z and unzip warn of, or refuse, what our rules allow.
SOUND = [path for path in sorted((ARCHIVES / "accept").glob("*.zip")) if path.stem != "archive_as_payload"]


def check(path: Path, layer: str = "bag") -> checking.Report:
    with path.open("rb") as source:
        return checking.check(source, layer=layer)


@pytest.fixture
def bag_folder(tmp_path):
    """A folder that bagit.py made a bag of."""
    folder = tmp_path / "evidencia"
    (folder / "sub").mkdir(parents=True)
    (folder / "evaluation.json").write_text("{}")
    (folder / "sub" / "ñandú 1.txt").write_text("áéí")
    (folder / "empty").write_bytes(b"")
    bagit.make_bag(str(folder), {"Source-Organization": "Laboratorio"}, checksums=["sha256"])
    return folder


@pytest.mark.infozip
@pytest.mark.parametrize(
    "options", [["-r"], ["-r", "-X"], ["-r", "-D"], ["-r", "-0"], ["-r", "-fz"], ["-r", "-fd"]]
)
def test_a_bag_of_bagit_zipped_by_zip_is_accepted(bag_folder, options):
    package = bag_folder.parent / "package.zip"
    subprocess.run(["zip", "-q", *options, package, bag_folder.name], cwd=bag_folder.parent, check=True)
    report = check(package)
    assert report.findings == ()
    assert report.complete
    assert report.verified_digests


@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.stem)
def test_bagit_validates_what_we_accept(path, tmp_path):
    assert check(path).integrity == "verified"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    (root,) = [folder.parent for folder in tmp_path.rglob("bagit.txt")]
    if path.stem == "other_algorithm":  # its other manifest is nonsense, which bagit.py reads and we do not
        (root / "manifest-md5.txt").unlink()
    assert bagit.Bag(str(root)).is_valid()


@pytest.mark.sevenzip
@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.stem)
def test_7z_finds_no_fault_in_what_we_accept(path):
    assert subprocess.run(["7z", "t", path], capture_output=True, check=False).returncode == 0


@pytest.mark.sevenzip
def test_what_7z_writes_is_accepted(bag_folder):
    package = bag_folder.parent / "package.zip"
    subprocess.run(["7z", "a", "-tzip", package, bag_folder], capture_output=True, check=True)
    assert check(package).integrity == "verified"


def test_zipfile_lets_through_much_that_we_refuse():
    accepted = [name for name, (_, build) in make.REJECT.items() if _zipfile_accepts(build())]
    assert len(accepted) > len(make.REJECT) // 2


def _zipfile_accepts(content: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.testzip() is None
    except Exception:  # whatever it raises, it did not accept
        return False
