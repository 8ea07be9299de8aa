"""The implementations to measure, in one object."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agent.services import Services
from golden_lab.results import SplitUse
from golden_lab.triples.triple import TripleAttributor, TripleExtractor
from intrinsics.summarisation.base import Summariser
from intrinsics.term_mining.base import TermMiner
from tools.chat.base import ChatModel
from tools.embedding.base import Embedder
from tools.jargon.base import JargonDictionary
from tools.ocr.base import OcrEngine
from tools.search.base import LexicalIndex, PassageSearcher


@dataclass(frozen=True, kw_only=True)
class Engine:
    """One implementation of every judgement, built in ``wiring``.

    ``name`` is "embedded" or "llm"; ``model`` is the name of the chat model or the embedding model. ``fitted_on``
    names, for each intrinsic, the parts of data sets that its thresholds and coefficients were fitted on. ``judges``
    uses an empty library and an empty dictionary, for judgements that are measured separately. ``services_over`` builds
    the same judgements with the searcher, lexical index and dictionary of a benchmark. ``chat`` is None without a
    language model.
    """

    name: str
    model: str
    judges: Services
    services_over: Callable[[PassageSearcher, LexicalIndex, JargonDictionary], Services]
    embedder: Embedder
    summariser: Summariser
    term_miner: TermMiner
    triple_extractor: TripleExtractor
    triple_attributor: TripleAttributor
    ocr: OcrEngine
    chat: ChatModel | None = None
    fitted_on: Mapping[str, tuple[SplitUse, ...]] = field(default_factory=dict)
