"""Tables of records on a database server, as SQLModel sees them: what migrations lead to, and what other programs may query."""

from typing import Any, ClassVar

from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, Text
from sqlalchemy.orm import registry as Registry
from sqlmodel import Field, SQLModel


class _Records(SQLModel, registry=Registry(metadata=MetaData())):
    """Own metadata, so that tables of environments never meet these."""


class EpisodeRow(_Records, table=True):
    """One episode; `registry.store.protocol.StoredEpisode` says what the columns mean."""

    __tablename__: ClassVar[Any] = "episodes"

    id: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    key: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    spec: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    scenario: str = Field(sa_column=Column(Text, nullable=False))
    status: str = Field(sa_column=Column(Text, nullable=False))
    reason: str = Field(sa_column=Column(Text, nullable=False, server_default=""))
    interrupted: bool = Field(default=False, nullable=False, sa_column_kwargs={"server_default": "false"})
    answered: int = Field(nullable=False)
    state_seq: int = Field(nullable=False)
    state_digest: str = Field(sa_column=Column(Text, nullable=False))
    made: int = Field(sa_column=Column(BigInteger, nullable=False, server_default="0"))
    used: int = Field(sa_column=Column(BigInteger, nullable=False, server_default="0"))


class RecordRow(_Records, table=True):
    """One record of the log of an episode."""

    __tablename__: ClassVar[Any] = "records"

    episode: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    seq: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class ScenarioRow(_Records, table=True):
    """Initial rows, under their digest."""

    __tablename__: ClassVar[Any] = "scenarios"

    digest: str = Field(sa_column=Column(Text, primary_key=True))
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


METADATA: MetaData = _Records.metadata
