"""``python -m chatbot`` is the command ``chatbot``."""

from __future__ import annotations

from chatbot.cli import main

if __name__ == "__main__":
    main()
