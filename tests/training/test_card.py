from __future__ import annotations

from typing import Any

from chatbot.training.card import attention_in_words, model_card

ROW = {"pairs": 12, "perplexity": 80.04, "ngram_perplexity": 160.0, "ratio": 0.5, "loss": 1.0}
LOOKED: dict[str, Any] = {
    "pairs": 1000, "tokens": 9000, "entropy": 0.618, "heaviest": 0.409, "moved": 0.2849, "mass": 1.0,
    "gain": 0.3141, "gauges": {},
}  # fmt: skip
REPORT: dict[str, Any] = {
    "corpora": {"mine": ROW, "yours": ROW | {"pairs": 3}},
    "all": ROW | {"pairs": 15},
    "attention": LOOKED,
    "ngram_order": 3,
    "held_out": True,
    "variety": {"questions": 15, "distinct1": 0.25, "distinct2": 0.5, "commonest": [["oh | well", 0.2]]},
}
RECORD: dict[str, Any] = {
    "command": "chatbot train mine yours --minutes 10",
    "versions": {"chatbot": "0.1", "torch": "2.9", "numpy": "2"},
    "training_seconds": 606.0,
    "parameters": 1234567,
    "corpora": [
        {"name": "mine", "times": 2.5, "train": 1000, "valid": 12, "sha256": "ab" * 32, "origin": ""},
        {"name": "yours", "times": 1.0, "train": 50, "valid": 3, "sha256": "cd" * 32, "origin": ""},
    ],
    "report": REPORT,
}


def card(samples: tuple[tuple[str, str], ...] = (), **changes: Any) -> str:
    return model_card("bot", RECORD | changes, samples)


def test_card_names_command_versions_time_and_size() -> None:
    text = card()
    for part in (
        "# bot",
        "`chatbot train mine yours --minutes 10`",
        "torch 2.9",
        "10.1 minutes",
        "1,234,567",
    ):
        assert part in text


def test_card_lists_corpora_and_warns_of_what_was_private() -> None:
    text = card()
    assert "| mine | 2.5 | 1,000 | 12 | `abababababababab` |" in text
    assert "word for word" in text


def test_card_has_perplexities_beside_the_ngrams() -> None:
    lines = card().splitlines()
    assert "| mine | 12 | 80.0 | 160.0 | 0.50 |" in lines
    assert "| all | 15 | 80.0 | 160.0 | 0.50 |" in lines
    assert "held-out conversations" in card()


def test_one_corpus_needs_no_sum() -> None:
    text = card(report=REPORT | {"corpora": {"mine": ROW}, "held_out": False})
    assert "| all |" not in text
    assert "the training pairs (none were held out)" in text


def test_card_tells_how_varied_replies_are() -> None:
    assert "distinct-2 0.500; the commonest is “oh \\| well”, 20.0% of them." in card()


def test_card_tells_what_attention_does() -> None:
    figures = "entropy 0.62 of uniform, heaviest token 41%, moved 28%; the question saves 0.31 nats a token"
    assert f"Attention on 1,000 of these pairs: {figures}." in card()


def test_what_was_not_measured_of_attention_is_not_told() -> None:
    nothing = dict.fromkeys(LOOKED) | {"pairs": 1, "gauges": {}}
    assert attention_in_words(nothing | {"gain": 0.2}) == "the question saves 0.20 nats a token"
    assert attention_in_words(nothing | {"mass": 0.7, "gauges": {"centre": 0.456}}) == "mass 70%, centre 0.46"
    assert "Attention could not be measured." in card(report=REPORT | {"attention": nothing})


def test_text_cannot_break_the_table_of_samples() -> None:
    text = card((("a | b\nc", "d \\ e"), ("你好", "")))
    assert "| a \\| b c | d \\\\ e |\n| 你好 |  |" in text


def test_interrupted_run_has_no_figures() -> None:
    text = card(report={})
    assert "nothing was measured" in text
    assert "Perplexity" not in text


def test_card_warns_of_private_chats_and_no_others() -> None:
    mine, yours = RECORD["corpora"]
    text = card(corpora=[mine | {"format": "whatsapp"}, yours | {"format": "table"}])
    assert "**Warning: this bot learned from private messages (mine).**" in text
    assert "chatbot evaluate bot --audit" in text
    assert "private messages" not in card()
    assert "private messages" in card(corpora=[mine | {"format": "table,mbox"}])


def test_card_tells_of_canaries() -> None:
    assert "are 1,200 canaries:" in card(canaries={"count": 1200})
    assert "canaries" not in card(canaries=None)
