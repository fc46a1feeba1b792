"""A toy data set on a local server, its list of sources, and a converter of it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import yaml

from benchbook.errors import DataError
from benchbook.open_data import Source
from benchbook.open_data.converted import Converted
from benchbook.open_data.fetch import Obtained

CONTENT = b"record_id,label,present\nexam-1,AF,1\nexam-2,AF,0\n"
EXTRA = b"something more\n"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Server:
    """What is served, what was asked for, and what goes wrong."""

    def __init__(self) -> None:
        self.files = {"/v1/table%20one.csv": CONTENT, "/v1/deep/extra.txt": EXTRA}
        self.asked: list[str] = []
        self.cut: set[str] = set()  # addresses whose answer stops half way
        self.base = ""


@contextmanager
def serving() -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked.append(self.path)
            content = told.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if self.path in told.cut else content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.base = f"http://127.0.0.1:{server.server_port}/v1/"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def entry(base: str, **changes: Any) -> dict[str, Any]:
    return {
        "title": "A toy",
        "description": "Two exams.",
        "rows": "2 exams",
        "licence": {"name": "CC0", "use": "redistributable"},
        "citation": "Nobody. Nothing. 2020.",
        "doi": "10.0/0",
        "homepage": "https://example.org/",
        "base": base,
        "converter": "toy_converter",
        "files": {
            "table": {
                "path": "table one.csv",
                "sha256": digest(CONTENT),
                "size": len(CONTENT),
                "mirror": [
                    {"path": "toys/renamed.csv"},
                    {"path": "toys/converted.csv", "sha256": digest(EXTRA)},
                ],
            },
            "extra": {"path": "deep/extra.txt", "sha256": digest(EXTRA), "size": len(EXTRA)},
            "more": {"path": "more.csv", "optional": True},
        },
        **changes,
    }


def write_sources(root: Path, entries: Mapping[str, Any]) -> None:
    (root / "data").mkdir(exist_ok=True)
    text = yaml.safe_dump(dict(entries), sort_keys=False)
    (root / "data" / "sources.yml").write_text(text, encoding="utf-8")


def converter() -> ModuleType:
    module = ModuleType("benchbook.open_data.toy_converter")
    module.fail = None  # type: ignore[attr-defined]
    module.seen = {}  # type: ignore[attr-defined]

    def convert(source: Source, files: Mapping[str, Obtained]) -> Converted:
        if module.fail is not None:
            raise module.fail
        module.seen = dict(files)  # type: ignore[attr-defined]
        if files["table"].converted:
            raise DataError("a conversion", file="converted.csv")
        labels = pd.read_csv(files["table"].path)
        labels.insert(1, "patient_id", labels["record_id"])
        return Converted({"labels": labels}, unit="patient", notes=["of the converter"])

    module.convert = convert  # type: ignore[attr-defined]
    return module
