"""The requests of the page, as routes that any FastAPI application can include."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse, Response

from .. import editing
from ..database import LibraryError
from ..library import Library

_PAGE = Path(__file__).with_name("page.html")
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; connect-src 'self'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
}
_SHOWN = 4
"""Number of faces shown of each person."""

Number = Annotated[int, Body()]
Numbers = Annotated[list[int], Body()]


class _Routes:
    def __init__(self, library: Library) -> None:
        self.library = library

    def page(self) -> Response:
        return FileResponse(_PAGE, headers=_HEADERS)

    def people(self) -> dict[str, Any]:
        people = editing.people(self.library)
        found = []
        for one in people:
            faces = [f for f in editing.faces_of(self.library, one.id) if f != one.cover]
            step = max(1, len(faces) // (_SHOWN - 1))
            found.append(one._asdict() | {"shown": [one.cover, *faces[::step][: _SHOWN - 1]]})
        query = "SELECT count(*) FROM corrections WHERE NOT undone"
        return {
            "people": found,
            "photos": self.library.rows("SELECT count(*) FROM photos")[0][0],
            "corrections": self.library.rows(query)[0][0],
            "unsorted": self.library.needs_sorting,
        }

    def person(self, number: int) -> list[dict[str, Any]]:
        found = self.library.rows(
            "SELECT faces.id, path FROM faces JOIN photos ON photos.id = photo"
            " WHERE person = ? ORDER BY faces.id",
            [number],
        )
        return [{"id": face, "photo": os.fsdecode(path)} for face, path in found]

    def face(self, number: int) -> Response:
        found = self.library.rows("SELECT crop FROM faces WHERE id = ?", [number])
        if not found:
            return Response(status_code=404)
        return Response(found[0][0], media_type="image/jpeg", headers=_HEADERS)

    def questions(self) -> list[dict[str, Any]]:
        return [question._asdict() for question in editing.questions(self.library)]

    def name(self, person: Number, name: Annotated[str, Body()]) -> None:
        editing.name(self.library, person, name)

    def merge(self, kept: Number, other: Number) -> None:
        editing.merge(self.library, kept, other)

    def split(self, person: Number, faces: Numbers) -> None:
        editing.split(self.library, person, faces)

    def not_this_person(self, person: Number, faces: Numbers) -> None:
        editing.not_this_person(self.library, person, faces)

    def different(self, one: Number, other: Number) -> None:
        editing.are_different(self.library, one, other)

    def undo(self) -> dict[str, str]:
        return {"undone": self.library.undo().kind}

    def sort(self) -> None:
        self.library.sort()


def make_router(library: Library) -> APIRouter:
    """The routes of a library, for an application of any kind.

    The application decides who may see them (see `make_app`), and must answer `LibraryError` as
    `refused` does.
    """
    routes, router = _Routes(library), APIRouter(dependencies=[Depends(_private)])
    reading: dict[str, Callable[..., Any]] = {
        "/": routes.page,
        "/people": routes.people,
        "/people/{number}": routes.person,
        "/faces/{number}.jpg": routes.face,
        "/questions": routes.questions,
    }
    writing: dict[str, Callable[..., Any]] = {
        "/name": routes.name,
        "/merge": routes.merge,
        "/split": routes.split,
        "/not": routes.not_this_person,
        "/different": routes.different,
        "/undo": routes.undo,
        "/sort": routes.sort,
    }
    for path, endpoint in reading.items():
        router.add_api_route(path, endpoint, methods=["GET"], response_model=None)
    for path, endpoint in writing.items():
        router.add_api_route(path, endpoint, methods=["POST"], response_model=None)
    return router


def _private(response: Response) -> None:
    """Forbid browsers and proxies to store the answers."""
    response.headers.update(_HEADERS)


async def refused(request: Request, error: Exception) -> JSONResponse:
    """Answer an error with its message."""
    return JSONResponse({"problem": str(error)}, status_code=409)


def make_app(library: Library, token: str) -> FastAPI:
    """An application that answers only below ``/token/``."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.include_router(make_router(library), prefix=f"/{token}")
    app.add_exception_handler(LibraryError, refused)
    return app
