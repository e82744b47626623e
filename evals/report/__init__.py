"""Reports on one evaluation: a page for people, JSON, JUnit XML."""
