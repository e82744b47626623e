"""When an episode was made and last used, for limits of age."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
NOW = "extract(epoch from now())::bigint"


def upgrade() -> None:
    """Adds both; what is there counts as new."""
    for column in ("made", "used"):
        op.add_column("episodes", sa.Column(column, sa.BigInteger, nullable=False, server_default="0"))
    op.execute(f"UPDATE episodes SET made = {NOW}, used = {NOW}")  # noqa: S608 (a constant)


def downgrade() -> None:
    """Drops both."""
    for column in ("made", "used"):
        op.drop_column("episodes", column)
