"""The house keeps its shape: floors, light imports, nothing that runs code from a file, docstrings."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import chatbot
import chatbot.errors

PACKAGE = Path(chatbot.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
TREES = {path.relative_to(PACKAGE.parent).as_posix(): ast.parse(path.read_text("utf-8")) for path in SOURCES}

FLOORS: list[set[str]] = [
    {"errors", "files", "option"},
    {"text", "corpus", "display"},
    {"dataset", "nn"},
    {"decoding"},
    {"config"},
    {"checkpoint"},
    {"build"},
    {"engines"},
    {"trust"},
    {"reply"},
    {"evaluation"},
    {"training"},
    {"bot"},
    {"repl", "comparison"},
    {"cli"},
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}

NEVER = {
    "text": {"torch"},
    "corpus": {"torch"},
    "display": {"torch"},
    "config": {"torch"},
    "checkpoint": {"torch"},
    "files": {"torch"},
    "errors": {"torch"},
    "nn": {"numpy", "nltk", "tokenizers", "safetensors"},
    "decoding": {"torch", "tokenizers", "safetensors", "nltk"},
}

PICKLES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
CODE_FROM_DATA = {"eval", "exec", "compile", "__import__", "torch.load", "torch.jit.load", "os.system"}
NETWORK = {"socket", "ssl", "urllib", "http", "requests", "httpx", "huggingface_hub", "ftplib", "smtplib"}
HEAVY = {"torch", "nltk", "onnxruntime"}
MAIN = "import sys; from chatbot.cli import main; sys.argv[0] = 'chatbot'; main()"


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module a source names in an import, wherever in it the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(module: str) -> str:
    """The room of a module, given by its dotted name or by its path; "" for the front door itself."""
    parts = module.removesuffix(".py").replace("/", ".").split(".")
    return parts[1] if len(parts) > 1 and parts[1] in FLOOR else ""


def upward(tree: ast.AST, here: str) -> list[str]:
    """The imports by which a module of the room ``here`` reaches up or next door."""
    rooms = {room(name) for name in imported(tree) if name.split(".")[0] == "chatbot"} - {"", here}
    return sorted(r for r in rooms if FLOOR[r] >= FLOOR[here] and not {r, here} <= FLOORS[0])


def dangerous(tree: ast.AST) -> list[str]:
    """Imports and calls by which data could run as code."""
    found = [name for name in imported(tree) if name.split(".")[0] in PICKLES]
    assigned = {
        ast.unparse(node.targets[0]): ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        loader = options.get("Loader") or (ast.unparse(call.args[1]) if len(call.args) > 1 else "")
        if name in CODE_FROM_DATA:
            found.append(name)
        if re.fullmatch(r"yaml\.\w*load\w*", name) and not name.startswith("yaml.safe_"):
            found += [] if re.search("SafeLoader|BaseLoader", assigned.get(loader, loader)) else [name]
        if options.get("allow_pickle", "False") != "False" or options.get("shell", "False") != "False":
            found.append(ast.unparse(call))
    return found


def speaking(tree: ast.AST) -> list[str]:
    """Where a source prints, exits or touches stdout: the command line's business alone."""
    words = {"print", "input", "exit", "quit", "SystemExit", "sys.exit", "os._exit", "sys.stdout"}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute))
    return [name for node in nodes if (name := ast.unparse(node)) in words]


def undocumented(tree: ast.Module) -> list[str]:
    """The public functions and classes of a module, and the module itself, that say nothing of themselves."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    public = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    missing = [node.name for node in public if not ast.get_docstring(node)]
    return missing if ast.get_docstring(tree) else ["the module", *missing]


def long_functions(tree: ast.AST, most: int) -> dict[str, int]:
    """The functions and methods of more than ``most`` lines, docstring included."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    lengths = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in nodes}
    return {name: lines for name, lines in lengths.items() if lines > most}


def loaded_by(code: str, *arguments: str, folder: Path, said: str = "") -> set[str]:
    """The top-level modules that a fresh interpreter loads while it runs ``code``."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("COV", "CHATBOT"))}
    environment["PYTHONPATH"] = str(PACKAGE.parent)  # this package, whatever is installed
    command = [sys.executable, "-X", "importtime", "-c", code, *arguments]
    ran = subprocess.run(
        command, cwd=folder, env=environment, input=said, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    lines = (line for line in ran.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip().split(".")[0] for line in lines}


def test_imports_point_down() -> None:
    found = {source: upward(tree, room(source)) for source, tree in TREES.items() if room(source)}
    assert {source: rooms for source, rooms in found.items() if rooms} == {}


def test_every_room_is_on_a_floor() -> None:
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in SOURCES}
    assert rooms - {"__init__", "__main__"} <= set(FLOOR)


def test_upward_import_is_seen() -> None:
    tree = ast.parse("def f():\n    from chatbot.text import normalise\n    import chatbot.cli.chat\n")
    assert upward(tree, "corpus") == ["cli", "text"]


def test_room_keeps_from_foreign_libraries() -> None:
    for source, tree in TREES.items():
        roots = {name.split(".")[0] for name in imported(tree)}
        assert roots & NEVER.get(room(source), set()) == set(), source


def test_import_chatbot_loads_nothing_heavy(tmp_path: Path) -> None:
    loaded = loaded_by("import chatbot", folder=tmp_path)
    assert "chatbot" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("line", ["--help", "chat --help", "train --help", "corpus list"])
def test_light_command_loads_nothing_heavy(line: str, tmp_path: Path) -> None:
    loaded = loaded_by(MAIN, *line.split(), folder=tmp_path)
    assert "click" in loaded
    assert loaded & HEAVY == set()


def test_piped_chat_loads_no_torch(tiny_checkpoint: Path, tmp_path: Path) -> None:
    loaded = loaded_by(MAIN, "chat", str(tiny_checkpoint), folder=tmp_path, said="hello\n")
    assert {"onnxruntime", "tokenizers"} <= loaded
    assert loaded & {*HEAVY, "rich", "prompt_toolkit", "phonenumbers", "onnx"} == {"onnxruntime"}


def test_nothing_is_told_to_the_makers_of_the_runtime(tiny_checkpoint: Path, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}  # a device number is kept there
    command = [sys.executable, "-c", MAIN, "chat", str(tiny_checkpoint), "--question", "hello"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=60)
    assert list(tmp_path.iterdir()) == []


def test_only_the_command_line_prints_or_exits() -> None:
    found = {source: speaking(tree) for source, tree in TREES.items() if room(source) not in {"cli", "repl"}}
    assert {source: words for source, words in found.items() if words} == {}


def test_nothing_opens_a_connection() -> None:
    found = {
        source: NETWORK & {name.split(".")[0] for name in imported(tree)} for source, tree in TREES.items()
    }
    assert {source: modules for source, modules in found.items() if modules} == {}


def test_no_data_runs_as_code() -> None:
    found = {source: dangerous(tree) for source, tree in TREES.items()}
    assert {source: calls for source, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "def f():\n    from cloudpickle import loads",
        "torch.load(path, weights_only=True)",
        "np.load(path, allow_pickle=True)",
        "yaml.load(text, Loader=yaml.Loader)",
        "LOADER = yaml.UnsafeLoader\nyaml.load_all(text, LOADER)",
        "yaml.unsafe_load(text)",
        "subprocess.run(line, shell=True)",
        "exec(open(path).read())",
    ],
)
def test_code_from_data_is_seen(code: str) -> None:
    assert dangerous(ast.parse(code)) != []


@pytest.mark.parametrize(
    "code", ["B = yaml.BaseLoader\nyaml.load(f, Loader=B)", "yaml.safe_load(f)", "model.eval()"]
)
def test_safe_loading_is_allowed(code: str) -> None:
    assert dangerous(ast.parse(code)) == []


def test_all_is_what_is_exported() -> None:
    imports = (node for node in ast.walk(TREES["chatbot/__init__.py"]) if isinstance(node, ast.ImportFrom))
    declared = {a.name for node in imports if str(node.module).startswith("chatbot.") for a in node.names}
    assert set(chatbot.__all__) == set(dir(chatbot)) == declared | {"__version__"}
    assert {getattr(chatbot, name).__name__ for name in declared} == declared


def test_every_error_is_exported() -> None:
    errors = {name for name, value in vars(chatbot.errors).items() if isinstance(value, type)}
    assert errors <= set(chatbot.__all__)


def test_no_module_without_a_noun() -> None:
    nameless = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert [p for p in SOURCES if p.stem.strip("_") in nameless or p.parent.name in nameless] == []


def test_public_names_have_docstrings() -> None:
    found = {source: undocumented(tree) for source, tree in TREES.items()}
    assert {source: names for source, names in found.items() if names} == {}


def test_no_function_is_over_60_lines() -> None:
    found = {source: long_functions(tree, 60) for source, tree in TREES.items()}
    assert {source: lengths for source, lengths in found.items() if lengths} == {}
