"""`envfarm config`: effective settings."""

import re
from typing import Any

from server.cli.answer import JsonFlag, show, table

PASSWORD = re.compile(r"(?<=:)[^:@/]+(?=@)")


def config(json: bool = JsonFlag) -> None:
    """Effective settings, and where each came from.

    Every setting is an environment variable ENVFARM_NAME; the options of `envfarm up` win over them.
    """
    from registry.config import RegistrySettings
    from registry.home import find_home
    from server.config import Settings, read_engine_settings, read_settings, sources

    settings = read_settings()
    engine = read_engine_settings()
    answer: dict[str, Any] = {}
    for group in (settings, engine):
        origin = sources(group)
        fields = {**Settings.model_fields, **RegistrySettings.model_fields}
        for name, value in group.model_dump(mode="json").items():
            if name == "store":
                value = PASSWORD.sub("***", value)
            answer[name] = {"value": value, "source": origin[name], "variable": f"ENVFARM_{name.upper()}", "help": fields[name].description}
    answer["home"]["value"] = str(find_home(settings.home).root)
    rows = [(name, _shown(one["value"]), one["source"], one["help"]) for name, one in answer.items()]
    show(answer, json=json, text=table(("setting", "value", "source", "meaning"), rows))


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return "" if value is None else str(value)
