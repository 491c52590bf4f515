"""Addresses on a network in a text: e-mail, links, IP addresses, handles; and keys of programs.

The texts come with full-width characters made plain, see ``chatbot.corpus.privacy.personal``.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from chatbot.corpus.privacy.finding import EMAIL, HANDLE, IP, KEY, LETTER, LINK, UNSPACED, Found

_ALNUM = f"{LETTER}0-9"
_LABEL = f"[{_ALNUM}](?:[{_ALNUM}-]{{0,61}}[{_ALNUM}])?"

_COUNTRY_CODES = (
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by "
    "bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi "
    "fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in "
    "io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md "
    "me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe "
    "pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st "
    "su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu "
    "wf ws ye yt za zm zw рф укр"
)
_GENERIC = (
    "com org net edu gov mil int info biz name pro mobi app dev xyz site online store shop blog cloud tech "
    "space website page link live news wiki world today social chat club fun games group agency art design "
    "email global icu life media network one photos pics studio systems team tools top video vip work zone"
)
_COUNTRIES = frozenset(_COUNTRY_CODES.split())
_KNOWN = _COUNTRIES | frozenset(_GENERIC.split())
_ALONE = {"com", "org", "net", "edu", "gov", "info", "biz", "de", "ru", "cn", "рф"}
"""Ends of domains that make a link without any path: no words, and no ends of file names."""

_SECOND = {"co", "com", "org", "net", "ac", "gov", "edu"}
_NO_DOMAINS = {"asp.net", "ado.net", "vb.net", "ml.net"}

_EMAIL = re.compile(
    rf"(?<![{_ALNUM}])[{_ALNUM}][{_ALNUM}._%+'-]{{0,63}}"
    rf"(?:@|\s?[(\[](?:at|AT)[)\]]\s?)"
    rf"{_LABEL}(?:(?:\.|\s?[(\[](?:dot|DOT)[)\]]\s?){_LABEL}){{1,8}}(?![{_ALNUM}])"
)
_DOT = re.compile(r"\.|\s?[(\[](?:dot|DOT)[)\]]\s?")

_REST = f"[^\\s<>\"'`{UNSPACED}、。，；：！？（）《》「」『』【】〈〉“”‘’…|\\\\^{{}}]"
_SCHEME = re.compile(
    rf"(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9+.-]{{1,15}}://|[Ww]{{3}}\.(?=[{_ALNUM}])){_REST}+"
)
_DOMAIN = re.compile(
    rf"(?<![{_ALNUM}@./\\_-])((?:{_LABEL}\.){{1,6}}([a-zA-Z]{{2,12}}|рф|укр))(?![{_ALNUM}-]|\.[{_ALNUM}]|@)"
    rf"((?::\d{{2,5}})?(?:[/?#]{_REST}*)?)"
)
_CLOSERS = {")": "(", "]": "["}

_NAME = rf"[{LETTER}_][{_ALNUM}_]*(?:[.-][{_ALNUM}_]+)*"
_HANDLE = re.compile(
    rf"<@[!&]?[A-Za-z0-9]{{6,24}}(?:\|[^<>|]{{1,64}})?>"
    rf"|(?<![{_ALNUM}_@./%$#&*-])@(?:{_NAME}|\d{{7,15}}(?!\d))(?:[:@]{_LABEL}(?:\.{_LABEL})+(?::\d{{2,5}})?)?"
    rf"|(?<![{_ALNUM}@])@[{UNSPACED}][{UNSPACED}{_ALNUM}_]{{1,15}}(?=\s|$)"
)
_PLACES = {
    "home",
    "work",
    "school",
    "noon",
    "night",
    "midnight",
    "the",
    "my",
    "all",
    "least",
    "media",
    "override",
}
"""What people write after "@" for "at", or programs for something else."""

_IPV4 = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?!\d|\.\d)(?::\d{2,5}|/\d{1,2})?(?!\d)", re.ASCII)
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])", re.ASCII)
_BEFORE_VERSION = re.compile(r"(?:\bv|version|release|build|[A-Za-z]/)[ .:]?$", re.IGNORECASE)

_KEY = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}|hf_[A-Za-z0-9]{30,}"
    r"|A[KS]IA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}"
    r")(?![A-Za-z0-9])",
    re.ASCII,
)
_HEX = re.compile(r"(?<![A-Za-z0-9])(?:[0-9a-f]{32,}|[0-9A-F]{32,})(?![A-Za-z0-9])")
_BASE64 = re.compile(
    r"(?<![A-Za-z0-9_+/=-])(?:[A-Za-z0-9_-]{40,}={0,2}|[A-Za-z0-9+/]{40,}={1,2})(?![A-Za-z0-9_+/=-])"
)
_LEAST_DIFFERENT = 8  # of 32 random hexadecimal digits all but one in a million have more than this


def emails(text: str) -> Iterator[Found]:
    """E-mail addresses, "ann (at) example.org" too."""
    for match in _EMAIL.finditer(text):
        yield Found(EMAIL, match.start(), match.start() + _end_of_domain(match.group()))


def links(text: str) -> Iterator[Found]:
    """URLs of any scheme, what starts with "www.", and domains: of a common end, or of any with a path."""
    for match in _SCHEME.finditer(text):
        yield Found(LINK, match.start(), match.start() + len(_trimmed(match.group())))
    for match in _DOMAIN.finditer(text):
        domain, top, path = match.group(1).lower(), match.group(2).lower(), match.group(3)
        if domain not in _NO_DOMAINS and (_stands_alone(domain) or (top in _KNOWN and path[:1] == "/")):
            yield Found(LINK, match.start(), match.start() + len(_trimmed(match.group())))


def handles(text: str) -> Iterator[Found]:
    """Names after "@" of two characters or more, with a server or without; mentions as <@U123456>."""
    for match in _HANDLE.finditer(text):
        name = match.group()
        if name[0] == "<" or (len(name) > 2 and name[1:].lower() not in _PLACES):
            yield Found(HANDLE, *match.span())


def ips(text: str) -> Iterator[Found]:
    """IPv4 addresses, with a port or a mask too, and IPv6 addresses; no versions and no times."""
    for match in _IPV4.finditer(text):
        before = text[max(0, match.start() - 9) : match.start()]
        if _is_ip(match.group(1)) and _BEFORE_VERSION.search(before) is None:
            yield Found(IP, *match.span())
    for match in _IPV6.finditer(text):
        groups = [group for group in match.group().split(":") if group]
        looks = (
            len(groups) > 1 and max(map(len, groups)) > 2 and any(char.isdigit() for char in match.group())
        )
        if looks and _is_ip(match.group()):
            yield Found(IP, *match.span())


def keys(text: str) -> Iterator[Found]:
    """What programs use as passwords: of a known form, or long and random in hexadecimal or base 64."""
    for match in _KEY.finditer(text):
        yield Found(KEY, *match.span())
    for match in _HEX.finditer(text):
        if len(set(match.group())) > _LEAST_DIFFERENT and not match.group().isdigit():
            yield Found(KEY, *match.span())
    for match in _BASE64.finditer(text):
        if _is_random(match.group()):
            yield Found(KEY, *match.span())


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_random(word: str) -> bool:
    digits = sum(char.isdigit() for char in word)
    cases = {char.isupper() for char in word if char.isalpha()}
    return digits >= 3 and len(cases) == 2 and len(set(word)) > 2 * _LEAST_DIFFERENT


def _stands_alone(domain: str) -> bool:
    labels = domain.split(".")
    if labels[-1] in _ALONE:
        return any(char.isalpha() for char in labels[-2])
    return len(labels) > 2 and labels[-2] in _SECOND and labels[-1] in _COUNTRIES


def _end_of_domain(address: str) -> int:
    """How much of an address it is: "ann@example.org.Then" ends before a word that is no end of a domain."""
    dots = [match.start() for match in _DOT.finditer(address, address.rindex("@") if "@" in address else 0)]
    ends = [*dots[1:], len(address)]
    labels = [_DOT.sub("", address[start:end]).lower() for start, end in zip(dots, ends, strict=True)]
    if labels[-1] in _KNOWN:
        return len(address)
    known = [end for label, end in zip(labels, ends, strict=True) if label in _KNOWN]
    return known[-1] if known else len(address)


def _trimmed(link: str) -> str:
    """A link without the punctuation of the sentence it ends."""
    surplus = {closer: link.count(closer) - link.count(opener) for closer, opener in _CLOSERS.items()}
    end = len(link)
    while end and (link[end - 1] in ".,;:!?*_~" or surplus.get(link[end - 1], 0) > 0):
        end -= 1
        if link[end] in surplus:
            surplus[link[end]] -= 1
    return link[:end]
