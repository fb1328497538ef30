import { randomBytes, randomUUID } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { AnswerRequest, FetchedItem, SourceAnswer } from "../src/platforms/source.ts";
import { rateQuote } from "../src/remote/evidence/quote.ts";
import { openQuote } from "../src/remote/evidence/signed-quote.ts";
import {
  readSimulatedTee,
  writeSimulatedTee,
} from "../src/remote/evidence/simulated/simulated-folder.ts";
import { createSimulatedTee } from "../src/remote/evidence/simulated/simulated-tee.ts";
import { answerBody, answerBytes, readAnswer } from "../src/remote/protocol/answer.ts";
import { decryptAnswer, encryptAnswer } from "../src/remote/protocol/encrypted-answer.ts";
import { createOpenedLeases, encryptJob, openJob } from "../src/remote/protocol/encrypted-job.ts";
import { deriveGatewayKey, makeRunKeys } from "../src/remote/protocol/keys.ts";
import { signResult, verifyResult } from "../src/remote/protocol/signed-result.ts";
import { hashKeyId } from "../src/remote/protocol/statement.ts";
import { knowledgeText, requestText } from "../src/remote/protocol/texts.ts";
import { enrolmentTokenIn } from "../testkit/nodes/enrolment-token.ts";
import { nodeAt } from "../testkit/nodes/hand-driven-node.ts";
import { connectedNodes, makeKey, setNodeState } from "../testkit/nodes-chaos/operator.ts";
import { generatedPosts } from "../testkit/nodes-chaos/posts.ts";
import { type Actor, createActor, runEarshot } from "../testkit/nodes-chaos/processes.ts";
import { freePort } from "../testkit/service/free-port.ts";
import { connect } from "../testkit/service/http-client.ts";
import { until } from "../testkit/until.ts";
import { command, summary, table, timed } from "./measure.ts";

/**
 * Encryption, decryption, signing and checking alone; the same searches on an embedded node, a remote node without
 * evidence and one with a simulated quote; then attestation. --jobs sets the number of searches.
 */
const { values } = parseArgs({
  args: argv.slice(2),
  options: { jobs: { type: "string", default: "300" } },
});
const jobs = Number(values.jobs);
const maxResults = 20;
const posts = generatedPosts(200, 30);
const folder = mkdtempSync(join(tmpdir(), "earshot-bench-nodes-"));
const actors: Actor[] = [];

console.log(`${command()}: ${jobs} searches each, newest ${maxResults} posts\n`);
try {
  await measureSteps();
  const simulatedDir = join(folder, "simulated");
  await writeSimulatedTee(simulatedDir, Date.now());
  await measureServices(simulatedDir);
} finally {
  await Promise.all(actors.map((actor) => actor.end("SIGKILL")));
  rmSync(folder, { recursive: true, force: true });
}

async function measureSteps(): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const count of [20, 100]) rows.push(...(await stepRows(count)));
  console.log(table(["step, ms", "records", "KB", "p50", "p95"], rows));
  const world = createSimulatedTee({ nowMs: Date.now() });
  const collateral = world.collateral();
  const { rootDer } = world;
  const verifyMs: number[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const quote = world.quote(randomBytes(64));
    verifyMs.push(
      await timed(() => rateQuote(openQuote(quote, rootDer, Date.now()), collateral, Date.now())),
    );
  }
  const { p50, p95 } = summary(verifyMs.slice(20));
  console.log(`\nverifying a simulated quote: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
}

async function stepRows(count: number): Promise<(string | number)[][]> {
  const keys = await makeRunKeys();
  const gateway = deriveGatewayKey(randomBytes(32));
  const keyId = hashKeyId({ signing_key: keys.signingKey, sealing_key: keys.encryptionKey });
  const request = exampleRequest(count);
  const answer = exampleAnswer(request, count);
  const items = answer.items;
  const openedLeases = createOpenedLeases();
  const durations: Record<string, number[]> = {};
  const timeStep = async <Value>(
    step: string,
    run: () => Promise<Value> | Value,
  ): Promise<Value> => {
    const startMs = performance.now();
    const value = await run();
    durations[step] ??= [];
    durations[step].push(performance.now() - startMs);
    return value;
  };
  let kilobytes = 0;
  let before = process.cpuUsage();
  for (let turn = 0; turn < jobs + 20; turn += 1) {
    if (turn === 20) before = process.cpuUsage();
    const job = randomUUID();
    const text = requestText(request);
    const nowMs = Date.now();
    const { envelope, answerKey: gatewayAnswerKey } = await timeStep(
      "gateway encrypts and signs the job",
      () =>
        encryptJob({
          keyId,
          encryptionKey: keys.encryptionKey,
          job,
          lease: randomUUID(),
          payload: {
            token: randomUUID(),
            attempt: 1,
            left_ms: 60_000,
            hold_ms: 30_000,
            request: text,
          },
          nowMs,
          lifetimeMs: 60_000,
          gateway,
        }),
    );
    const { answerKey } = await timeStep("node checks and decrypts it", () =>
      openJob(envelope, { keys, keyId, gatewayKey: gateway.publicKey, nowMs, openedLeases }),
    );
    const knowledge = knowledgeText({ ...answer });
    const encryptedAnswer = await timeStep("node signs and encrypts the answer", () => {
      const body = answerBody(items);
      kilobytes = Buffer.byteLength(body) / 1_000;
      const statement = { body, job, request: text, knowledge, keyId, nowMs };
      const evidence = { evidence: "none", quoteSha256: null } as const;
      const fields = signResult({ ...statement, ...evidence, attestationId: "A".repeat(43) }, keys);
      return encryptAnswer(answerKey, answerBytes({ body, items, knowledge, fields }));
    });
    await timeStep("gateway opens and checks it", async () => {
      const parsedAnswer = await readAnswer(
        decryptAnswer(gatewayAnswerKey, encryptedAnswer),
        request,
      );
      const { body, fields } = parsedAnswer;
      verifyResult(fields, { body, knowledge, request: text, signingKey: keys.signingKey });
    });
  }
  // The first 20 rounds warm up.
  const { user, system } = process.cpuUsage(before);
  const rows = Object.entries(durations).map(([step, all]) => ({ step, all: all.slice(20) }));
  const totals = Array.from({ length: jobs }, (_, n) =>
    rows.reduce((sum, { all }) => sum + (all[n] ?? 0), 0),
  );
  const size = [String(count), kilobytes.toFixed(0)];
  const cells = [...rows, { step: "total", all: totals }].map(({ step, all }) => {
    const { p50, p95 } = summary(all);
    return [step, ...size, p50, p95];
  });
  // Unlike the steps, CPU time is not affected by other load.
  const processorMs = (user + system) / 1_000 / jobs;
  return [...cells, ["total CPU time, mean", ...size, processorMs, ""]];
}

function exampleRequest(count: number): AnswerRequest {
  return {
    platform: "x",
    type: "social",
    method: "searchbyfullarchive",
    query: posts.word(0),
    fromMs: null,
    toMs: Date.now(),
    asOfMs: Date.now(),
    after: null,
    maxResults: count,
  };
}

function exampleAnswer(
  { toMs }: AnswerRequest,
  count: number,
): Omit<SourceAnswer, "items"> & { items: FetchedItem[] } {
  const items = Array.from({ length: count }, (_, n): FetchedItem => {
    const id = 1_900_000_000_000_000_000n - BigInt(n);
    const uri = `https://x.com/i/status/${id}`;
    const record = JSON.stringify({
      ID: id.toString(),
      Content: `A generated post about ${posts.word(0)}, with the length of most. #${n} `.repeat(2),
      Metadata: {
        platform: "x",
        uri,
        user_id: "12",
        username: "generated",
        created_at: "2025-03-13T00:00:00.000Z",
        metrics: { likes: 12, reposts: 3, replies: 1, quotes: 0 },
        hashtags: [String(n)],
      },
      Score: 0,
    });
    return { platform: "x", id, uri, userId: "12", record };
  });
  const coverage = { fromMs: null, toMs, complete: false, gaps: [{ fromMs: null, toMs }] };
  return { items, next: null, complete: false, coverage, sources: [], warnings: [] };
}

type Service = { name: string; base: string; dir: string; key: string };

/** Interleaved, so that other load affects all services equally. */
async function measureServices(simulatedDir: string): Promise<void> {
  const file = join(folder, "posts.ndjson");
  posts.write(file);
  const embeddedNode = await service("embedded node", "on", simulatedDir);
  const unattestedNode = await service("remote node, none", "off", simulatedDir);
  const attestedNode = await service("remote node, simulated", "off", simulatedDir);
  await runEarshot(embeddedNode.dir, ["import", file, "--platform", "x"]);
  await startRemote(unattestedNode, "none", simulatedDir, file);
  await startRemote(attestedNode, "simulated", simulatedDir, file);

  const services = [embeddedNode, unattestedNode, attestedNode];
  const clients = services.map(({ base, key }) => connect(base, key));
  const durations = services.map((): number[] => []);
  for (let turn = 0; turn < jobs + 30; turn += 1) {
    for (const [index, client] of clients.entries()) {
      const word = posts.word(turn % posts.topics);
      const ms = await timed(async () => client.result(await client.submit(word, maxResults)));
      if (turn >= 30) durations[index]?.push(ms);
    }
  }
  for (const client of clients) client.close();
  const embeddedMs = summary(durations[0] ?? []).p50;
  const rows = services.map(({ name }, index) => {
    const { p50, p95 } = summary(durations[index] ?? []);
    const min = Math.min(...(durations[index] ?? []));
    return [name, min, p50, p95, index === 0 ? "" : (p50 - embeddedMs).toFixed(3)];
  });
  console.log(
    `\n${table(["submission to fetched result, ms", "min", "p50", "p95", "p50 above the embedded node"], rows)}`,
  );
  await measureAttestation(attestedNode, simulatedDir);
}

async function service(name: string, embedded: string, simulatedDir: string): Promise<Service> {
  const dir = join(folder, name.replaceAll(/\W+/g, "-"));
  mkdirSync(dir);
  const { token } = await makeKey(dir, "bench");
  const port = await freePort();
  start(name, ["serve"], dir, {
    EARSHOT_PORT: String(port),
    EARSHOT_EMBEDDED_NODE: embedded,
    EARSHOT_NODES_EVIDENCE: "simulated,none",
    EARSHOT_NODES_POLICY: join(simulatedDir, "policy.json"),
    EARSHOT_NODES_COLLATERAL: join(simulatedDir, "collateral"),
    EARSHOT_NODES_DISPATCHES_PER_SECOND: "100000",
  });
  const base = `http://127.0.0.1:${port}`;
  await until(`the gateway of ${name}`, async () => {
    const response = await fetch(`${base}/livez`).catch(() => null);
    return response?.ok === true ? true : null;
  });
  return { name, base, dir, key: token };
}

async function startRemote(
  { name, base, dir }: Service,
  evidence: string,
  simulatedDir: string,
  file: string,
): Promise<void> {
  const nodeDir = `${dir}-node`;
  const nodeName = "bench";
  await runEarshot(nodeDir, ["import", file, "--platform", "x"]);
  copyFileSync(join(simulatedDir, "tee.json"), join(nodeDir, "tee.json"));
  start(`node of ${name}`, ["node", "--gateway", base, "--name", nodeName], nodeDir, {
    EARSHOT_NODE_ENROLMENT_TOKEN: enrolmentTokenIn(dir),
    EARSHOT_NODE_EVIDENCE: evidence,
  });
  await until(`the node of ${name}`, async () => {
    await setNodeState(dir, nodeName, "approve");
    return (await connectedNodes(base)) === 1 ? true : null;
  });
}

function start(
  name: string,
  args: readonly string[],
  dataDir: string,
  settings: Record<string, string>,
): void {
  const actor = createActor({
    name,
    args,
    dataDir,
    settings,
    logFile: `${dataDir}.log`,
    command: (program, all) => [program, [...all]],
  });
  actors.push(actor);
  actor.start();
}

async function measureAttestation({ base, dir }: Service, simulatedDir: string): Promise<void> {
  const tee = await readSimulatedTee(join(simulatedDir, "tee.json"));
  const gateway = {
    enrolmentToken: enrolmentTokenIn(dir),
    nowMs: Date.now,
    send: async (path: string, headers: Record<string, string>, body: string) => {
      const response = await fetch(`${base}${path}`, { method: "POST", headers, body });
      return { statusCode: response.status, body: await response.text() };
    },
  };
  const durations: number[] = [];
  for (let turn = 0; turn < 25; turn += 1) {
    // The gateway pauses 100 ms after each unknown node.
    await sleep(150);
    const name = `bench-${turn}`;
    const evidenceFor = (reportData: Uint8Array) => tee.evidence(reportData);
    const node = await nodeAt(gateway, { evidence: "simulated", evidenceFor, name });
    const startMs = performance.now();
    const { state } = await node.attest();
    if (state !== "admitted") throw new Error(`the node is ${state}`);
    if (turn >= 5) durations.push(performance.now() - startMs);
  }
  const { p50, p95 } = summary(durations);
  const cells = [["challenge to admission", p50, p95]];
  console.log(`\n${table(["attestation, simulated quote, ms", "p50", "p95"], cells)}`);
}
