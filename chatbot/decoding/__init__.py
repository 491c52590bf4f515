"""Hypotheses from an engine's steps: greedy and beam search. numpy only, no network in sight."""
