"""Models from options and from files."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ...estimators.network import ICVITopoARTMAP
from ...estimators.stream_art import StreamART
from ...persistence import ModelFileError, load
from ...report.describe import METHODS
from ..errors import MISUSED, UserError


def new_model(
    method: str | None,
    icvi: str | None,
    settings: Sequence[str],
    self_tuning: dict[str, float | str | None],
) -> Any:
    """The model that the options ask for. To name an index is to choose the paper's network."""
    method = method or ("topoartmap" if icvi else "streamart")
    given = _parsed(settings, METHODS[method], method)
    if icvi is not None:
        if method == "streamart":
            raise UserError(
                f"--icvi {icvi} belongs to the paper's network, not to StreamART.",
                "Use --method topoartmap.",
                MISUSED,
            )
        given["icvi"] = icvi
    model = METHODS[method](**given)
    set_self_tuning(model, self_tuning)
    return model.set_params(record_events=True)


def set_self_tuning(model: Any, parameters: dict[str, float | str | None]) -> None:
    """Set StreamART's own parameters; the paper's network has none of them."""
    asked = {name: value for name, value in parameters.items() if value is not None}
    if asked and not isinstance(model, StreamART):
        option = "--" + next(iter(asked)).replace("_", "-")
        raise UserError(
            f"{option} belongs to StreamART, not to the paper's network.",
            f"Leave out {option}, or use --method streamart.",
            MISUSED,
        )
    model.set_params(**asked)


def loaded_model(path: Path) -> Any:
    """A clusterer from a file."""
    try:
        model = load(path)
    except FileNotFoundError as error:
        raise UserError(
            f"There is no model {path}.", "Make one with: streamart cluster FILE --save MODEL"
        ) from error
    except IsADirectoryError as error:
        raise UserError(f"{path} is a folder, not a model.", "Name the file.") from error
    except (ModelFileError, OSError) as error:
        raise UserError(str(error)) from error
    if not isinstance(model, StreamART | ICVITopoARTMAP):
        raise UserError(
            f"{path} holds a {type(model).__name__}, which is no clusterer.",
            "The command line works with StreamART and ICVITopoARTMAP.",
        )
    return model


def fitted_model(path: Path) -> Any:
    """A clusterer from a file that has learnt something."""
    model = loaded_model(path)
    if not is_fitted(model):
        raise UserError(f"{path} has learnt nothing yet.", "Give it something to learn.")
    return model


def is_fitted(model: Any) -> bool:
    return hasattr(model, "n_features_in_")


def _parsed(settings: Sequence[str], kind: type, method: str) -> dict[str, Any]:
    known = [name for name in kind().get_params() if not name.startswith("record_")]
    given = {}
    for setting in settings:
        name, sign, text = setting.partition("=")
        name = name.strip()
        if not sign:
            raise UserError(f"--set {setting}: no '='.", "Write --set name=value.", MISUSED)
        if name not in known:
            close = get_close_matches(name, known, 1)
            meant = f"Did you mean {close[0]!r}? " if close else ""
            raise UserError(
                f"--set: {method} has no parameter {name!r}.",
                f"{meant}It has: {', '.join(known)}.",
                MISUSED,
            )
        given[name] = _words(text) if name == "strategies" else _value(text.strip())
    return given


def _words(text: str) -> tuple[str, ...]:
    """Words between commas; "none" is none.

    >>> _words("merge, swap"), _words("none")
    (('merge', 'swap'), ())
    """
    words = [word.strip() for word in text.strip("()[]").split(",")]
    return tuple(word for word in words if word and word.lower() != "none")


def _value(text: str) -> Any:
    """A number, True, False, None, or else the word itself.

    >>> [_value(text) for text in ("0.5", "true", "cosine")]
    [0.5, True, 'cosine']
    """
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
