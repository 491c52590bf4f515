"""Slack's text: its people and channels by their ids, and its markup as people see it.

    <@U01> <@U01|ann>          @Ann            <#C01|general> <#C01>     #general
    <https://x.org|here>       here            <https://x.org>           https://x.org
    <!here> <!subteam^S1|@all> @here @all      &lt; &gt; &amp;           < > &

Source: https://api.slack.com/reference/surfaces/formatting.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from chatbot.corpus.formats.roster import Roster

_MARKUP = re.compile(r"<([^<>\n]{1,4000})>|&(lt|gt|amp);")
_ESCAPES = {"lt": "<", "gt": ">", "amp": "&"}
_SCHEMES = ("mailto:", "tel:")
_SLACKBOT = "USLACKBOT"


class People:
    """Users and channels of a workspace by their ids."""

    def __init__(self) -> None:
        self._roster = Roster()
        self._channels: dict[str, str] = {}
        self._bots = {_SLACKBOT}

    def add_user(self, identity: str, record: Mapping[str, Any]) -> None:
        """Note a user as ``users.json`` has her."""
        self._roster.name(identity, _names(record))
        if record.get("is_bot") is True:
            self._bots.add(identity)

    def add_channel(self, identity: str, record: Mapping[str, Any]) -> None:
        """Note a channel as ``channels.json`` has it."""
        self._channels[identity] = unescaped(_text(record.get("name")))

    def name(self, identity: str) -> str:
        """The name of a user; the id where nothing is known of it."""
        return self._roster.name(identity)

    def channel(self, identity: str) -> str:
        """The name of a channel; "" where nothing is known of it."""
        return self._channels.get(identity, "")

    def knows(self, identity: str) -> bool:
        """Whether there is a user of that id."""
        return identity in self._roster

    def is_bot(self, identity: Any) -> bool:
        """Whether a user is no person."""
        return isinstance(identity, str) and identity in self._bots

    def author(self, record: Mapping[str, Any]) -> str:
        """Who wrote a message: a user, one of another workspace, or a bot; "" where it does not say."""
        user = _text(record.get("user"))
        if user:
            return self._roster.name(user, _names(record.get("user_profile")))
        profile = record.get("bot_profile")
        named = _text(record.get("username")) or _text(
            profile.get("name") if isinstance(profile, dict) else ""
        )
        return unescaped(named) or _text(record.get("bot_id"))


def plain(text: str, people: People) -> tuple[str, tuple[str, ...]]:
    """The text as people see it, and who is mentioned in it. Escapes are decoded once."""
    mentions: dict[str, None] = {}

    def shown(found: re.Match[str]) -> str:
        inner = found[1]
        if inner is None:
            return _ESCAPES[found[2]]
        if not inner.startswith("@"):
            return _link(inner, people)
        identity, _, label = inner[1:].partition("|")
        name = people.name(identity) if people.knows(identity) or not label else unescaped(label)
        mentions[name] = None
        return f"@{name}"

    return _MARKUP.sub(shown, text), tuple(mentions)


def unescaped(text: str) -> str:
    """The text with Slack's three escapes decoded once."""
    return _ESCAPE.sub(lambda found: _ESCAPES[found[1]], text)


_ESCAPE = re.compile(r"&(lt|gt|amp);")


def _link(inner: str, people: People) -> str:
    """What is shown of markup that mentions no user."""
    target, _, label = inner.partition("|")
    label = unescaped(label)
    if target.startswith("#"):
        return "#" + (label or people.channel(target[1:]) or target[1:])
    if target.startswith("!"):
        name = label or target[1:].rpartition("^")[2]
        return name if target.startswith("!date^") or name.startswith("@") else f"@{name}"
    for scheme in _SCHEMES:
        target = target.removeprefix(scheme)
    return label or unescaped(target)


def _names(record: Any) -> tuple[str, ...]:
    """What a user goes by: display name, real name, user name."""
    if not isinstance(record, dict):
        return ()
    profile = record.get("profile")
    places = [profile if isinstance(profile, dict) else {}, record]
    names = [
        unescaped(_text(place.get(key))).strip()
        for key in ("display_name", "real_name", "name")
        for place in places
    ]
    return tuple(dict.fromkeys(name for name in names if name))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
