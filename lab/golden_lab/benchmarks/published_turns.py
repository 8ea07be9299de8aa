"""What others published of retrieval for the turns of MT-RAG's conversations."""

from collections.abc import Mapping

from evaluation.benchmark import Published

RECALLS = ("Recall@5", "Recall@10", "Recall@20")
STANDALONE = "standalone (proxy: people left it as it was)"
NOT_STANDALONE = "not standalone (proxy: people changed it)"
LAST_TURN, OURS, GOLD = "last turn", "our rewrite", "gold rewrite"
MTRAG = "Katsis et al. 2025, MTRAG (IBM/mt-rag-benchmark), table 3"
INTRINSICS = "Danilevsky et al., A Library of LLM Intrinsics for Retrieval-Augmented Generation"
_FULL = "full corpora of four domains; ours: one domain, pooled corpus, half of its conversations"


def published_turns() -> tuple[Published, ...]:
    """Return the published figures of retrieval for the turns of MT-RAG, by system and form of the question."""
    rows: list[tuple[str, str, float, str, str]] = []
    for system, form, five, ten, gain in (
        ("BM25", LAST_TURN, 0.20, 0.27, 0.18),
        ("BM25", GOLD, 0.25, 0.33, 0.22),
        ("BGE-base 1.5", LAST_TURN, 0.30, 0.38, 0.27),
        ("BGE-base 1.5", GOLD, 0.37, 0.47, 0.34),
        ("ELSER", LAST_TURN, 0.49, 0.58, 0.45),
        ("ELSER", GOLD, 0.52, 0.64, 0.48),
    ):
        name = f"{system}, {form}"
        rows += [("Recall@5", name, five, "", MTRAG), ("Recall@10", name, ten, "", MTRAG)]
        rows.append(("nDCG@5", name, gain, "", MTRAG))
    for (table, subset), strategies in _TABLES_2_TO_4.items():
        for form, values in strategies.items():
            source = f"{INTRINSICS}, table {table}"
            rows += [(m, f"ELSER, {form}", v, subset, source) for m, v in zip(RECALLS, values, strict=True)]
    return tuple(
        Published(metric=metric, value=value, system=system, source=source, subset=subset, differs=_FULL)
        for metric, system, value, subset, source in rows
    )


_TABLES_2_TO_4: Mapping[tuple[int, str], Mapping[str, tuple[float, float, float]]] = {
    (2, ""): {
        "no rewrite": (0.49, 0.59, 0.67),
        "Mixtral 8x7b rewrite": (0.52, 0.64, 0.72),
        "Granite 3.3 8b adapter rewrite": (0.56, 0.68, 0.76),
        "gold rewrite": (0.56, 0.67, 0.75),
    },
    (3, NOT_STANDALONE): {
        "no rewrite": (0.26, 0.39, 0.44),
        "Mixtral 8x7b rewrite": (0.36, 0.49, 0.57),
        "Granite 3.3 8b adapter rewrite": (0.44, 0.57, 0.66),
        "gold rewrite": (0.48, 0.58, 0.66),
    },
    (4, STANDALONE): {
        "no rewrite": (0.61, 0.72, 0.79),
        "Mixtral 8x7b rewrite": (0.61, 0.73, 0.81),
        "Granite 3.3 8b adapter rewrite": (0.63, 0.75, 0.83),
        "gold rewrite": (0.61, 0.72, 0.79),
    },
}
