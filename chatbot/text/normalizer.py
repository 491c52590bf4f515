"""The one normaliser, used in training and in chat alike and stored inside ``tokenizer.json``.

Removes what nobody can see (control characters, byte-order marks, directional marks), composes
(Unicode NFC, UAX 15), makes quotation marks and apostrophes plain, turns each run of white space into
one space and trims the ends. Letters, digits, marks, symbols and emoji of every script stay; so do
the joiners that emoji and several scripts need (U+200C, U+200D) and variation selectors.

It is a ``tokenizers`` normaliser, so offsets point into the text as it was typed.
"""

from __future__ import annotations

import re

from tokenizers import Regex, normalizers

_INVISIBLE = (
    r"[\u0000-\u0008\u000E-\u001B\u007F-\u0084\u0086-\u009F"  # controls that are no white space
    r"\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]"
)
_SPACE = r"[\s\u0009-\u000D\u001C-\u001F\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+"
_SINGLE_QUOTE = r"[\u2018\u2019\u201B\u02BC\uFF07]"
_DOUBLE_QUOTE = r"[\u201C\u201D\u201F\uFF02]"

_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE_PATTERN = re.compile(_INVISIBLE[:-1] + r"\t-\r\u001C-\u001F\u0085\u2028\u2029]")


def build_normalizer(lower: bool) -> normalizers.Normalizer:
    """The normaliser as a ``tokenizers`` object.

    Args:
        lower: lower-case as well (Unicode's simple mapping).
    """
    steps: list[normalizers.Normalizer] = [
        normalizers.Replace(Regex(_INVISIBLE), ""),
        normalizers.NFC(),
        normalizers.Replace(Regex(_SINGLE_QUOTE), "'"),
        normalizers.Replace(Regex(_DOUBLE_QUOTE), '"'),
        normalizers.Replace(Regex(_SPACE), " "),
        normalizers.Strip(),
    ]
    if lower:
        steps += [normalizers.Lowercase(), normalizers.NFC()]
    return normalizers.Sequence(steps)


def encodable(text: str) -> str:
    """The text with half surrogate pairs (half an emoji) made U+FFFD; its length does not change."""
    return _SURROGATE.sub("\ufffd", text)


def invisible_removed(text: str) -> str:
    """The text without control characters, line ends and directional marks."""
    return _INVISIBLE_PATTERN.sub("", text)
