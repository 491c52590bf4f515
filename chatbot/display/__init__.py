"""Replies and their attention as text a terminal can show and as JSON. Never torch, never a terminal."""
