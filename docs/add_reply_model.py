"""Give a checkpoint the language model of replies that the end of training gives one.

.venv/bin/python docs/add_reply_model.py checkpoints/starter

Needed for a checkpoint that an earlier version trained. The corpora must be as they were.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from chatbot.errors import ChatbotError
from chatbot.training.reply_model import add_to


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--corpora", type=Path, default=Path("corpora"))
    wanted = parser.parse_args()
    try:
        add_to(wanted.checkpoint, wanted.corpora, lambda notice: None)
    except ChatbotError as error:
        sys.stderr.write(f"Error: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
