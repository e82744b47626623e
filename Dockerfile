# Two images from one file: `farm` holds environments only, `sidecar` holds task packs with their gold as well.

# Locked dependencies, then envfarm itself, in a virtual environment that the images take over whole.
FROM python:3.12-slim AS installed
WORKDIR /src
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore
COPY requirements-image.lock requirements-build.lock ./
# What only tests of the packages need stays out of the images, and pip with it.
RUN python -m venv /opt/build \
 && /opt/build/bin/pip install --quiet --no-deps --require-hashes -r requirements-build.lock \
 && python -m venv --without-pip /opt/envfarm \
 && /opt/build/bin/pip --python /opt/envfarm install --quiet --no-deps --require-hashes -r requirements-image.lock \
 && find /opt/envfarm/lib -type d -name tests -path '*/site-packages/*' -prune -exec rm -rf {} +
COPY . .
RUN /opt/build/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /opt/build/bin/pip --python /opt/envfarm install --quiet --no-deps /wheels/*.whl

# Environments and packs of seeds/; the same bytes on every machine.
FROM installed AS built
ARG SEEDS=
RUN ENVFARM_HOME=/built /opt/envfarm/bin/envfarm build $SEEDS

FROM python:3.12-slim AS runtime
# Names of files that hold secrets, not secrets: hadolint cannot tell.
# hadolint ignore=DL3064
ENV PATH=/opt/envfarm/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    ENVFARM_HOME=/var/lib/envfarm ENVFARM_TOKENS=/run/envfarm/tokens ENVFARM_TOKEN_HASHES=/run/envfarm-hashes/token_hashes
# Folders that volumes are mounted on belong to the user, so that new volumes do too.
RUN groupadd --system --gid 10001 envfarm \
 && useradd --system --uid 10001 --gid 10001 --home-dir /var/lib/envfarm --no-create-home --shell /usr/sbin/nologin envfarm \
 && install -d -o envfarm -g envfarm -m 700 /run/envfarm /run/envfarm-hashes /run/envfarm-database /var/lib/envfarm /var/lib/envfarm/store
COPY --from=installed /opt/envfarm /opt/envfarm
COPY --from=built --chown=root:envfarm /built/environments /var/lib/envfarm/environments
# By number, so that an engine which asks for a user other than root can tell.
USER 10001:10001
WORKDIR /var/lib/envfarm

FROM runtime AS sidecar
COPY --from=built --chown=root:envfarm /built/packs /var/lib/envfarm/packs
ENV ENVFARM_SIDECAR_HOST=0.0.0.0 ENVFARM_SIDECAR_PORT=8802 ENVFARM_SIDECAR_URL=http://127.0.0.1:8802
EXPOSE 8802
HEALTHCHECK --interval=5s --timeout=10s --start-period=60s --retries=6 \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8802/healthz', timeout=2)"]
CMD ["python", "-m", "server.sidecar.main"]

# Last, so that a build without a target makes the image that knows no gold.
FROM runtime AS farm
ENV ENVFARM_HOST=0.0.0.0 ENVFARM_PORT=8800 ENVFARM_CONTROL_PORT=8801
EXPOSE 8800
HEALTHCHECK --interval=5s --timeout=10s --start-period=60s --retries=6 \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8800/readyz', timeout=2)"]
CMD ["envfarm", "up", "--no-sidecar", "--no-build"]
