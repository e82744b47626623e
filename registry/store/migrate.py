"""Brings the tables of a database server to the newest format."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

FOLDER = Path(__file__).with_name("migrations")


def migrate(url: str, to: str = "head") -> None:
    """Runs what revisions are missing, all in one transaction.

    Args:
        url: `postgresql://…`.
        to: A revision; the newest by default.
    """
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://", 1))
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, to)
    finally:
        engine.dispose()
