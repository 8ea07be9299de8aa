"""Every answer's claims are held against query, context and reference; what supports each is kept at once."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from evaluation.results import Outcome
from golden_lab.digests import digest_of_code
from golden_lab.engine import Engine
from golden_lab.experiments.arms import ArmAnswer
from golden_lab.experiments.asking import Failure, Job, OnProgress, run_jobs
from golden_lab.experiments.cases import ExperimentCase
from golden_lab.experiments.folder import ExperimentFolder, short_digest
from golden_lab.triples.pipeline import AttributedClaim, AttributedResponse, Example, TriplePipeline

_CLAIMS = TypeAdapter(tuple[AttributedClaim, ...])


async def attribute_answers(
    cases: Mapping[str, ExperimentCase],
    answers: Sequence[ArmAnswer],
    engine: Engine,
    folder: ExperimentFolder,
    *,
    at_once: int = 1,
    on_progress: OnProgress = lambda stage, done, total: None,
) -> tuple[dict[str, AttributedResponse], tuple[Failure, ...]]:
    """Return each answer's claims with their sources by its key, and the answers whose claims could not be told.

    The context is what the arm read; a declined answer claims nothing. What ``folder`` holds, by the same engine and
    code, is not made again.
    """
    pipeline = TriplePipeline.of(engine)
    examples = {answer.key: _example(cases[answer.case], answer) for answer in answers}
    ids = {key: f"{key} / {short_digest(repr(example))}" for key, example in examples.items()}

    async def attribute(answer: ArmAnswer) -> tuple[Outcome, float]:
        found = await pipeline.attribute(examples[answer.key])
        return Outcome(id=ids[answer.key], values=_values(found)), 0.0

    jobs = [
        Job(id=ids[each.key], arm=each.arm, case=each.case, seed=each.seed, work=partial(attribute, each))
        for each in answers
    ]
    named = f"{engine.name} {engine.model} {digest_of_code()}"
    with folder.outcomes.open("scores", f"trifex-{short_digest(named)}") as log:
        failures = await run_jobs(jobs, "scored", log, engine.chat, at_once=at_once, on_progress=on_progress)
        attributed = {
            key: _response(example, log.stored[ids[key]].outcome.values)
            for key, example in examples.items()
            if ids[key] in log.stored
        }
    return attributed, failures


def _example(case: ExperimentCase, answer: ArmAnswer) -> Example:
    return Example(
        id=case.id,
        query=case.question,
        context="\n\n".join(answer.passages),
        reference=case.reference,
        # Who says that they do not know claims nothing of the matter.
        response=answer.text if answer.outcome == "answered" else "",
        system=answer.arm,
        condition=case.condition,
    )


def _values(found: AttributedResponse) -> dict[str, Any]:
    return {
        "claims": _CLAIMS.dump_python(found.claims, mode="json"),
        "reference_claims": found.reference_claims,
        "context_claims": found.context_claims,
    }


def _response(example: Example, values: Mapping[str, Any]) -> AttributedResponse:
    return AttributedResponse(
        example=example,
        claims=_CLAIMS.validate_python(values["claims"]),
        reference_claims=values["reference_claims"],
        context_claims=values["context_claims"],
    )
