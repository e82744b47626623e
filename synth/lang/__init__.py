"""The resolved seed language: types, typed syntax tree, domain."""
