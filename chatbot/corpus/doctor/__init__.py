"""Whether a corpus is worth training on."""
