"""Ids of dialogue pairs on disk and in batches. numpy and torch; no text, no network."""
