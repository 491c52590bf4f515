"""How good is it: perplexity per word, n-gram baselines, diversity."""
