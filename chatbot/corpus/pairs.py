"""From a conversation to pairs of something said and the reply it got.

Every turn is the reply to the turn before it, or to the one its ``to`` names, and a turn may be both
question and reply: A1 B1 A2 gives (A1, B1) and (B1, A2). Nobody answers himself, and a conversation of one
turn gives no pair. ``docs/pairs.md`` has the rule with an example.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from chatbot.corpus.conversation import NOBODY, Conversation, Pair, Turn


def pairs_of(conversation: Conversation, context: int = 0, me: str = "") -> Iterator[Pair]:
    """Yield the pairs of a conversation in order; neither side of a pair is blank.

    Args:
        context: how many turns before the question its src holds as well, where there are so many.
        me: the speaker whose turns are the replies; "": every speaker.
    """
    turns = joined(conversation.turns)
    for at, turn in enumerate(turns):
        before = at - 1 if turn.to is None else turn.to
        if before == NOBODY or turns[before].speaker == turn.speaker or (me and turn.speaker != me):
            continue
        if is_blank(turn.text) or is_blank(turns[before].text):
            continue
        if not context:
            yield Pair((turns[before].text.strip(),), turn.text.strip(), conversation.id)
            continue
        src = [before]
        while len(src) <= context and (before := _before(turns, before)) != NOBODY:
            src.append(before)
        said = [turns[number] for number in reversed(src)]
        own = tuple(earlier.speaker == turn.speaker for earlier in said)
        yield Pair(
            tuple(earlier.text.strip() for earlier in said),
            turn.text.strip(),
            conversation.id,
            own if any(own) else (),
        )


def reversed_pair(pair: Pair) -> Pair:
    """What was said as the reply to its reply; turns before it are left out."""
    return Pair((pair.tgt,), pair.src[-1], pair.conversation)


def joined(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns of a conversation, blank ones dropped and those of one speaker in a row made one.

    Two that have a time stay two: whoever read them knew of the pause between them. So do all turns of a
    conversation in which one names another.
    """
    if any(turn.to is not None for turn in turns) or not _needs_joining(turns):
        return turns
    found: list[Turn] = []
    for turn in turns:
        if is_blank(turn.text):
            continue
        last = found[-1] if found else None
        if last is not None and turn.speaker == last.speaker and (turn.time is None or last.time is None):
            found[-1] = Turn(turn.speaker, f"{last.text.strip()} {turn.text.strip()}", last.time)
        else:
            found.append(turn)
    return found


def is_blank(text: str) -> bool:
    """Whether nobody would see anything: only white space, control codes and invisible characters."""
    if text[:1].isalnum():
        return False
    return all(char.isspace() or unicodedata.category(char) in _UNSEEN for char in text)


def _before(turns: Sequence[Turn], at: int) -> int:
    """The turn that turn ``at`` answers, or NOBODY."""
    to = turns[at].to
    return at - 1 if to is None else to


def _needs_joining(turns: Sequence[Turn]) -> bool:
    speaker = None
    for turn in turns:
        if turn.speaker == speaker or is_blank(turn.text):
            return True
        speaker = turn.speaker
    return False


_UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs"}
