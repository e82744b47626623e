"""The reference interpreter of the seed language, which knows a domain only from its resolved seed."""
