"""Brings the tables of a database server to the newest format."""

from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from registry.store.postgres_url import conninfo, schema_of

FOLDER = Path(__file__).with_name("migrations")


def migrate(url: str, to: str = "head", worker: int = 0) -> None:
    """Runs what revisions are missing, all in one transaction.

    Args:
        url: `postgresql://…`.
        to: A revision; the newest by default.
        worker: Whose tables; the number of its schema, which is made if it is missing.
    """
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    if worker:
        with psycopg.connect(url) as first:
            first.execute(f"CREATE SCHEMA IF NOT EXISTS {schema_of(worker)}")
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo(url, worker)))
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, to)
    finally:
        engine.dispose()
