"""`streamart cluster`, from the first byte to the summary."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...estimators.mixed_tables import doubts_of_columns
from ...estimators.stream_art import StreamART
from ...estimators.warm_up import notice_if_slow, warm_up
from ...report.describe import describe_model, first_seen
from ...report.page import Page, write_page
from ...report.record import ROWS, Origin, Record
from ..errors import (
    BROKEN_PIPE,
    DONE,
    MISUSED,
    NOTHING,
    SIGNALLED,
    UserError,
    explain_write_errors,
)
from ..reading.inputs import sources_of
from ..reading.parts import Position
from ..reading.paths import STDIN
from ..reading.reader import Reader, read_ahead, reader_for
from ..reading.rejects import Rejects
from ..reading.sources import TextPipe
from ..stopping import Stop, Stopped
from ..talk import Talk
from .checkpoints import Checkpoint, Checkpoints, check_same_run, fingerprints
from .events import EventFile
from .job import Job
from .labelling import Labels, distances, label_again, learnable
from .learning import Learner
from .models import is_fitted, loaded_model, new_model, set_self_tuning
from .progress import Progress
from .scores import Agreement
from .summary import ended, headline, print_clusters
from .writers import Output

SAVE_EVERY = 60.0
"""Seconds between two times that a model which follows a stream is saved."""


class Run:
    """One run."""

    def __init__(self, job: Job, talk: Talk) -> None:
        self.job = job
        self.talk = talk
        self.end = Position()
        self.stopped_by = ""
        self.saved_at, self.saved_rows = time.monotonic(), 0
        self.code = DONE
        target = job.target
        self.target_checkpoints = None if target is None else Checkpoints(target)
        self.checkpoints: Checkpoints | None = None
        """Of this run, while no other one uses them."""

    def go(self) -> int:
        self.job.check(self.talk)
        with ExitStack() as stack, Stop() as stop:
            self.stop = stop
            found = self._found_checkpoint(stack)
            keep = self._keep(stack)
            try:
                self._open(found, keep)
                stack.callback(self._close)
                self._learn()
            except Stopped:  # before there was anything to read
                return SIGNALLED + stop.signal
            return self._finish(keep)

    # ------------------------------------------------------------------ beginning

    def _found_checkpoint(self, stack: ExitStack) -> Checkpoint | None:
        if self.target_checkpoints is None:
            return None
        if self.job.checkpoint_every or self.job.resume:
            self.checkpoints = stack.enter_context(self.target_checkpoints.locked())
        if not self.target_checkpoints.exists():
            return None
        if self.job.resume:
            return self.target_checkpoints.load()
        raise UserError(
            f"{self.target_checkpoints.folder} is the checkpoint of a run that did not end.",
            "Go on from it with --resume, or delete the folder to start over.",
        )

    def _keep(self, stack: ExitStack) -> Any:
        """A file for what comes by standard input, if it must be read again."""
        if STDIN not in self.job.inputs or not self.job.looks_twice:
            return None
        out = self.job.out
        folder = None if out in (None, "-") else Path(str(out)).absolute().parent
        return stack.enter_context(tempfile.NamedTemporaryFile(prefix=".streamart-", dir=folder))

    def _open(self, found: Checkpoint | None, keep: Any) -> None:
        job = self.job
        model = None
        if found is not None:
            model = found.model
        elif job.model is not None and job.goes_on:
            model = loaded_model(job.model)
            set_self_tuning(model, job.self_tuning)
            model.set_params(record_events=True)
        else:
            model = new_model(job.method, job.icvi, job.settings, job.self_tuning)
        known = is_fitted(model)
        sources = sources_of(job.inputs, job.writing, self.stop, job.follow, keep)
        choice = job.choice._replace(needs_times=job.half_life_in_seconds is not None)
        self.reader = reader_for(sources, choice, model)
        self.talk.layouts(self.reader)
        self.run = {
            "inputs": fingerprints(self.reader.sources),
            "features": self.reader.features,
            "options": {
                name: str(value)
                for name, value in asdict(job).items()
                if name in ("method", "icvi", "settings", "model", *job.self_tuning)
            }
            | {"time": str(job.choice.time)},
            "files": [str(name) for name in (job.out, job.events, job.rejects, job.follow)],
        }
        document: dict[str, Any] = {}
        if found is not None:
            document = found.document
            assert self.checkpoints is not None
            check_same_run(document["run"], self.run, self.checkpoints.folder)
            self.end = found.position
            self.talk.note(f"going on after {document['learner']['learnt']:,} rows")
        self.record = Record(ROWS if job.report else 0)
        self.rejects = Rejects(
            job.rejects, job.on_error == "stop", document.get("rejects", {}).get("written")
        )
        self.events = EventFile(job.events, document.get("events"))
        self.learner = Learner(
            model,
            self.reader,
            self.record,
            self.events,
            document.get("learner"),
            job.half_life_in_seconds,
        )
        live = job.labels_to if job.follow else None
        self.labels = Labels(
            None if live is None else Output(live, job.out_format, True, document.get("out")),
            job.choice.truth is not None,
            self.reader.id_names,
            len(self.reader.sources) > 1,
            job.choice.keep,
        )
        if found is None and known:
            for i, sample in first_seen(model.events_).items():
                self.record.origins[i] = Origin(sample, -1)
        if found is not None:
            self.rejects.restore(document["rejects"])
            self.record.restore(document["record"], found.arrays)
            if self.labels.agreement is not None and document["agreement"]:
                self.labels.agreement = Agreement(document["agreement"])

    def _close(self) -> None:
        self.rejects.close()
        self.events.close()
        if self.labels.output is not None:
            self.labels.output.close_file()

    # ------------------------------------------------------------------ learning

    def _learn(self) -> None:
        self.learnt_before = saved_at = self.learner.learnt
        every = self.job.checkpoint_every
        chunks = self.reader.chunks(self.end)
        if not self.job.follow:
            chunks = read_ahead(chunks)
        self._prepare()
        if self.job.follow and self.job.target is not None:
            self.stop.while_waiting = self._save_if_due
        with Progress(self.talk.errors, self.talk.chatty) as progress:
            progress.begin("learning")
            try:
                for chunk in chunks:
                    chunk = learnable(self.learner.model, chunk)
                    self.rejects.add(chunk.rejects)
                    if self.job.follow:
                        self._label_now(chunk)
                    else:
                        self.learner.learn(chunk)
                    self.end = chunk.end
                    if self.stop.while_waiting is not None:
                        self._save_if_due()
                    progress.show(
                        self.learner.learnt - self.learnt_before,
                        self.reader.share(chunk.end),
                        self.learner.last,
                    )
                    if every and self.learner.learnt - saved_at >= every:
                        self._checkpoint()
                        saved_at = self.learner.learnt
                    if self.stop.signal:
                        raise Stopped
            except Stopped:
                self._note_stop()
            except BrokenPipeError:
                self.code, self.stopped_by = BROKEN_PIPE, "the reader of the labels"
            finally:
                self.stop.while_waiting = None
            if self.stopped_by and every and self.learner.n:
                self._checkpoint()

    def _prepare(self) -> None:
        """Before anything is timed."""
        try:
            with notice_if_slow(self.talk.note):
                warm_up(self.learner.model)
        except ValueError as error:  # parameters are looked at when the first sample comes
            raise UserError(str(error), code=MISUSED) from error
        self.begun = time.perf_counter()

    def _note_stop(self) -> None:
        self.code = SIGNALLED + self.stop.signal
        self.stopped_by = "Ctrl-C" if self.stop.signal == 2 else "a signal"

    def _label_now(self, chunk: Any) -> None:
        if not len(chunk.X):
            return
        ids = self.learner.learn_now(chunk)
        model, keep = self.learner.model, self.labels.keep
        named = model.names_ if chunk.labels is not None or keep else None
        self.labels.take(chunk, ids, named, distances(model, chunk.X) if keep else None)

    def _save_if_due(self) -> None:
        """With --follow: every so many seconds, if something was learnt since."""
        every = SAVE_EVERY if self.job.save_every is None else self.job.save_every
        now = time.monotonic()
        if self.learner.learnt > self.saved_rows and now - self.saved_at >= every:
            self._save()
            self.saved_at, self.saved_rows = now, self.learner.learnt

    def _checkpoint(self) -> None:
        assert self.checkpoints is not None
        self.learner.pass_on_heard()
        record, arrays = self.record.kept()
        output, agreement = self.labels.output, self.labels.agreement
        document = {
            "run": self.run,
            "position": list(self.end),
            "learner": self.learner.kept(),
            "rejects": self.rejects.kept(),
            "events": self.events.written(),
            "out": None if output is None else output.written(),
            "agreement": None if agreement is None else agreement.kept(),
            "record": record,
        }
        self.checkpoints.save(self.learner.model, document, arrays)

    # ------------------------------------------------------------------ the end

    def _finish(self, keep: Any) -> int:
        if not self.learner.n:
            self.talk.rejects(self.rejects, _name(self.job.rejects))
            if self.stopped_by:
                return self.code
            raise UserError(
                "There is no row that can be used"
                + (f": all {self.rejects.count:,} were refused." if self.rejects.count else "."),
                "Look at the reasons above, and at --columns, --delimiter and --decimal."
                if self.rejects.count
                else "The input holds no rows.",
                NOTHING,
            )
        self.learner.look()
        self._save()
        if self.job.looks_twice:
            self._label_again(keep)
        elif self.labels.output is not None and self.code != BROKEN_PIPE:
            self.labels.output.close()
        summary = self._summary()
        if self.job.report is not None:
            page = Page(summary, self.learner.model, self.record, self.reader.columns.features)
            with explain_write_errors(f"--report: {self.job.report}"):
                write_page(self.job.report, page)
        if self.checkpoints is not None and not self.stopped_by:
            self.checkpoints.remove()
        self._say(summary)
        return self.code

    def _save(self) -> None:
        target = self.job.target
        if target is not None:
            with explain_write_errors(f"The model {target}"):
                self.learner.model.save(target)

    def _label_again(self, keep: Any) -> None:
        reader = _again(self.reader, keep)
        output = None
        if self.job.out is not None:
            output = self.labels.output = Output(self.job.out, self.job.out_format)
        with Progress(self.talk.errors, self.talk.chatty) as progress:
            progress.begin("labelling")
            rows, known = [0], self.stop.signal

            def tick(chunk: Any) -> None:
                rows[0] += len(chunk.X)
                progress.show(rows[0], reader.share(chunk.end))
                if self.stop.signal != known:
                    raise Stopped

            named = self.job.choice.label is not None
            try:
                label_again(
                    self.learner.model,
                    reader,
                    self.end,
                    self.learner.learnt,
                    self.labels,
                    tick,
                    named,
                )
            except Stopped:
                self._note_stop()
                self.talk.note("The labels are not written.")
                if output is not None:
                    output.drop()
                return
            except BaseException:
                if output is not None:
                    output.drop()
                raise
        if output is not None:
            output.close()

    def _summary(self) -> dict[str, Any]:
        """All that can be said in the end."""
        labels, learner = self.labels, self.learner
        origins = {i: origin.sample for i, origin in self.record.origins.items()}
        exact = self.job.looks_twice and learner.n == learner.learnt
        first: dict[int, int] | None = origins
        if isinstance(learner.model, StreamART):  # which knows by itself
            first, exact = None, False
        elif exact:
            first = {**origins, **labels.first}
        summary = describe_model(learner.model, first, labels.last if exact else None)
        seconds = time.perf_counter() - self.begun
        summary["run"] = {
            "inputs": [source.name for source in self.reader.sources],
            "rows_learnt": learner.learnt,
            "rows_rejected": self.rejects.count,
            "reject_reasons": dict(self.rejects.reasons),
            "first_rejects": [
                (f"{reject.file}, line {reject.line}", reject.reason)
                for reject in self.rejects.first
            ],
            "events": dict(self.record.kinds),
            "seconds": max(0.001, round(seconds, 3)),
            "stopped_by": self.stopped_by or None,
            "files": {
                kind: str(path)
                for kind, path in (
                    ("labels", self.job.out),
                    ("report", self.job.report),
                    ("model", self.job.target),
                    ("events", self.job.events),
                    ("rejects", self.job.rejects),
                )
                if path is not None
            },
        }
        if labels.agreement is not None:
            scored = labels.agreement.scored
            summary["truth"] = {
                "column": self.job.choice.truth,
                "scored": scored,
                "ari": labels.agreement.ari() if scored else None,
                "nmi": labels.agreement.nmi() if scored else None,
            }
        return summary

    def _say(self, summary: dict[str, Any]) -> None:
        talk, run = self.talk, summary["run"]
        if talk.as_json:
            talk.print_json(summary)
            return
        if talk.quiet:
            return
        talk.rejects(self.rejects, _name(self.job.rejects))
        console = talk.errors if self.job.labels_to == "-" else talk.results
        console.print(headline(summary), style="bold")
        print_clusters(console, summary)
        if summary.get("truth") and summary["truth"]["ari"] is not None:
            truth = summary["truth"]
            console.print(
                f"against {truth['column']}: ARI {truth['ari']:.4f}, NMI {truth['nmi']:.4f} "
                f"({truth['scored']:,} rows)"
            )
        if ended(summary):
            console.print(ended(summary))
        for kind, path in run["files"].items():
            if path != "-":
                console.print(f"{kind}: {path}", soft_wrap=True)
        for doubt in doubts_of_columns(self.learner.model):
            talk.note(f"Warning: {doubt}")
        if self.stopped_by:
            resume = "; --resume goes on from here" if self.job.checkpoint_every else ""
            where = f"saved in {self.job.target}" if self.job.target else "not saved (--save)"
            talk.note(
                f"Stopped by {self.stopped_by} after {run['rows_learnt']:,} rows: {where}{resume}."
            )
        rows = run["rows_learnt"] - self.learnt_before
        counted = "1 row" if rows == 1 else f"{rows:,} rows"
        talk.note(f"{counted} in {run['seconds']:.1f} s ({rows / run['seconds']:,.0f}/s)")


def _name(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _again(reader: Reader, keep: Any) -> Reader:
    """The same sources, with the kept file in place of standard input."""
    for at, source in enumerate(reader.sources):
        if keep is not None and isinstance(source, TextPipe):
            keep.flush()
            return reader.with_source(at, source.from_file(Path(keep.name)))
    return reader
