"""How alembic runs our revisions: over the connection that it is given."""

from alembic import context

from registry.store.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
