"""A site that misbehaves on purpose, each path in its own way; it keeps what it was asked."""

import gzip
import socket
import threading
import time
from collections.abc import Callable

Handler = Callable[[socket.socket, bytes], None]
PAGE = b"Un agente es un programa."
ECHO = "/echo/"
MIB = b"0123456789abcdef" * 65536


def _page(connection: socket.socket, body: bytes = PAGE, *lines: str, status: str = "200 OK") -> None:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Content-Type: text/plain", *lines, "", ""]
    connection.sendall("\r\n".join(head).encode() + body)


def _cookies(connection: socket.socket, _head: bytes) -> None:
    _page(
        connection,
        PAGE,
        *("Set-Cookie: sid=secreto; Domain=observatoriodeagentes.com; Path=/", "Set-Cookie: feh_run=x"),
        *("Strict-Transport-Security: max-age=9", 'Alt-Svc: h3=":443"', "Cache-Control: public"),
    )


def _redirect(connection: socket.socket, _head: bytes) -> None:
    host, port = connection.getsockname()
    _page(connection, b"", f"Location: http://{host}:{port}/a", status="302 Found")


def _gzip(connection: socket.socket, _head: bytes) -> None:
    _page(connection, gzip.compress(PAGE, mtime=0), "Content-Encoding: gzip", "Vary: Accept-Encoding")


def _cut(connection: socket.socket, _head: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + PAGE)


def _cut_chunk(connection: socket.socket, _head: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUn ag\r\n5\r\nente")


def _hangs(_connection: socket.socket, _head: bytes) -> None:
    time.sleep(3)


def _hangs_midway(connection: socket.socket, _head: bytes) -> None:
    _cut(connection, b"")
    time.sleep(3)


def _garbage(connection: socket.socket, _head: bytes) -> None:
    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")


def _smuggling(connection: socket.socket, _head: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nUn agente")


def _closes(connection: socket.socket, _head: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + PAGE)


def _big(connection: socket.socket, _head: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (24 * len(MIB)))
    for _ in range(24):
        connection.sendall(MIB)


class Site:
    """Listens at `port` of 127.0.0.1. `asked` are the heads of the requests, as bytes.

    `/drip` sends one piece, then waits until `go_on` is set, `/waits` sends none before;
    below `/echo/` every address has a page of its own.
    """

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.go_on = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._handlers: dict[str, Handler] = {
            "/cookies": _cookies,
            "/redirect": _redirect,
            "/gzip": _gzip,
            "/cut": _cut,
            "/cut-chunk": _cut_chunk,
            "/hangs": _hangs,
            "/hangs-midway": _hangs_midway,
            "/garbage": _garbage,
            "/smuggling": _smuggling,
            "/closes": _closes,
            "/big": _big,
            "/drip": self._drip,
            "/waits": self._waits,
        }
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def target(self) -> tuple[str, str, int]:
        return "http", "127.0.0.1", self.port

    def close(self) -> None:
        self.go_on.set()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                data = b""
                while b"\r\n\r\n" not in data:
                    if not (more := connection.recv(65536)):
                        return
                    data += more
                self.asked.append(data)
                path = data.split(b" ")[1].decode("latin-1").partition("?")[0]
                handler = self._handlers.get(path)
                if handler:
                    handler(connection, data)
                elif path.startswith(ECHO):
                    _page(connection, path.encode() * 1000, "Connection: close")
                else:
                    _page(connection, b"" if data.startswith(b"HEAD") else PAGE, "Connection: close")
            except OSError:
                return

    def _drip(self, connection: socket.socket, _head: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUn ag\r\n")
        self.go_on.wait(10)
        connection.sendall(b"4\r\nente\r\n0\r\n\r\n")

    def _waits(self, connection: socket.socket, _head: bytes) -> None:
        self.go_on.wait(10)
        _page(connection)
