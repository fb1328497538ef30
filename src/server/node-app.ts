import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Archive } from "../archive/archive.ts";
import { buildNodeApp } from "../http/node-app/app.ts";
import type { Clock } from "../lib/clock.ts";
import { requestText } from "../remote/protocol/texts.ts";
import { attestationsPerMinute, introspectionMs } from "../remote/settings.ts";
import { signAnswer, withoutMisfits } from "../remote/worker/answers.ts";
import { attestToCaller } from "../remote/worker/attestations.ts";
import { unreachable } from "../remote/worker/gateway-errors.ts";
import { createIntrospection } from "../remote/worker/introspection.ts";
import { withRecords } from "../search/with-records.ts";
import type { NodeWorker } from "./node-worker.ts";
import type { NodeConfig } from "./require-node-settings.ts";
import type { UpstreamRole } from "./upstreams.ts";

/** Callers authenticate with keys of the gateway; the node answers by itself. */
export function createNodeApp({
  config,
  worker,
  archive,
  answer,
  clock,
  log,
}: {
  config: NodeConfig;
  worker: NodeWorker;
  archive: Archive;
  answer: UpstreamRole["answer"];
  clock: Clock;
  log: Logger;
}): FastifyInstance {
  const { self, provider, link, attestLoop, gatewayClock, ownAttestation } = worker;
  const introspection = createIntrospection({ link, clock, maxAgeMs: introspectionMs });
  const signing = { self, evidence: provider.kind, gatewayClock };
  const requireAttested = () => {
    const attested = attestLoop.admitted();
    if (attested === null) throw notAttested();
    return attested;
  };
  return buildNodeApp({
    settings: {
      ...config.http,
      ...config.search,
      failedKeysPerMinute: config.limits.failedKeysPerMinute,
      attestationsPerMinute,
      deadlineMs: config.jobs.deadlineMs,
      concurrency: Math.max(1, config.jobs.concurrency),
    },
    clock,
    log,
    newId: randomUUID,
    node: { id: self.nodeId, evidence: provider.kind },
    nowMs: gatewayClock.now,
    introspect: async (keyId, secretSha256) => {
      requireAttested();
      return await introspection.of(keyId, secretSha256);
    },
    answer: async ({ uuid, request, deadlineMs, signal }) => {
      const job = { uuid, accountId: "", attempt: 1, deadlineMs, signal };
      const shown = await withRecords(archive, await answer(request, job));
      return await withoutMisfits(request, shown, (check) =>
        log.warn({ uuid, check }, "a record was left out that does not fit its request"),
      );
    },
    prove: async ({ uuid, request }, found) => {
      const attested = requireAttested();
      const attestation = await ownAttestation.of(attested.attestationId);
      const job = { uuid, request: requestText(request), attested, answer: found };
      const signed = signAnswer(signing, job);
      return { version: 1, job: uuid, ...signed, request: job.request, attestation };
    },
    sign: ({ uuid, request }, found, body) => {
      const attested = requireAttested();
      const job = { uuid, request: requestText(request), attested, answer: found };
      return signAnswer(signing, job, body).fields;
    },
    attest: async (nonce) => {
      const status = attestLoop.status();
      const gatewayKey = "attested" in status ? status.attested.gatewayKey : config.node.gatewayKey;
      if (gatewayKey === null) throw notAttested();
      return await attestToCaller(self, provider, { nonce, gatewayKey });
    },
    status: () => ({
      state: attestLoop.status().state,
      isAttested: attestLoop.admitted() !== null,
    }),
  });
}

const notAttested = () => unreachable("the gateway has taken no attestation of the node yet");
