"""How like a question is to what each sense of a term means."""

from collections.abc import Sequence

from contracts.jargon import Sense
from tools.embedding.base import Embedder


def sense_text(sense: Sense) -> str:
    """Return the text of ``sense`` that a question is compared with."""
    return f"{sense.extended_name}: {sense.description}" if sense.description else sense.extended_name


async def sense_likeness(senses: Sequence[Sense], question: str, embedder: Embedder) -> dict[int, float]:
    """Return by sense id the likeness of ``question`` to ``sense_text``, in [-1, 1].

    It is the mean of two: the cosine of the two texts, and the mean over the sense's tokens of the cosine with the
    nearest token of the question. The first sees the subject as a whole, the second a single word that tells.

    Source: late interaction as in Khattab and Zaharia 2020 (ColBERT, arXiv:2004.12832), turned round: the short text is
    the sense. That both count alike was fitted: see ``senses.json``.
    """
    if not senses:
        return {}
    texts = [sense_text(sense) for sense in senses]
    (query,) = await embedder.embed_queries([question])
    cosines = (await embedder.embed_documents(texts) @ query).tolist()
    (asked,) = await embedder.embed_tokens([question])
    of_senses = await embedder.embed_tokens(texts)
    nearest = [
        float((each.vectors @ asked.vectors.T).max(axis=1).mean()) if each.spans and asked.spans else cosine
        for each, cosine in zip(of_senses, cosines, strict=True)
    ]
    return {sense.id: (one + other) / 2 for sense, one, other in zip(senses, cosines, nearest, strict=True)}
