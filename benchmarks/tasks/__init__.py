"""Toy tasks that show what each part of the family can do, as the papers claim."""
