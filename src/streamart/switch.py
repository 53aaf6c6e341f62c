"""A parameter and a method with one name: ``merge=True`` and ``merge(a, b)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class _Switch(int):
    """The value of the parameter, which can be called: then it is the method."""

    _method: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(bool(self))


class switch:
    """Decorates the method. Read from an instance, it is a `_Switch`; `plain` has the value.

    >>> class Lamp:
    ...     def __init__(self, light=True):
    ...         self.light = light
    ...     @switch
    ...     def light(self, colour):
    ...         return f"{colour} light"
    >>> lamp = Lamp(light=False)
    >>> lamp.light == False, bool(lamp.light), lamp.light("red")
    (True, False, 'red light')
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.name = method.__name__
        self.__doc__ = method.__doc__

    def __get__(self, owner: Any, kind: type) -> Any:
        if owner is None:
            return self.method
        value = plain(owner, self.name)
        if not isinstance(value, (bool, int, np.bool_)):
            return value  # not valid; whoever checks parameters says so
        found = _Switch(value)
        found._method = self.method.__get__(owner)
        return found

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__[self.name] = value


def plain(owner: Any, name: str) -> Any:
    """The parameter as it was given."""
    try:
        return owner.__dict__[name]
    except KeyError:
        raise AttributeError(name) from None
