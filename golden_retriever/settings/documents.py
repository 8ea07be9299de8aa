"""Settings of how documents are read and found."""

from typing import Literal

from pydantic import BaseModel, Field


class DocumentSettings(BaseModel):
    """How documents are read and found."""

    embedding_model: str = Field(
        "", description="Folder or name of a sentence-transformers model; empty: all-MiniLM-L6-v2 on ONNX Runtime."
    )
    embedding_runtime: Literal["onnx", "openvino"] = Field(
        "onnx",
        description="What computes all-MiniLM-L6-v2: ONNX Runtime, or OpenVINO (extra openvino), twice as fast on "
        "processors with avx512_bf16 or AMX; documents are embedded again when it changes the vectors.",
    )
    ocr_engine: Literal["tesseract", "rapidocr"] = Field(
        "tesseract", description="What reads scanned pages; where tesseract is not installed and rapidocr is: that."
    )
    ocr_language: str = Field("eng", description="Tesseract's language codes, joined with +.")
    ocr_dpi: int = Field(200, ge=100, le=600, description="Resolution at which scanned pages are read first.")
    ocr_least_confidence: float = Field(
        0.6, ge=0, le=1, description="Scanned pages read less surely than this are listed as poor pages."
    )
    summaries: bool = Field(
        True,
        description="Whether sections are summarised at ingestion, and found by it; changed, files are read again.",
    )
    workers: int = Field(0, ge=0, le=4_096, description="Processes that read files; 0: one a core.")
    ingest_engine: Literal["local", "ray"] = Field(
        "local", description="Where files are read: in processes of this machine, or on a Ray cluster."
    )
    ray_address: str = Field(
        "",
        description="The Ray cluster: auto, or ray://host:10001; empty: that of RAY_ADDRESS, or one started here.",
    )
