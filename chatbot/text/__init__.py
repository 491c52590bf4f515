"""Characters <-> ids: normaliser, tokenizers, word spans. Never torch."""
