"""Narrowing: the matrices of a step in 8 bits, where size and speed count for more than every last reply."""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, helper, numpy_helper

from chatbot.engines.graph import drop_unused, insert_after

BLOCK = 32
"""Numbers of a row that share a scale. With 128 a file is 8 % smaller and half again as many replies change
(docs/replies.md)."""

LEAST = 2**15
"""Numbers a matrix must have to be worth it."""

LEVELS, MIDDLE = 127, 128
"""Steps to each side of zero, and what stands for zero."""

PRODUCTS = 4
"""ONNX Runtime's word for: multiply 8 bits with 8 bits. What is multiplied with is scaled by blocks of its
own row, so that batch-mates change nothing."""


def narrow(step: bytes, weights: dict[str, NDArray[np.float32]], prefix: str) -> bytes:
    """A step whose large matrices are rounded to 8 bits, a scale for each ``BLOCK`` numbers of a row.

        w ≈ s (q - 128),   s = max |w| / 127 over the block

    Args:
        weights: the stored ones, by name; ``prefix`` stands before a name in the graph.
    """
    model = onnx.load_from_string(step)
    graph = model.graph
    makers = {output: node for node in graph.node for output in node.output}
    narrowed: set[str] = set()
    for node in list(graph.node):
        name = _matrix(node, makers).removeprefix(prefix)
        if name in weights and weights[name].size >= LEAST:
            if name not in narrowed:
                _add(graph, name, weights[name])
                narrowed.add(name)
            _multiply(graph, node, name, weights[name].shape)
    drop_unused(graph)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    narrow_step: bytes = model.SerializeToString()
    return narrow_step


def _matrix(node: NodeProto, makers: dict[str, NodeProto]) -> str:
    """The name of the matrix [columns, size] that a node multiplies with; "" where it does not."""
    if node.op_type == "Gemm" and any(each.name == "transB" and each.i for each in node.attribute):
        return str(node.input[1])
    if node.op_type == "MatMul":
        maker = makers.get(node.input[1])
        if maker is not None and maker.op_type == "Transpose":
            return str(maker.input[0])
    return ""


def _add(graph: GraphProto, name: str, matrix: NDArray[np.float32]) -> None:
    """Put a rounded matrix and its scales into a graph."""
    rows, size = matrix.shape
    blocks = -(-size // BLOCK)
    padded = np.zeros((rows, blocks * BLOCK), np.float32)
    padded[:, :size] = matrix
    parts = padded.reshape(rows, blocks, BLOCK)
    scales = np.abs(parts).max(-1) / LEVELS
    scales[scales == 0] = 1.0
    rounded = (np.rint(parts / scales[:, :, None]) + MIDDLE).astype(np.uint8)
    graph.initializer.append(numpy_helper.from_array(rounded, f"narrow.{name}"))
    graph.initializer.append(numpy_helper.from_array(scales.reshape(-1), f"scales.{name}"))


def _multiply(graph: GraphProto, node: NodeProto, name: str, shape: tuple[int, ...]) -> None:
    """Let a node's product be with the rounded matrix."""
    made, bias = node.output[0], list(node.input[2:])
    product = f"{made}.product" if bias else made
    inputs = [node.input[0], f"narrow.{name}", f"scales.{name}"]
    multiply = helper.make_node("MatMulNBits", inputs, [product], domain="com.microsoft")
    sizes = {"N": shape[0], "K": shape[1], "bits": 8, "block_size": BLOCK, "accuracy_level": PRODUCTS}
    multiply.attribute.extend(helper.make_attribute(key, value) for key, value in sizes.items())
    new = [multiply]
    new += [helper.make_node("Add", [product, *bias], [made])] if bias else []
    insert_after(graph, node, new)
    graph.node.remove(node)
