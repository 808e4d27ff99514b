"""A small S3 in this process: one that keeps its word, and ones that do not. For tests without any server."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from email.utils import formatdate
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

_COMMIT = re.compile(r".*/_delta_log/\d{20}\.json")


class Truth(Enum):
    """How the store treats `If-None-Match: *`."""

    KEPT = auto()
    IGNORED = auto()
    """Every put is an overwrite."""
    RACED = auto()
    """It looks first and writes later."""
    UNKNOWN = auto()
    """Such a put is answered with 501."""
    REFUSED = auto()
    """Such a put is answered with 412, whatever there is."""
    SWAPPED = auto()
    """Kept, but a commit of another writer takes the place of each commit."""


class Server(ThreadingHTTPServer):
    """Takes as many connections at once as a race needs; with fewer the others would wait for a second."""

    daemon_threads = True
    request_queue_size = 128


class TinyS3:
    """Serves GET, HEAD, PUT, DELETE, listings and bulk deletes of any bucket; used in `with`.

    As Azure and others do, it lists objects with marks and times that are written otherwise than in answers about one.
    """

    def __init__(self, truth: Truth = Truth.KEPT) -> None:
        self.objects: dict[str, bytes] = {}
        self._truth = truth
        self._lock = threading.Lock()
        store = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body of an answer go together.
            wbufsize = -1

            def do_GET(self) -> None:
                target = urlsplit(self.path)
                if "list-type" in target.query:
                    return _send(self, 200, store._listing(target.path, parse_qs(target.query)))
                return self._object()

            def _object(self) -> None:
                data = store.objects.get(unquote(urlsplit(self.path).path))
                if data is None:
                    return _send(self, 404, b"<Error><Code>NoSuchKey</Code></Error>")
                asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
                if asked is None:
                    return _send(self, 200, data, _tag(data))
                start, end = int(asked[1]), min(int(asked[2]) + 1, len(data))
                return _send(self, 206, data[start:end], _tag(data), f"bytes {start}-{end - 1}/{len(data)}")

            do_HEAD = _object

            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                condition = self.headers.get("If-None-Match") == "*"
                _send(self, store._put(unquote(urlsplit(self.path).path), body, condition), b"", _tag(body))

            def do_DELETE(self) -> None:
                store.objects.pop(unquote(urlsplit(self.path).path), None)
                _send(self, 204, b"")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                keys = re.findall(r"<Key>(.*?)</Key>", body)
                for key in keys:
                    store.objects.pop(f"{urlsplit(self.path).path.rstrip('/')}/{key}", None)
                deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
                _send(self, 200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

            def log_message(self, *_: object) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> TinyS3:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _put(self, path: str, body: bytes, condition: bool) -> int:
        """The status of the answer."""
        if condition and self._truth in {Truth.UNKNOWN, Truth.REFUSED}:
            return 501 if self._truth is Truth.UNKNOWN else 412
        if condition and self._truth is Truth.RACED:
            there = path in self.objects
            time.sleep(0.01)
            if there:
                return 412
        with self._lock:
            if condition and self._truth in {Truth.KEPT, Truth.SWAPPED} and path in self.objects:
                return 412
            swapped = self._truth is Truth.SWAPPED and _COMMIT.fullmatch(path)
            self.objects[path] = body.replace(b"the-id", b"its-id") if swapped else body
        return 200

    def _listing(self, bucket: str, query: dict[str, list[str]]) -> bytes:
        begin = f"{bucket.rstrip('/')}/"
        prefix, after = query.get("prefix", [""])[0], query.get("start-after", [""])[0]
        with self._lock:
            keys = {path[len(begin) :]: data for path, data in self.objects.items() if path.startswith(begin)}
        items = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.123Z</LastModified>"
            f"<ETag>{_tag(data).strip(chr(34))}</ETag><Size>{len(data)}</Size></Contents>"
            for key, data in sorted(keys.items())
            if key.startswith(prefix) and key > after
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{items}</ListBucketResult>".encode()


def _tag(data: bytes) -> str:
    return f'"{hashlib.md5(data).hexdigest()}"'


def _send(client: BaseHTTPRequestHandler, status: int, data: bytes, tag: str = "", content_range: str = "") -> None:
    client.send_response_only(status)
    client.send_header("Content-Length", str(len(data)))
    client.send_header("Last-Modified", formatdate(1_767_225_600, usegmt=True))
    for name, value in (("ETag", tag), ("Content-Range", content_range)):
        if value:
            client.send_header(name, value)
    client.end_headers()
    if client.command != "HEAD":
        client.wfile.write(data)
