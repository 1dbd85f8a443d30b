# The state lives in /state (give it a volume, and INGESTD_STATE__MUST_EXIST=true from the second start on: with the volume
# lost, ingestd then refuses to send every document again), the folders are mounted read-only below /data, the configuration is
# /etc/ingestd/ingestd.yaml. An example stands in config/compose.example.yaml. To build from base images that cannot change:
# docker build --build-arg NODE_IMAGE=node@sha256:… --build-arg BASE_IMAGE=debian@sha256:… .
ARG NODE_VERSION=24
ARG NODE_IMAGE=node:${NODE_VERSION}-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build && npm run sbom
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE_IMAGE}
# What is known only when the image is built: --build-arg VERSION=… REVISION=$(git rev-parse HEAD) and so on.
ARG VERSION=unknown
ARG REVISION=unknown
ARG SOURCE=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="ingestd" \
      org.opencontainers.image.description="Keeps folders in a document ingestion service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.created="${CREATED}"
RUN groupadd --gid 1000 ingestd \
 && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /state --shell /usr/sbin/nologin ingestd \
 && install -d -m 0700 -o 1000 -g 1000 /state \
 && install -d -m 0755 /data /etc/ingestd \
 && ln -s /app/dist/main.js /usr/local/bin/ingestd
# The interpreter alone: no package manager goes into the image.
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /usr/local/LICENSE /usr/local/share/doc/node/LICENSE
# The licences of what is bundled are in dist/THIRD-PARTY-LICENSES.txt, what it is made of is in dist/sbom.cdx.json.
COPY LICENSE /app/LICENSE
COPY --from=build /app/package.json /app/
COPY --from=build /app/node_modules /app/node_modules
COPY config /app/config
COPY fixtures /app/fixtures
COPY --from=build --chmod=755 /app/dist /app/dist

ENV NODE_ENV=production \
    INGESTD_CONFIG=/etc/ingestd/ingestd.yaml \
    INGESTD_STATE__DIR=/state
WORKDIR /data
VOLUME ["/state"]
EXPOSE 7420
# A number, so that Kubernetes can see that it is not root.
USER 1000:1000
# Asks the running daemon whether it makes progress, not whether a port is open.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["ingestd", "health"]
ENTRYPOINT ["ingestd"]
CMD ["run"]
