"""docs/domains.md and its picture are what the seeds say."""

import pytest

from tests.docs import catalog_page
from tests.seeds import ALL


def test_the_page_of_domains_is_what_make_docs_writes():
    assert catalog_page.PAGE.read_text(encoding="utf-8") == catalog_page.write(), "run make docs"


def test_the_picture_is_what_make_docs_writes():
    assert catalog_page.PICTURE.read_text(encoding="utf-8") == catalog_page.picture(), "run make docs"


@pytest.mark.parametrize("name", ALL)
def test_every_seed_is_on_the_page(name):
    assert f"`{name}`" in catalog_page.PAGE.read_text(encoding="utf-8")
