import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Archive } from "../archive/archive.ts";
import { buildNodeApp } from "../http/node-app/app.ts";
import type { Clock } from "../lib/clock.ts";
import { requestText } from "../remote/protocol/texts.ts";
import { attestationsPerMinute, introspectionMs } from "../remote/settings.ts";
import { attestToCaller } from "../remote/worker/caller-attestation.ts";
import { unreachable } from "../remote/worker/gateway-faults.ts";
import { createIntrospection } from "../remote/worker/introspection.ts";
import { withoutMisfits, withRecords } from "../remote/worker/shown-records.ts";
import { proofOf, signedFields } from "../remote/worker/signed-answer.ts";
import type { NodeWorker } from "./node-worker.ts";
import type { NodeConfig } from "./require-node-settings.ts";
import type { UpstreamRole } from "./upstreams.ts";

/** The app of a node that listens: keys are those of its gateway, answers are its own. */
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
      if (attestLoop.admitted() === null) throw notAttested();
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
      const attested = attestLoop.admitted();
      if (attested === null) throw notAttested();
      const attestation = await ownAttestation.of(attested.attestationId);
      const job = { uuid, request: requestText(request), attested, answer: found };
      return proofOf(signing, job, attestation);
    },
    sign: ({ uuid, request }, found, body) => {
      const attested = attestLoop.admitted();
      if (attested === null) throw notAttested();
      const job = { uuid, request: requestText(request), attested, answer: found };
      return signedFields(signing, job, body);
    },
    attest: async (nonce) => {
      const standing = attestLoop.standing();
      const gatewayKey =
        "attested" in standing ? standing.attested.gatewayKey : config.node.gatewayKey;
      if (gatewayKey === null) throw notAttested();
      return await attestToCaller({ self, provider, gatewayKey }, nonce);
    },
    standing: () => ({
      state: attestLoop.standing().state,
      isAttested: attestLoop.admitted() !== null,
    }),
  });
}

const notAttested = () => unreachable("the gateway has taken no attestation of the node yet");
