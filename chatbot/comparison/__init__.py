"""The same data, seed and budget through a grid of variants: trained, measured and laid side by side."""
