"""Makes .venv/ match a lock file, with nothing but the standard library of the interpreter it is for."""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
INSTALLED = VENV / "installed"


def main(lock_name: str) -> int:
    with open(ROOT / ".venv.lock", "w") as turn:
        # Two scripts may need the same environment at once: the second waits and then finds it made.
        fcntl.flock(turn, fcntl.LOCK_EX)
        if is_fresh(lock_name):
            return 0
        started = time.monotonic()
        if not runs():
            say(f"Making the environment .venv/ with Python {sys.version.split()[0]} …")
            if not make():
                return 1
        say(f"Installing {lock_name} into .venv/ …")
        if not install(lock_name):
            return 1
        INSTALLED.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / lock_name, INSTALLED / lock_name)
        if lock_name == "requirements-dev.txt":
            # Locked on top of requirements.txt, so that one is installed too.
            shutil.copyfile(ROOT / "requirements.txt", INSTALLED / "requirements.txt")
        (INSTALLED / "interpreter").write_text(os.path.realpath(VENV / "bin/python"))
        say(f"The environment is ready ({time.monotonic() - started:.0f} s).")
    return 0


def is_fresh(lock_name: str) -> bool:
    try:
        same_lock = (INSTALLED / lock_name).read_bytes() == (ROOT / lock_name).read_bytes()
        same_interpreter = (INSTALLED / "interpreter").read_text() == os.path.realpath(VENV / "bin/python")
    except OSError:
        return False
    return same_lock and same_interpreter and os.access(VENV / "bin/python", os.X_OK)


def runs() -> bool:
    """Whether the present environment's interpreter works and is the one its packages were installed for."""
    question = "import sys, sysconfig, os; sys.exit(not os.path.isdir(sysconfig.get_path('purelib')))"
    try:
        return (
            subprocess.run([VENV / "bin/python", "-c", question], stderr=subprocess.DEVNULL).returncode == 0
        )
    except OSError:
        return False


def make() -> bool:
    with_pip = importlib.util.find_spec("ensurepip") is not None
    if not with_pip and importlib.util.find_spec("pip") is None:
        say("This Python has neither ensurepip nor pip: apt-get install -y python3-venv")
        return False
    command = [sys.executable, "-m", "venv", "--clear", *([] if with_pip else ["--without-pip"]), str(VENV)]
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        say(f"{' '.join(command)} failed. On Debian: apt-get install -y python3-venv")
        return False
    return True


def install(lock_name: str) -> bool:
    inside = (
        subprocess.run([VENV / "bin/python", "-c", "import pip"], stderr=subprocess.DEVNULL).returncode == 0
    )
    # Debian without python3-venv: the system's pip installs into the environment from outside.
    pip = (
        [VENV / "bin/python", "-m", "pip"]
        if inside
        else [sys.executable, "-m", "pip", "--python", VENV / "bin/python"]
    )
    command = [*pip, "install", "-qq", "--require-hashes", "-r", ROOT / lock_name]
    # A PYTHONPATH or PIP_TARGET of the caller would make pip look or write elsewhere.
    clean = {
        k: v
        for k, v in os.environ.items()
        if k not in ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")
    }
    if subprocess.run(command, stdout=sys.stderr, env=clean).returncode != 0:
        say("pip could not install the locked packages; its message is above.")
        return False
    return True


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
