"""Every command there is, in the order of the help; and how a line is recognised and carried out."""

from __future__ import annotations

from difflib import get_close_matches

from chatbot.display.maps import MAPS
from chatbot.errors import OptionError
from chatbot.repl.commands import filing, keeping, moving, searching, showing
from chatbot.repl.commands.command import SLASH, Command, words
from chatbot.repl.screen import Screen
from chatbot.repl.talk import OFF, Talk


def is_command(line: str) -> bool:
    """Whether a line is a command; one that starts with two slashes is not."""
    line = line.lstrip()
    return line.startswith(SLASH) and not line.startswith(SLASH * 2)


def as_question(line: str) -> str:
    """What a line that is no command asks: itself, without the first of two slashes."""
    return line.lstrip()[1:] if line.lstrip().startswith(SLASH * 2) else line


def dispatch(line: str, talk: Talk, screen: Screen) -> None:
    """Carry out a command.

    Raises:
        OptionError: no such command, or not with that argument.
        EOFError: the conversation is over.
    """
    name, *rest = line.split(maxsplit=1)
    command = next((one for one in COMMANDS if one.name == name), None)
    if command is None:
        raise OptionError(name, "no such command", _advice(name))
    command.run(talk, screen, "".join(rest).strip())


def _advice(name: str) -> str:
    near = get_close_matches(name, [one.name for one in COMMANDS], n=3)
    meant = f"did you mean {' or '.join(near)}?" if near else "/help lists the commands"
    return f"{meant} To say it, type /{name}"


def _help(talk: Talk, screen: Screen, argument: str) -> None:
    screen.table((f"{one.name} {one.argument}".strip(), one.help) for one in COMMANDS)
    screen.say("Start with // to say something that begins with a slash.")
    screen.say('Alt-Enter, or """ around it, makes a question of several lines; Ctrl-X Ctrl-E opens $EDITOR.')


COMMANDS = (
    Command("/help", "", "show this list", _help),
    Command(
        "/attention",
        f"[{'|'.join((OFF, *MAPS))}]",
        "show what each reply word looked at",
        showing.attention,
        words(OFF, *MAPS),
    ),
    Command("/candidates", "[N]", "show the N best replies; a number picks one", showing.candidates),
    Command("/beam", "[N]", "search with N hypotheses side by side", searching.beam),
    Command("/sample", "[TEMPERATURE]", "draw each word by its probability", searching.sample),
    Command("/greedy", "", "take the likeliest token at each step, as /beam 1", searching.greedy),
    Command("/seed", "N", "draw as that number says", searching.seed),
    Command(
        "/set",
        "NAME VALUE",
        "change an option of the search",
        searching.set_option,
        searching.option_endings,
    ),
    Command("/settings", "", "list the options of the search", searching.settings),
    Command(
        "/checkpoint",
        "[NAME]",
        "let another checkpoint answer, or tell which one does",
        searching.checkpoint,
        searching.checkpoint_names,
    ),
    Command("/context", "[N]", "read each question with the N turns before it", searching.context),
    Command("/clear", "", "forget what was said before", moving.clear),
    Command("/retry", "", "answer the last question in another way", moving.retry),
    Command("/undo", "", "take the last question and its reply back", moving.undo),
    Command("/edit", "", "take the last question back and change it", moving.edit),
    Command("/why", "[N]", "show the training pairs nearest to the last question", showing.why),
    Command(
        "/focus",
        "WORD...",
        "answer the last question again, looking more at these words of it",
        showing.focus,
        showing.question_words,
    ),
    Command("/teach", "BETTER REPLY", "keep what should have been said, to train on", keeping.teach),
    Command("/good", "", "keep the last reply as one to learn", keeping.good),
    Command("/bad", "", "keep the last reply as one not to give", keeping.bad),
    Command(
        "/save",
        "FILE",
        "write the conversation as lines that /load reads",
        filing.save,
        filing.files(".jsonl"),
    ),
    Command(
        "/load", "FILE", "go on from a conversation that /save wrote", filing.load, filing.files(".jsonl")
    ),
    Command(
        "/transcript",
        "FILE.html",
        "write the conversation and its attention as a page",
        filing.transcript,
        filing.files(".html"),
    ),
    Command("/private", "[on|off]", "keep nothing of what is typed", keeping.private, words("on", "off")),
    Command("/quit", "", "leave, as Ctrl-D does", moving.leave),
)
"""Every command there is, in the order of the help."""
