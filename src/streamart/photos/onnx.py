"""ONNX files, run by onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from .models import ModelError


class OnnxModel:
    """A network with one input. It uses one thread, because each core reads its own photos."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            if not path.is_file():
                raise ModelError(f"There is no file {path}.")
            self._session: Any = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except ModelError:
            raise
        except Exception as error:  # its exceptions have no common class
            raise ModelError(f"{path} is not an ONNX model that can be used: {error}") from error
        inputs = self._session.get_inputs()
        if len(inputs) != 1:
            raise ModelError(f"{path} has {len(inputs)} inputs. It must have one input, an image.")
        self._name: str = inputs[0].name
        self.shape: list[Any] = list(inputs[0].shape)

    def __call__(self, batch: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        found: list[NDArray[np.float32]] = self._session.run(None, {self._name: batch})
        return found
