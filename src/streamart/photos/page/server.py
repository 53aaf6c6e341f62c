"""Serves the page to this machine alone."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from typing import Any

import uvicorn

from ..library import Library
from .api import make_app

HOST = "127.0.0.1"


class PageServer:
    """Serves a library in a thread until it is closed. `address` contains a secret token."""

    def __init__(self, library: Library, port: int = 0) -> None:
        token = secrets.token_urlsafe(24)
        self._socket = socket.create_server((HOST, port))
        self.address = f"http://{HOST}:{self._socket.getsockname()[1]}/{token}/"
        config = uvicorn.Config(
            make_app(library, token), log_level="error", access_log=False, lifespan="off"
        )
        self._server: Any = uvicorn.Server(config)
        # The main thread handles signals, and closes this server.
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), daemon=True
        )

    def __enter__(self) -> PageServer:
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=5)
        self._socket.close()
