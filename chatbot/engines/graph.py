"""Graph: what is done to a traced network's ONNX before it is kept.

Parameters become references into the file of weights, so that they are on the disk once; what no reply
depends on leaves the step; and the step ends with the choice of the likeliest words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

KINDS = {"F32": TensorProto.FLOAT, "F16": TensorProto.FLOAT16, "BOOL": TensorProto.BOOL}
"""ONNX's types of those that a file of weights holds."""

HEADER = 8
"""Bytes of a file of weights that say how long its header is."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a tensor lies in a file of weights: type, shape, first byte and number of bytes."""

    kind: str
    shape: tuple[int, ...]
    offset: int
    length: int


def stored_tensors(weights: bytes) -> dict[str, Stored]:
    """The tensors of a file of weights in the safetensors format, by name."""
    size = int.from_bytes(weights[:HEADER], "little")
    header = json.loads(weights[HEADER : HEADER + size])
    header.pop("__metadata__", None)
    first = HEADER + size
    return {
        name: Stored(
            entry["dtype"],
            tuple(entry["shape"]),
            first + entry["data_offsets"][0],
            entry["data_offsets"][1] - entry["data_offsets"][0],
        )
        for name, entry in header.items()
    }


def refer(graph: GraphProto, tensors: Mapping[str, Stored], location: str, prefix: str) -> None:
    """Let initializers that are stored tensors lie where they are stored.

    What is stored in half precision is cast to single: of a table that is only looked up in, what was found;
    of everything else, the whole, once, when the graph is loaded.

    Args:
        location: the file's name, in the folder of the graph.
        prefix: what the graph puts before a tensor's name.
    """
    casts: list[NodeProto] = []
    for initializer in graph.initializer:
        stored = tensors.get(initializer.name.removeprefix(prefix))
        if stored is None or not initializer.name.startswith(prefix):
            continue
        assert tuple(initializer.dims) == stored.shape, initializer.name
        name = initializer.name
        _point(initializer, stored, location)
        if stored.kind == "F16":
            initializer.name = f"half.{name}"
            casts += _casts(graph, initializer.name, name)
    for cast in reversed(casts):
        graph.node.insert(0, cast)


def prune(reading: ModelProto, step: ModelProto) -> None:
    """Take out what no reply depends on: of the memory and of the state, and what made it."""
    wanted = {"logits", "weights"}
    while True:
        used = _reached(step.graph, wanted)
        grown = wanted | {name.replace("state.", "next.") for name in used if name.startswith("state.")}
        if grown == wanted:
            break
        wanted = grown
    _keep(step.graph, wanted, used)
    needed = {each.name for each in step.graph.input} - {"tokens", "focus"} | {"vectors"}
    _keep(reading.graph, needed, _reached(reading.graph, needed) | {"src"})


def _reached(graph: GraphProto, wanted: Iterable[str]) -> set[str]:
    """All names that some names are computed from, themselves among them."""
    makers = {output: node for node in graph.node for output in node.output}
    reached: set[str] = set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _read(makers[name]) if name in makers else []
    return reached


def _read(node: NodeProto) -> list[str]:
    """All names a node reads, those among them that its branches take from around it."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        for branch in [attribute.g, *attribute.graphs]:
            names += [name for inner in branch.node for name in _read(inner)]
            names += [output.name for output in branch.output]
    return names


def _keep(graph: GraphProto, outputs: set[str], used: set[str]) -> None:
    """Leave of a graph these outputs and what they are made of."""
    kept = [each for each in graph.output if each.name in outputs]
    inputs = [each for each in graph.input if each.name in used]
    nodes = [node for node in graph.node if used & set(node.output)]
    weights = [each for each in graph.initializer if each.name in used]
    for field, values in (("output", kept), ("input", inputs), ("node", nodes), ("initializer", weights)):
        graph.ClearField(field)
        getattr(graph, field).extend(values)


def drop_unused(graph: GraphProto) -> None:
    """Take out what no output is made of; inputs stay."""
    outputs = {each.name for each in graph.output}
    _keep(graph, outputs, _reached(graph, outputs) | {each.name for each in graph.input})


def insert_after(graph: GraphProto, node: NodeProto, new: Sequence[NodeProto]) -> None:
    """Put nodes behind another, in their order."""
    place = next(i for i, each in enumerate(graph.node) if each is node or each == node)
    for each in reversed(new):
        graph.node.insert(place + 1, each)


def choose(graph: GraphProto) -> None:
    """Let a step end with the likeliest words instead of the logits.

        log p = log softmax(logits), with the bias added where it applies; then the k best

    The vocabulary-wide numbers never leave the graph. Inputs: "bias.at" [entries, 2] (row and token), "bias"
    [entries], "k" [1]; outputs "log_probs" and "best" [rows, k] in the place of "logits".
    """
    new = helper.make_node
    graph.node.extend(
        [
            new("LogSoftmax", ["logits"], ["choice.all"], axis=-1),
            new("ScatterND", ["choice.all", "bias.at", "bias"], ["choice.biased"], reduction="add"),
            new("TopK", ["choice.biased", "k"], ["log_probs", "best"], axis=-1),
        ]
    )
    graph.input.extend(
        [
            helper.make_tensor_value_info("bias.at", TensorProto.INT64, ["entries", 2]),
            helper.make_tensor_value_info("bias", TensorProto.FLOAT, ["entries"]),
            helper.make_tensor_value_info("k", TensorProto.INT64, [1]),
        ]
    )
    others = [each for each in graph.output if each.name != "logits"]
    graph.ClearField("output")
    graph.output.extend(
        [
            helper.make_tensor_value_info("log_probs", TensorProto.FLOAT, ["rows", "k"]),
            helper.make_tensor_value_info("best", TensorProto.INT64, ["rows", "k"]),
            *others,
        ]
    )


def _point(initializer: TensorProto, stored: Stored, location: str) -> None:
    """Make an initializer a reference to a part of a file."""
    initializer.ClearField("raw_data")
    initializer.data_type = KINDS[stored.kind]
    initializer.data_location = TensorProto.EXTERNAL
    place = {"location": location, "offset": stored.offset, "length": stored.length}
    del initializer.external_data[:]
    for key, value in place.items():
        initializer.external_data.add(key=key, value=str(value))


def _casts(graph: GraphProto, half: str, name: str) -> list[NodeProto]:
    """A cast of the whole tensor where it is needed, after lookups are made to cast what they find."""
    lookups = [node for node in graph.node if node.op_type == "Gather" and node.input[0] == name]
    for node in lookups:
        node.input[0] = half
        found = node.output[0]
        node.output[0] = f"half.{found}"
        cast = helper.make_node("Cast", [node.output[0]], [found], to=TensorProto.FLOAT)
        insert_after(graph, node, [cast])
    needed = any(name in _read(node) for node in graph.node)
    return [helper.make_node("Cast", [half], [name], to=TensorProto.FLOAT)] if needed else []
