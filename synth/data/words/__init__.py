"""Word lists of this project (see LICENCE.md beside this file)."""
