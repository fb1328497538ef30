import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import { connect } from "../../testkit/service/http-client.ts";
import { runCommand } from "../../testkit/service/run-command.ts";
import { type ServerProcess, startServer } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";
import { requireImage } from "./images.ts";
import type { Container } from "./podman.ts";

const root = join(import.meta.dirname, "../..");
const image = requireImage("node");
const folder = mkdtempSync(join(tmpdir(), "earshot-container-"));
const file = (name: string): string => join(folder, name);
const gatewaySettings = {
  EARSHOT_DATA_DIR: file("gateway"),
  EARSHOT_EMBEDDED_NODE: "off",
  EARSHOT_NODES_EVIDENCE: "simulated",
  EARSHOT_NODES_POLICY: file("policy.json"),
  EARSHOT_NODES_COLLATERAL: file("collateral"),
};
let gateway: ServerProcess;
let container: Container;

beforeAll(async () => {
  await runCommand(["nodes", "simulate", folder]);
  const composeHash = measure(image.digest);
  changeFile("tee.json", { compose_hash: composeHash });
  changeFile("policy.json", { compose_hashes: [composeHash] });
  gateway = await startServer(file("gateway"), await freePort(), gatewaySettings);
  const { out } = await runCommand(["nodes", "enroll"], gatewaySettings);
  const tokenLines = [...out.matchAll(/^(EARSHOT_NODE_\w+)=(.*)$/gm)];
  const samples = join(root, "samples/bluesky.ndjson.gz");
  // A node reports its capabilities at attestation; they depend on its archive.
  await runCommand(["import", samples, "--platform", "bluesky"], {
    EARSHOT_DATA_DIR: file("node"),
  });
  container = image.start(
    {
      ...Object.fromEntries(tokenLines.map(([, name, value]) => [name, value])),
      EARSHOT_NODE_GATEWAY: gateway.base,
      EARSHOT_NODE_EVIDENCE: "simulated",
      EARSHOT_INGEST: "off",
      EARSHOT_BLUESKY_PUBLIC: "off",
    },
    [`${file("node")}:/data`, `${file("tee.json")}:/data/tee.json:ro`],
  );
}, 120_000);
afterAll(async () => {
  image.remove();
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function measure(digest: string): string {
  const example = readFileSync(join(root, "deploy/tee/deployments/example.json"), "utf8");
  const deployment = { ...JSON.parse(example), image: `registry.example/earshot-node@${digest}` };
  writeFileSync(file("deployment.json"), JSON.stringify(deployment));
  const script = join(root, "deploy/tee/app-compose.mjs");
  const args = [script, file("deployment.json")];
  return execFileSync(process.execPath, args, { encoding: "utf8" }).trim();
}

function changeFile(name: string, fields: Readonly<Record<string, unknown>>): void {
  const content = { ...JSON.parse(readFileSync(file(name), "utf8")), ...fields };
  writeFileSync(file(name), JSON.stringify(content));
}

test("a node is admitted by the measurement of its image, and its job's proof verifies", async () => {
  const isAdmitted = () => (container.logs().includes("attested and ready for jobs") ? true : null);
  await until("the node to be admitted", isAdmitted).catch((error: unknown) => {
    throw new Error(container.logs(), { cause: error });
  });
  const client = connect(gateway.base, gateway.key);
  const uuid = await client.submit("aurora", 3);
  const result = await client.result(uuid);
  client.close();
  expect(JSON.parse(result)).toHaveLength(3);

  const headers = { authorization: `Bearer ${gateway.key}` };
  const proof = await fetch(`${gateway.base}/v1/search/live/social/result/${uuid}/proof`, {
    headers,
  });
  writeFileSync(file("proof.json"), await proof.text());
  writeFileSync(file("result.json"), result);
  const trust = ["--policy", file("policy.json")];
  const expectedArgs = ["--job", uuid, "--query", "aurora", "--result", file("result.json")];
  const verify = ["verify", file("proof.json"), "--accept", "simulated", ...trust, ...expectedArgs];
  expect(await runCommand(verify)).toMatchObject({ code: 0, notes: "" });

  changeFile("policy.json", { compose_hashes: [measure(`sha256:${"1".repeat(64)}`)] });
  expect(await runCommand(verify)).toMatchObject({
    code: 1,
    out: expect.stringContaining("compose"),
  });
});

test("a containerised node exits with code 0 when it is stopped", () => {
  expect(container.stop()).toBe(0);
});
