"""The same files give the same pairs, whatever seeds Python's hashes and whatever the locale says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import hashlib, sys
from pathlib import Path
from chatbot.corpus.clean import clean
from chatbot.corpus.library import open_corpus
from chatbot.corpus.options import DataOptions
from chatbot.corpus.split import is_held_out
from chatbot.corpus.statistics import statistics_of

digest = hashlib.sha256()
for name in sys.argv[1:]:
    corpus = open_corpus(name, Path("missing"), lambda notice: digest.update(notice.encode()))
    pairs, cleaning = clean(corpus.conversations(), DataOptions(reply_cap=2))
    assert pairs and cleaning.capped
    digest.update(repr((pairs, cleaning, [is_held_out(pair.conversation, 0.1) for pair in pairs])).encode())
    digest.update(repr(statistics_of(corpus.conversations())).encode())
sys.stdout.write(digest.hexdigest())
"""


def digest_under(environment: dict[str, str], *names: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *names],
        env=os.environ | environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def test_pairs_do_not_hang_on_hash_seed_or_locale(tmp_path: Path) -> None:
    chinese = tmp_path / "chinese.tsv"
    chinese.write_bytes("".join(f"问题{at}\t回答{at % 3}\n" for at in range(30)).encode() + b"caf\xe9\tja\n")
    names = ("chatterbot:english", str(chinese))
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    first = digest_under({"PYTHONHASHSEED": "1", "PYTHONUTF8": "1"}, *names)
    assert first == digest_under({"PYTHONHASHSEED": "2"} | plain, *names)
