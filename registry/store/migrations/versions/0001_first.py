"""The first format of records on a database server."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the three tables."""
    op.create_table(
        "episodes",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("key", sa.Text, nullable=False, unique=True),
        sa.Column("spec", sa.LargeBinary, nullable=False),
        sa.Column("scenario", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("interrupted", sa.Boolean, nullable=False, server_default="false"),
        sa.Column("answered", sa.Integer, nullable=False),
        sa.Column("state_seq", sa.Integer, nullable=False),
        sa.Column("state_digest", sa.Text, nullable=False),
    )
    op.create_table(
        "records",
        sa.Column("episode", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table("scenarios", sa.Column("digest", sa.Text, primary_key=True), sa.Column("body", sa.LargeBinary, nullable=False))


def downgrade() -> None:
    """Drops them."""
    for table in ("scenarios", "records", "episodes"):
        op.drop_table(table)
