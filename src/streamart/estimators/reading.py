"""Attributes of an estimator that are read from its up-to-date model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..engines.model import Model

Value = TypeVar("Value")


class Reading(Generic[Value]):
    """An attribute that is read from the model after its clusters were brought up to date."""

    def __init__(self, read: Callable[[Model[Any]], Value]) -> None:
        self.read = read
        self.__doc__ = read.__doc__

    def __get__(self, estimator: Any, kind: type) -> Value:
        with estimator._reading() as model:
            return self.read(model)
