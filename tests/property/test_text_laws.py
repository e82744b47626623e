"""Laws of the text matcher: small edits that change the meaning are caught wherever they stand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.score.text import same_text

SENTENCES = (
    "Needs a soft diet for 10 days after dental surgery.",
    "Pallet 7 damaged in transit, two boxes crushed.",
    "Customer asked to extend the rental until 12 March 2026.",
    "Router restarts every night at 02:30.",
    "Reroute the delivery from Hamburg to Rotterdam.",
    "Keep the room cold, at -5 degrees, and pay 40 in cash.",
)
sentences = st.sampled_from(SENTENCES)
laws = settings(max_examples=120, deadline=None)


def words_of(sentence: str) -> list[str]:
    return sentence.split(" ")


@laws
@given(sentences, st.sampled_from([str.lower, str.upper, str.strip]), st.integers(1, 3), st.booleans())
def test_case_spacing_and_the_final_stop_are_no_difference(sentence: str, case, spaces: int, stop: bool) -> None:
    text = (" " * spaces).join(words_of(case(sentence)))
    assert same_text(sentence, text if stop else text.rstrip(".")).passed


@laws
@given(sentences, st.data(), st.sampled_from(["not", "no", "never", "without", "don't", "hardly"]))
def test_a_negation_anywhere_is_caught(sentence: str, data: st.DataObject, word: str) -> None:
    words = words_of(sentence)
    at = data.draw(st.integers(0, len(words)))
    text = " ".join([*words[:at], word, *words[at:]])
    assert not same_text(sentence, text).passed


@laws
@given(sentences, st.data())
def test_any_changed_digit_is_caught(sentence: str, data: st.DataObject) -> None:
    places = [index for index, letter in enumerate(sentence) if letter.isdigit()]
    if not places:
        return
    at = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != sentence[at]]))
    assert not same_text(sentence, sentence[:at] + other + sentence[at + 1 :]).passed


@laws
@given(
    sentences,
    st.data(),
    st.sampled_from(["Bring the passport.", "Dr. Weiss called.", "Refund 5.", "Urgent!", "See page 3", "dog bites", "\u274c", "50 %"]),
)
def test_anything_added_at_either_end_is_caught(sentence: str, data: st.DataObject, more: str) -> None:
    text = data.draw(
        st.sampled_from([f"{sentence} {more}", f"{more} {sentence}", f"{sentence.rstrip('.')}, {more}", f"{sentence.rstrip('.')} and {more}"])
    )
    assert not same_text(sentence, text).passed


@laws
@given(sentences, st.data())
def test_a_dropped_telling_word_is_caught(sentence: str, data: st.DataObject) -> None:
    words = words_of(sentence)
    telling = [index for index, word in enumerate(words) if word.strip(".,").lower() not in ("a", "the", "in", "at", "and", "needs", "for", "2026")]
    at = data.draw(st.sampled_from(telling))
    assert not same_text(sentence, " ".join([*words[:at], *words[at + 1 :]])).passed


@laws
@given(sentences, st.sampled_from(SENTENCES))
def test_another_sentence_is_never_the_same(sentence: str, other: str) -> None:
    assert same_text(sentence, other).passed is (sentence == other)


@laws
@given(st.text(max_size=60), st.text(max_size=80))
def test_no_text_whatever_breaks_the_matcher_and_each_equals_itself(reference: str, actual: str) -> None:
    same_text(reference, actual, required=(("soft diet", reference),), declared=((actual, "x"),))
    assert same_text(reference, reference).passed


@pytest.mark.parametrize(
    ("reference", "actual"),
    [
        ("At 5 degrees.", "At -5 degrees."),
        ("At -5 degrees.", "At 5 degrees."),
        ("5 % discount", "5 discount"),
        ("Sick.", "n\u043et sick"),
        ("Sick.", "\u00acsick"),
    ],
)
def test_signs_and_letters_of_another_script_count(reference: str, actual: str) -> None:
    assert not same_text(reference, actual).passed
    assert not same_text(reference, actual, required=(("sick", "degrees", "5"),)).passed
