"""ONNX Runtime, imported so that nothing is told about the machine it runs on.

Its wheels send usage events over the network unless the environment says otherwise before the library is
loaded; so every import of it goes through here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatbot.errors import CheckpointError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

SILENT = "ORT_DISABLE_TELEMETRY"
"""What keeps its events, its uploader and its device number from coming into being."""

THREADS = 1
"""Threads inside an operation. Two were not faster for one question, and searching, which is Python, gains
more from a free core (docs/replies.md)."""


def onnxruntime() -> Any:
    """The library, silent."""
    os.environ[SILENT] = "1"
    import onnxruntime

    return onnxruntime


def open_session(graph: Path | bytes, threads: int = THREADS) -> InferenceSession:
    """A graph made ready to run on the processor.

    Args:
        graph: a file, beside which the weights lie that it refers to, or one that refers to none.

    Raises:
        CheckpointError: it is no graph that can be run.
    """
    library = onnxruntime()
    library.disable_telemetry_events()
    options = library.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong is raised; warnings are about the library's own choices
    where = str(graph) if isinstance(graph, Path) else graph
    try:
        session: InferenceSession = library.InferenceSession(
            where, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # the library's own kinds have no name of their own in Python
        named = str(graph) if isinstance(graph, Path) else "the graph"
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CheckpointError(
            named, f"cannot be run ({reason})", "make it anew with chatbot checkpoint export"
        ) from None
    return session
