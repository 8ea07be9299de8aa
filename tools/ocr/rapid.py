"""OCR by RapidOCR: neural models that come with the Python package, for machines without Tesseract."""

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from contracts.errors import Unavailable
from tools.ocr.base import OcrResult, OcrWord
from tools.ocr.orientation import UprightReader
from tools.telemetry import refuse_telemetry

_INSTALL = 'Install it: pip install "golden-retriever-bot[rapidocr]".'
# An upright page reads at .95 and more; words that stand on their heads are still guessed at .5 to .85.
_SURE_CONFIDENCE = 0.90
# Lines that are asked which way up they are.
_ASKED_LINES = 12
_TIMEOUT_S = 120.0

Quad = Sequence[Sequence[float]]


class RapidOcr:
    """Reads page images with RapidOCR, one thread per image; the models are loaded with the first one.

    It reads Latin and Chinese letters, whatever the setting for the language says. After two minutes no further look
    is taken at an image; one look cannot be interrupted. Picklable; a copy loads its own models.
    """

    def __init__(self) -> None:
        self._engine: Any = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type["RapidOcr"], tuple[()]]:
        """Travel to another process without the models."""
        return (RapidOcr, ())

    def read(self, image: Image.Image) -> OcrResult:
        return UprightReader(self._recognise, self._likely_turns, _TIMEOUT_S, _SURE_CONFIDENCE).read(image)

    def _recognise(self, image: Image.Image, timeout_s: float) -> tuple[OcrWord, ...]:
        found = self._call(np.asarray(image), use_det=True, use_rec=True)
        words = []
        for number, line in enumerate(_lines_of(found), start=1):
            for text, confidence, quad in line:
                left, top, right, bottom = _sides(np.asarray(quad, dtype=np.float64))
                words.append(
                    OcrWord(
                        text=text,
                        left=left,
                        top=top,
                        right=right,
                        bottom=bottom,
                        confidence=min(1.0, max(0.0, confidence)),
                        block=1,
                        paragraph=1,
                        line=number,
                    )
                )
        return tuple(words)

    def _likely_turns(self, grey: Image.Image, timeout_s: float) -> tuple[int, ...]:
        """Ask the longest lines: those that run up or down the page first, else whether they stand on their heads."""
        pixels = np.asarray(grey)
        found = self._call(pixels, use_det=True, use_rec=False)
        if found.boxes is None:
            return ()
        sides = [_sides(np.asarray(box)) for box in found.boxes]
        longest = sorted(sides, key=lambda each: max(each[2] - each[0], each[3] - each[1]))[-_ASKED_LINES:]
        upwards = sum(1 for left, top, right, bottom in longest if bottom - top > 1.5 * (right - left))
        if upwards > len(longest) / 2:
            return (90, 270)
        crops = (pixels[top:bottom, left:right] for left, top, right, bottom in longest)
        labels = [self._call(crop, use_det=False, use_rec=False).cls_res[0][0] for crop in crops if crop.size]
        return (180,) if labels.count("180") > len(labels) / 2 else ()

    def _call(self, grey: NDArray[np.uint8], *, use_det: bool, use_rec: bool) -> Any:
        # Each call sets what the next one would begin with: all of it is said every time.
        asks_way_up = not use_det
        with self._lock:
            return self._loaded()(
                np.repeat(grey[:, :, None], 3, axis=2),
                use_det=use_det,
                use_rec=use_rec,
                # With every look, lines would be turned one by one, and be read in the wrong order.
                use_cls=asks_way_up,
                return_word_box=use_rec,
            )

    def _loaded(self) -> Any:
        if self._engine is None:
            refuse_telemetry()
            try:
                from rapidocr import RapidOCR
            except ImportError as error:
                raise Unavailable(f"The package rapidocr is not installed. {_INSTALL}") from error
            self._engine = RapidOCR(
                params={
                    "Global.log_level": "critical",
                    "Global.text_score": 0.0,
                    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                }
            )
        return self._engine


def _lines_of(found: Any) -> Iterator[list[tuple[str, float, Quad]]]:
    """Yield the words of each line with their confidences and corners; a line without places of words is one word."""
    if found.txts is None or found.boxes is None:
        return
    placed = [line for line in found.word_results if line and all(box is not None for _, _, box in line)]
    if len(placed) != len(found.txts):
        placed = [[each] for each in zip(found.txts, found.scores, found.boxes, strict=True)]
    for line in placed:
        yield [(text.strip(), float(score), box) for text, score, box in line if text.strip()]


def _sides(quad: NDArray[np.float64]) -> tuple[int, int, int, int]:
    left, top = np.maximum(quad.min(axis=0), 0).astype(int)
    right, bottom = np.ceil(quad.max(axis=0)).astype(int)
    return int(left), int(top), int(right), int(bottom)
