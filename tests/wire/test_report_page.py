"""The report page of an evaluation in a real browser: Debian's Chromium, at the widths of a phone and of a screen."""

import shutil
from contextlib import contextmanager

import pytest

from evals.metrics.folder import read_evaluation
from evals.report.contents import contents
from evals.report.page import page
from tests.evaluation_folder import write_evaluation

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
WIDTHS = (380, 1280)
HOSTILE = "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><!--<script>"
RUNS = 400


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The page of 400 runs of an agent whose last words are hostile."""
    folder = write_evaluation(
        tmp_path_factory.mktemp("page") / "e", tasks=RUNS // 4, epochs=4, seed=5, headline=("unsandboxed", HOSTILE), final=HOSTILE
    )
    path = folder / "report.html"
    path.write_bytes(page(contents(read_evaluation(folder))))
    return path


@contextmanager
def opened(path, *, width=1280, scheme="light", suffix=""):
    """The page in a browser that may reach nothing; what it complains of and what it asks for fails the test."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            complaints, asked = [], []
            tab.on("console", lambda message: complaints.append(message.text))
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            tab.on("request", lambda request: asked.append(request.url))
            tab.goto(path.as_uri() + suffix)
            yield tab
            assert complaints == []
            assert [url for url in asked if not url.startswith(path.as_uri())] == []
            assert tab.evaluate("window.ran") is None
        finally:
            browser.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_width_with_runs_open_side_by_side(written, width, scheme):
    with opened(written, width=width, scheme=scheme) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        tab.locator("#list tbody tr td:last-child button").nth(0).click()
        tab.locator("#list tbody tr td:last-child button").nth(2).click()

        assert tab.locator(".pane").count() == 2
        for summary in tab.locator(".pane summary").all():
            summary.click()
        assert tab.locator(".pane pre").count() > 0
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        boxes = [box.bounding_box() for box in tab.locator(".pane").all()]
        assert (boxes[0]["y"] == boxes[1]["y"]) is (width == 1280)


def test_filters_leave_the_runs_that_they_name(written):
    with opened(written) as tab:
        rows = tab.locator("#list tbody tr")
        assert rows.count() == 50
        assert tab.inner_text("#found") == f"{RUNS} of {RUNS} runs, the first 50 shown"
        tab.select_option("select[name=verdict]", "MASKED")
        assert set(tab.locator("#list .verdict").all_inner_texts()) == {"MASKED"}
        tab.get_by_role("button", name="Show all").click()
        tab.select_option("select[name=environment]", "vet_clinic")
        tab.select_option("select[name=kind]", "do")
        assert all(name.startswith("vet_clinic") for name in tab.locator("#list .task").all_inner_texts())
        tab.fill("input[name=text]", "no such run")
        assert (rows.count(), tab.inner_text("#found")) == (0, f"0 of {RUNS} runs")


def test_a_bar_of_a_reason_shows_its_runs_and_a_run_shows_its_changes(written):
    with opened(written) as tab:
        tab.locator("#failures button", has_text="collateral").click()
        tab.locator("#list .task").first.click()

        assert "collateral" in tab.locator(".pane .meta").inner_text()
        assert tab.locator(".step .diff del").count() > 0
        assert tab.locator(".step .diff ins").count() > 0
        assert "nobody asked for" in tab.locator(".pane").inner_text()


def test_a_hostile_text_is_shown_as_text(written):
    with opened(written) as tab:
        assert HOSTILE in tab.locator(".badges").inner_text()
        tab.locator("#list .task").first.click()
        assert tab.locator(".pane blockquote").last.inner_text() == HOSTILE


def test_the_keyboard_alone_opens_and_closes_a_run(written):
    with opened(written) as tab:
        tab.locator("#list .task").first.focus()
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.id") == "open"
        tab.keyboard.press("Escape")
        assert tab.locator("#open").is_hidden()
        assert tab.evaluate("document.activeElement.className") == "task"


def test_the_address_of_a_run_opens_it(written):
    with opened(written, suffix="#run=run-000001") as tab:
        assert tab.locator(".pane").get_attribute("aria-label").endswith("epoch 1")
    with opened(written, suffix="#run=nonsense+%zz") as tab:
        assert tab.locator("#open").is_hidden()
