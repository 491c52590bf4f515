"""Give a checkpoint what the end of training gives one, without training it again.

.venv/bin/python docs/equip.py checkpoints/starter --why 3000

That is confidence.json, seen.safetensors, why.safetensors and why.jsonl, with what is told of them in
config.json and the model card. Needed for a checkpoint that an earlier version trained, and after a change of
how replies are searched for, since confidence is fitted to what the search finds. The corpora must be as they
were.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from chatbot.errors import ChatbotError
from chatbot.training.equipment import equip


def main() -> int:
    """Read the command line and do it; the report is printed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--corpora", type=Path, default=Path("corpora"))
    parser.add_argument("--why", type=int, default=5000, help="pairs kept for chat --why; 0: none")
    wanted = parser.parse_args()
    try:
        report = equip(wanted.checkpoint, wanted.corpora, wanted.why, lambda notice: None)
    except ChatbotError as error:
        sys.stderr.write(f"Error: {error}\n")
        return error.exit_code
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
