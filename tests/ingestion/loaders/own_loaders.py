"""Document loaders that the tests name by their module."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document


class WikiLoader(BaseLoader):
    """Gives the pages in a JSON file, each from an address; where a page's text is FAIL, it fails as a server does."""

    def __init__(self, path: str, token: str = "") -> None:
        self._path = path
        self._token = token

    def lazy_load(self) -> Iterator[Document]:
        """Yield page after page, with something in each that differs from run to run."""
        for name, text in json.loads(Path(self._path).read_text()).items():
            if text == "FAIL":
                raise ConnectionError(f"GET https://wiki.example/{name}?token={self._token} timed out")
            source = f"https://wiki.example/{name}"
            yield Document(page_content=text, metadata={"source": source, "title": f"Page {name}", "at": os.urandom(4)})


class NeedyLoader:
    """Needs a package that nobody has."""

    def lazy_load(self) -> Iterator[Document]:
        """Import it."""
        import a_package_that_nobody_has  # noqa: F401

        yield Document(page_content="never")


class NoLoader:
    """Has no way to load."""
