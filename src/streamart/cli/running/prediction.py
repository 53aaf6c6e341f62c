"""`streamart predict`, from the first byte to the last label."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...estimators.warm_up import notice_if_slow
from ..errors import DONE, NOTHING, SIGNALLED
from ..reading.columns import Choice
from ..reading.inputs import Writing, sources_of
from ..reading.reader import reader_for
from ..reading.rejects import Rejects
from ..stopping import Stop, Stopped
from ..talk import Talk
from .labelling import Labels, distances, learnable, predicted
from .models import fitted_model
from .progress import Progress
from .writers import Output


class Prediction(NamedTuple):
    """What the command line asks for."""

    model: Path
    inputs: Sequence[str]
    writing: Writing
    choice: Choice
    on_error: str
    rejects: Path | None
    outliers: bool
    out: str
    out_format: str | None


def predict_rows(asked: Prediction, talk: Talk) -> int:
    """Label rows chunk by chunk, as they are read."""
    talk.check_labels_to(asked.out)
    model = fitted_model(asked.model)
    with Stop() as stop:
        try:
            sources = sources_of(asked.inputs, asked.writing, stop)
            reader = reader_for(sources, asked.choice, model)
            talk.layouts(reader)
            rejects = Rejects(asked.rejects, asked.on_error == "stop")
            output = Output(asked.out, asked.out_format)
            labels = Labels(
                output,
                asked.choice.truth is not None,
                reader.id_names,
                len(reader.sources) > 1,
                asked.choice.keep,
            )
            rows = _label(model, reader, rejects, labels, asked, talk, stop)
        except Stopped:
            return SIGNALLED + stop.signal
    rejects.close()
    talk.rejects(rejects, None if asked.rejects is None else str(asked.rejects))
    _tell(labels, rows, rejects, asked, talk)
    if stop.signal:
        return SIGNALLED + stop.signal
    return DONE if rows else NOTHING


def _label(
    model: Any,
    reader: Any,
    rejects: Rejects,
    labels: Labels,
    asked: Prediction,
    talk: Talk,
    stop: Stop,
) -> int:
    assert labels.output is not None
    with notice_if_slow(talk.note):  # before anything is timed
        predicted(model, np.ones((1, model.n_features_in_)), asked.outliers)
    names = model.names_ if labels.keep else model.names_ or None
    rows = 0
    try:
        with Progress(talk.errors, talk.chatty and asked.out != "-") as progress:
            progress.begin("labelling")
            for chunk in reader.chunks(learning=False):
                chunk = learnable(model, chunk)
                rejects.add(chunk.rejects)
                far = distances(model, chunk.X) if labels.keep else None
                labels.take(chunk, predicted(model, chunk.X, asked.outliers), names, far)
                rows += len(chunk.X)
                progress.show(rows, reader.share(chunk.end))
                if stop.signal:
                    break
    except BaseException:
        labels.output.drop()
        rejects.close()
        raise
    labels.output.close()
    return rows


def _tell(labels: Labels, rows: int, rejects: Rejects, asked: Prediction, talk: Talk) -> None:
    summary: dict[str, Any] = {
        "rows_labelled": rows,
        "rows_rejected": rejects.count,
        "reject_reasons": dict(rejects.reasons),
        "sizes": {str(i): count for i, count in sorted(labels.counts.items())},
    }
    if labels.agreement is not None and labels.agreement.scored:
        summary["truth"] = {"ari": labels.agreement.ari(), "nmi": labels.agreement.nmi()}
    if talk.as_json:
        talk.print_json(summary)
        return
    where = "" if asked.out == "-" else f" to {asked.out}"
    talk.note(f"{rows:,} rows labelled{where}, in {len(labels.counts)} clusters")
    if "truth" in summary:
        talk.note(
            f"against {asked.choice.truth}: ARI {summary['truth']['ari']:.4f}, "
            f"NMI {summary['truth']['nmi']:.4f}"
        )
