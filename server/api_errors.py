"""Errors of our HTTP interfaces: `{"error": {"code", "message"}}` with a status, whatever went wrong."""

import itertools
import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

logger = logging.getLogger(__name__)

_CODES = {401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "TOO_LARGE", 429: "TOO_MANY"}


class ApiError(Exception):
    """One sentence with its status and code."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def failed(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The response of an error."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status, headers=dict(headers or {}))


def install(app: FastAPI, known: Mapping[type[Exception], tuple[int, str]]) -> None:
    """Gives `app` the error format.

    Args:
        app: The application.
        known: Exceptions that are a sentence for a person, with status and code.
    """
    incidents = itertools.count(1)

    async def api(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ApiError)
        return failed(error.status, error.code, str(error))

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        message = str(error.detail)
        if error.status_code == 404 and message == "Not Found":
            message = f"{request.url.path}: nothing is served here. See /docs."
        return failed(error.status_code, _CODES.get(error.status_code, "ERROR"), message, error.headers)

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
        got = repr(first.get("input"))[:100]
        return failed(422, "INVALID_REQUEST", f"{where}: {first['msg']}, got {got}. Correct the request.")

    async def sentence(request: Request, error: Exception) -> JSONResponse:
        status, code = next(found for kind, found in known.items() if isinstance(error, kind))
        return failed(status, code, str(error))

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        incident = next(incidents)
        logger.error("%s %s failed, incident %d", request.method, request.url.path, incident, exc_info=error)
        return failed(500, "INTERNAL_ERROR", f"The server failed on this request (incident {incident}). See its log.")

    app.add_exception_handler(ApiError, api)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    for kind in known:
        app.add_exception_handler(kind, sentence)
    app.add_exception_handler(Exception, unexpected)
