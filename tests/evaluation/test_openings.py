"""The openings a model card answers."""

from __future__ import annotations

from chatbot.evaluation.openings import openings


def test_openings_are_many_and_differ() -> None:
    found = openings()
    assert len(found) >= 48
    assert len({opening.lower().strip(" ?!.") for opening in found}) == len(found)
    assert all(opening.strip() == opening and not opening.startswith("#") for opening in found)


def test_everyday_ones_are_among_them() -> None:
    plain = {opening.lower().strip(" ?!.") for opening in openings()}
    assert plain >= {
        "hello",
        "how are you",
        "what is your name",
        "what can you do",
        "tell me a joke",
        "thank you",
        "bye",
    }
