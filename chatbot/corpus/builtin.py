"""The corpora that need no import: chitchat, ChatterBot's in many languages, our own smalltalk, NLTK's.

chitchat is the package chitchat-dataset: 7,168 conversations of people (MIT). chatterbot:LANGUAGE is the
package chatterbot-corpus: everyday exchanges (BSD). Their data files are read where they are installed;
their code is not run. nltk:NAME is a corpus that the user has installed with NLTK.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from chatbot.corpus.conversation import Conversation, Turn, whole
from chatbot.corpus.formats import chatterbot, nltk_corpora
from chatbot.corpus.identity import content_id, with_unique_ids
from chatbot.corpus.input.decode import Notify
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.options import ReadingOptions
from chatbot.corpus.store import file_sha256, is_corpus, paths_sha256
from chatbot.corpus.turns import Cutting, conversations_of
from chatbot.errors import CorpusError

CHITCHAT = "chitchat"
CHATTERBOT = "chatterbot"
SMALLTALK = "smalltalk"
NLTK = "nltk"
NAMES = (CHITCHAT, CHATTERBOT, SMALLTALK, NLTK)

LANGUAGES = {
    "bangla": "bn",
    "bengali": "bn",
    "chinese": "zh",
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "hebrew": "he",
    "hindi": "hi",
    "hinglish": "hi-Latn",
    "indonesian": "id",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "marathi": "mr",
    "oriya": "or",
    "persian": "fa",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "swedish": "sv",
    "tamil": "ta",
    "tchinese": "zh-Hant",
    "telugu": "te",
    "thai": "th",
    "traditionalchinese": "zh-Hant",
    "turkish": "tr",
    "ukrainian": "uk",
    "urdu": "ur",
    "yoruba": "yo",
}
"""BCP 47 tags of the names languages go by here."""


def chitchat_file() -> Path:
    """The data file of the package chitchat-dataset.

    Raises:
        CorpusError: the package is not installed.
    """
    return _package("chitchat_dataset", "chitchat-dataset") / "dataset.json"


def chitchat_sha256() -> str:
    """The sha256 of chitchat's data file."""
    return file_sha256(chitchat_file())


def read_chitchat() -> Iterator[Conversation]:
    """Yield chitchat's conversations: each run of messages of one sender is a turn.

    Raises:
        CorpusError: the package is missing or damaged.
    """
    path = chitchat_file()
    try:
        records = json.loads(path.read_bytes())
        for key, record in records.items():
            turns = tuple(turn for run in record["messages"] if (turn := _run(run)) is not None)
            if turns:
                yield Conversation(key, CHITCHAT, turns, "en")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"cannot be read ({type(error).__name__}: {error})"
        raise CorpusError(str(path), what, "install chitchat-dataset again") from None


def chatterbot_languages() -> list[str]:
    """The languages of the installed chatterbot-corpus, by the names of its folders.

    Raises:
        CorpusError: the package is not installed.
    """
    data = _chatterbot_data()
    return sorted(folder.name for folder in data.iterdir() if any(folder.glob("*.yml")))


def chatterbot_files(language: str) -> list[Path]:
    """The files of one language, in the order of their names."""
    return sorted((_chatterbot_data() / language).glob("*.yml"))


def chatterbot_sha256(language: str) -> str:
    """The sha256 of the names and hashes of one language's files."""
    digest = hashlib.sha256()
    for path in chatterbot_files(language):
        digest.update(f"{path.name} {file_sha256(path)}\n".encode())
    return digest.hexdigest()


def read_chatterbot(language: str, notify: Notify) -> Iterator[Conversation]:
    """Yield the conversations of one language; an id is the file's subject and a hash of what is said."""
    return with_unique_ids(_chatterbot_conversations(language, notify))


def nltk_sha256(name: str) -> str:
    """The hash of a corpus of NLTK that the user has installed.

    Raises:
        CorpusError: there is no reader for it, or it is not installed.
    """
    return paths_sha256([nltk_corpora.place_of(name)])


def read_nltk(name: str, notify: Notify) -> Iterator[Conversation]:
    """Yield the conversations of a corpus of NLTK that the user has installed."""
    cutting, counts = Cutting.of(ReadingOptions()), Counter[str]()
    talks = nltk_corpora.read_nltk(name, Reading(notify))
    return with_unique_ids(
        conversation
        for talk in talks
        for conversation in conversations_of(talk, cutting, counts, f"{NLTK}:{name}")
    )


def smalltalk_folder() -> Path:
    """Our own corpus: in the package when installed from a wheel, else at the top of the repository.

    Raises:
        CorpusError: it is in neither place.
    """
    package = Path(__file__).resolve().parents[1]
    places = (package / "shipped" / "corpora" / SMALLTALK, package.parent / "corpora" / SMALLTALK)
    for place in places:
        if is_corpus(place):
            return place
    raise CorpusError(SMALLTALK, "is not in this installation", "install chatbot again")


def _run(messages: list[dict[str, Any]]) -> Turn | None:
    """One turn of a run of messages; None where they are all blank."""
    spoken = [message for message in messages if message["text"].strip()]
    if not spoken:
        return None
    text = " ".join(message["text"].strip() for message in spoken)
    return Turn(spoken[0]["sender"], whole(text), spoken[0].get("timestamp"))


def _chatterbot_conversations(language: str, notify: Notify) -> Iterator[Conversation]:
    for path in chatterbot_files(language):
        origin = f"{CHATTERBOT}:{language}, {path.name}"
        told = partial(_tell, notify, str(path), origin)
        for talk in chatterbot.read(Part(path), Reading(told)):
            turns = tuple(Turn(message.speaker, message.text) for message in talk.messages)
            identity = f"{path.stem}-{content_id(turn.text for turn in turns)}"
            yield Conversation(identity, origin, turns, LANGUAGES.get(language))


def _tell(notify: Notify, path: str, origin: str, notice: str) -> None:
    """Pass a notice on under the name the user knows the file by."""
    notify(notice.replace(path, origin))


def _chatterbot_data() -> Path:
    return _package("chatterbot_corpus", "chatterbot-corpus") / "data"


def _package(module: str, distribution: str) -> Path:
    """Where an installed package lies; it is not imported."""
    spec = importlib.util.find_spec(module)
    places = spec.submodule_search_locations if spec is not None else None
    if not places:
        raise CorpusError(module, "is not installed", f"pip install {distribution}")
    return Path(places[0])
