"""The sidecar that Inspect's tasks ask: of the farm on this machine, unless the settings name another."""

import json
from pathlib import Path

import httpx
from pydantic_settings import BaseSettings, SettingsConfigDict

from evals.errors import EvalError
from evals.sidecar import Sidecar, TaskLine, not_taken
from registry.home import find_home

USUAL = "http://127.0.0.1:8802"
SECONDS = 120.0


class Place(BaseSettings):
    """Settings; each can be an environment variable `ENVFARM_…`, or an argument of the task."""

    model_config = SettingsConfigDict(env_prefix="ENVFARM_", frozen=True, extra="ignore")

    home: Path | None = None
    sidecar_url: str = ""
    tokens: Path | None = None

    def sidecar(self, http: httpx.AsyncClient) -> Sidecar:
        """A client of it.

        Raises:
            EvalError: There is no token file.
        """
        url, token = self._found()
        return Sidecar(url, token, http)

    def tasks(self) -> tuple[TaskLine, ...]:
        """All tasks of the sidecar; for Inspect, which makes tasks in a function that does not wait.

        Raises:
            EvalError: The sidecar does not answer, or not with tasks.
        """
        url, token = self._found()
        try:
            with httpx.Client(timeout=SECONDS, trust_env=False) as http:
                reply = http.get(f"{url}/v1/tasks", headers={"Authorization": f"Bearer {token}"})
                if reply.status_code == httpx.codes.UNAUTHORIZED:
                    raise EvalError(not_taken(url))
                return tuple(TaskLine.model_validate(one) for one in reply.raise_for_status().json()["tasks"])
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise EvalError(f"sidecar: expected tasks at {url}, got {type(error).__name__}. Run `envfarm up` first.") from error

    def _found(self) -> tuple[str, str]:
        """Its address and the token `grader`."""
        home = find_home(self.home)
        path = self.tokens or home.tokens
        try:
            token = json.loads(path.read_text(encoding="utf-8"))["grader"]
        except PermissionError as error:
            raise EvalError(
                f"{path}: expected a token file that you may read, got one that you may not. Ask as the user who runs the farm."
            ) from error
        except OSError as error:
            raise EvalError(
                f"{path}: expected a token file, got none. Run `envfarm up` once, or set ENVFARM_HOME to the home of your farm."
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise EvalError(f"{path}: expected a token file with `grader`, got something else. Run `envfarm token rotate`.") from error
        return (self.sidecar_url or _noted(home.root / "farm.json") or USUAL).rstrip("/"), str(token)


def _noted(path: Path) -> str:
    """The address that a running farm has noted in its home."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["sidecar_url"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
