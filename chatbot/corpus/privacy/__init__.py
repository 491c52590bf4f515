"""What names a person in a text, and putting something else in its place."""
