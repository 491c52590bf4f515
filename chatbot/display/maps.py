"""stub until merge"""

from rich.text import Text

from chatbot.display.words import attention_lines

MAPS = {
    "words": lambda attention, console: [
        Text(line, "dim") for line in attention_lines(attention, console.width)
    ]
}
