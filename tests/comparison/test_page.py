from __future__ import annotations

from dataclasses import replace

from chatbot.comparison.outcome import Results
from chatbot.comparison.page import comparison_page


def test_page_has_figures_options_failures_and_replies(results: Results) -> None:
    page = comparison_page(results, [("Validation perplexity", "compare.png")])
    rows = [
        [cell.strip() for cell in line[1:-1].split(" | ")] for line in page.split("\n") if line[:1] == "|"
    ]
    assert rows[0][:3] == ["variant", "attention", "tie"]
    assert rows[2][:5] == ["additive-lstm", "additive", "yes", "3.210", "1,234.6"]
    assert rows[4][:4] == ["ntm", "ntm", "yes", "failed: model: no \\| such pair; take another"]
    assert {len(row) for row in rows[:5]} == {11}
    assert "![Validation perplexity](compare.png)" in page
    assert "**how are you \\| really?**" in page
    assert "| *the corpus* | fine \\*thanks\\* |" in page
    assert "| none-lstm | \\[很好] |" in page
    assert "Made by `chatbot compare talk.tsv`." in page


def test_signature_of_bleu_is_cited_once(results: Results) -> None:
    signed = tuple(replace(outcome, bleu_signature="nrefs:1") for outcome in results.outcomes)
    assert comparison_page(replace(results, outcomes=signed), []).count("BLEU: `nrefs:1`") == 1
