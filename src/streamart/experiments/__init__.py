"""The paper's experiments: ``streamart reproduce``, or `reproduce` from Python.

Needs matplotlib: ``pip install "streamart[experiments]"``.
"""

from .reproduction import EXPERIMENTS, reproduce

__all__ = ["EXPERIMENTS", "reproduce"]
