"""A reader that does what a hostile archive might bring a reader to do; run by test_isolation."""

import os
import signal
import socket
import sys
import time

from evidence import isolation


def eat_memory() -> dict:
    return {"eaten": len(bytearray(2 * 1024**3))}


def write_a_file() -> dict:
    # A reader may not even fill the disk; Python ignores SIGXFSZ, so this is an error.
    return {"written": os.write(os.open("/tmp", os.O_TMPFILE | os.O_WRONLY), b"x")}


def open_many_files() -> dict:
    return {"open": len([os.open("/dev/null", os.O_RDONLY) for _ in range(100)])}


def quote_a_secret() -> dict:
    raise ValueError("¿Cuál es la pregunta sellada?")


def tell_what_it_knows() -> dict:
    return {
        "environment": sorted(os.environ),
        "django": "django" in sys.modules,
        "arguments": sys.argv,
        "read": sys.stdin.buffer.read().decode(),
        "folder": os.getcwd(),
    }


def call_home() -> dict:
    with socket.create_connection(("127.0.0.1", int(sys.stdin.readline())), timeout=5) as home:
        return {"reached": home.getpeername()[0]}


def list_its_networks() -> dict:
    return {"networks": [name for _, name in socket.if_nameindex()]}


def fall_silent() -> dict:
    isolation.answer({"pid": os.getpid()})
    time.sleep(60)
    return {}


def be_killed() -> dict:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def answer_at_length() -> dict:
    return {"long": "x" * 5_000_000}


if __name__ == "__main__":
    try:
        job = isolation.enter(sys.argv[1:])
        isolation.answer(globals()[job["do"]]())
    except Exception as error:
        isolation.answer({"fault": isolation.fault_of(error)})
        sys.exit(1)
