# The help bot in a container: any user but root, a read-only root file system, data in the volume /data.
FROM python:3.11.13-slim-bookworm AS build

WORKDIR /src
RUN python -m venv /opt/golden
COPY pyproject.toml constraints.txt README.md LICENSE NOTICE ./
COPY contracts contracts
COPY database database
COPY jargon_db jargon_db
COPY library library
COPY tools tools
COPY intrinsics intrinsics
COPY agent agent
COPY ingestion ingestion
COPY serving serving
COPY ui ui
COPY evaluation evaluation
COPY golden_retriever golden_retriever
COPY scripts/build_weights.py scripts/
# With the packages that a server with replicas needs. The wheel built here contains the embedding model's weights.
RUN /opt/golden/bin/python -m pip install --no-cache-dir --quiet --disable-pip-version-check -c constraints.txt ".[postgres,redis]"
# Prepare the embedding model now, so that no start needs a network or a writable cache. The cache identifies the files
# by their modification times: whole seconds survive the copy into the next stage.
RUN find /opt/golden/lib -path '*minilm*' -type f -exec touch -d 2026-01-01T00:00:00Z {} + \
    && XDG_CACHE_HOME=/opt/golden/cache GOLDEN_DATA_DIR=/tmp/prepared /opt/golden/bin/golden ask "Is the model ready?" \
    && find /opt/golden/cache -mindepth 1 -maxdepth 1 ! -name golden-retriever -exec rm -r {} + \
    && /opt/golden/bin/python -m pip uninstall --yes --quiet pip setuptools


FROM python:3.11.13-slim-bookworm

LABEL org.opencontainers.image.title="Golden Retriever" \
      org.opencontainers.image.description="The help bot that speaks your company's jargon" \
      org.opencontainers.image.licenses="Apache-2.0"

# Debian's point releases decide the exact version of Tesseract 5.3; each document's report names it.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin golden \
    && install --directory --owner=golden --group=golden /data
COPY --from=build /opt/golden /opt/golden

# All files are written to /data or /tmp: mount a volume and a tmpfs there, and the rest may be read-only.
ENV PATH=/opt/golden/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    XDG_CACHE_HOME=/opt/golden/cache \
    MPLCONFIGDIR=/tmp/matplotlib \
    GRADIO_TEMP_DIR=/tmp/gradio \
    GRADIO_ANALYTICS_ENABLED=False \
    HOME=/tmp \
    GOLDEN_DATA_DIR=/data \
    GOLDEN_HOST=0.0.0.0 \
    GOLDEN_PORT=7860 \
    GOLDEN_LOG_FORMAT=json
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 7860
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as http; http.urlopen('http://127.0.0.1:' + os.environ['GOLDEN_PORT'] + '/healthz', timeout=4)"]
ENTRYPOINT ["golden"]
CMD ["serve"]
