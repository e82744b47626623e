"""`envfarm config`: effective settings."""

from typing import Any

from server.cli.answer import JsonFlag, show, table


def config(json: bool = JsonFlag) -> None:
    """Effective settings, and where each came from.

    Every setting is an environment variable ENVFARM_NAME; the options of `envfarm up` win over them.
    """
    from server.config import Settings, read_settings, sources

    settings = read_settings()
    origin = sources(settings)
    values: dict[str, Any] = settings.model_dump(mode="json")
    answer = {
        name: {"value": value, "source": origin[name], "variable": f"ENVFARM_{name.upper()}", "help": Settings.model_fields[name].description}
        for name, value in values.items()
    }
    rows = [(name, "" if one["value"] is None else one["value"], one["source"], one["help"]) for name, one in answer.items()]
    show(answer, json=json, text=table(("setting", "value", "source", "meaning"), rows))
