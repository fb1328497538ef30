import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleUrl } from "../../src/http/openapi/code-samples/code-samples.ts";
import { openApiText } from "../../src/http/openapi/openapi.ts";
import { type FaultyProxy, startFaultyProxy } from "../../testkit/clients/faulty-proxy.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

type CodeSample = { lang: string; label: string; source: string };
type Operation = { operationId: string; "x-codeSamples": CodeSample[] };
type Sample = { operationId: string; request: RegExp; source: string };

const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  await openApiText(),
);

const labelSamples = (label: string): Sample[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, "x-codeSamples": samples }]) => {
      const request = new RegExp(
        `^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "[^/?]+")}(\\?|$)`,
      );
      return samples
        .filter((sample) => sample.label === label)
        .map(({ source }) => ({ operationId, request, source }));
    }),
  );

const checkout = join(import.meta.dirname, "../..");
const client = join(checkout, "clients/typescript/src/index.ts");
/** The interpreter that .ci/python-client installs. */
const python = join(checkout, "clients/python/.venv/bin/python");
const folder = mkdtempSync(join(tmpdir(), "earshot-samples-"));
const run = promisify(execFile);

let service: ServiceUnderTest;
let proxy: FaultyProxy;
let requests: string[] = [];

beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_WEBHOOK_CONCURRENCY: "0" });
  const createdMs = service.clock.now() - 60_000;
  const createdAt = new Date(createdMs).toISOString();
  await service.addPosts([
    makePost({ key: "one", createdMs, createdAt, langs: ["en"], text: "a comet tonight" }),
  ]);
  proxy = await startFaultyProxy(
    () => service.url,
    ({ method, url }) => {
      requests.push(`${method} ${url}`);
      return "pass";
    },
  );
  writeFileSync(join(folder, ".curlrc"), "fail-with-body\n");
  const command = join(folder, "earshot");
  const program = join(checkout, "bin/earshot.mjs");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(command, 0o755);
});

afterAll(async () => {
  await proxy.close();
  await service.remove();
  rmSync(folder, { recursive: true });
});

/** Runs a sample with a new account that has a finished job and a webhook that was tested. */
async function execute(
  { source }: Sample,
  command: (source: string) => [program: string, args: readonly string[]],
) {
  const key = await service.makeKey();
  const { uuid } = (await service.submit(key, { query: "comet lang:en" })).json();
  await service.result(key, uuid);
  const webhook = { url: "https://example.com/earshot" };
  const { id } = (
    await service.call(key, { method: "POST", url: "/v1/webhooks", payload: webhook })
  ).json();
  const url = `/v1/webhooks/${id}/test`;
  const { id: delivery } = (await service.call(key, { method: "POST", url })).json();
  const own = source
    .replaceAll(sampleUrl, proxy.url)
    .replaceAll(/0f8fad5b-[\da-f-]+/g, uuid)
    .replaceAll(/wh_4f\w+/g, id)
    .replaceAll(/msg_9b\w+/g, delivery);
  requests = [];
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    CURL_HOME: folder,
    EARSHOT_API_KEY: key,
  };
  const [program, args] = command(own);
  return await run(program, args, { env }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** How a client reports that there is no proof. */
const noProofError = /EarshotError: .*find nodes that sign results/;

const shell = (source: string): [string, string[]] => ["bash", ["-c", source]];

/** No node has attested to this service. */
const refusals = new Map([
  ["fetchProof", "proof_not_found"],
  ["fetchProofWithoutPlatform", "proof_not_found"],
  ["readAttestation", "attestation_not_found"],
]);

test.each(labelSamples("curl"))("the curl sample calls $operationId", async (sample) => {
  const { code, stdout, stderr } = await execute(sample, shell);
  expect(requests).toEqual([expect.stringMatching(sample.request)]);
  const refusal = refusals.get(sample.operationId);
  if (refusal === undefined) expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  else expect(JSON.parse(stdout)).toMatchObject({ code: refusal });
});

test.each(labelSamples("CLI"))("the command line sample calls $operationId", async (sample) => {
  const { code, stdout, stderr } = await execute(sample, shell);
  expect({ code }, stderr).toEqual({ code: 0 });
  expect(requests).toContainEqual(expect.stringMatching(sample.request));
  expect(stdout).toMatch(/a comet tonight| 1\b/);
});

describe("TypeScript samples", () => {
  const samples = labelSamples("TypeScript");

  test("the TypeScript samples have no type errors", async () => {
    const project = join(folder, "types");
    mkdirSync(project);
    for (const { operationId, source } of samples) {
      writeFileSync(join(project, `${operationId}.mts`), source);
    }
    const compilerOptions = {
      paths: { "earshot-client": [client] },
      typeRoots: [join(checkout, "node_modules/@types")],
      lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    };
    const extended = join(checkout, "tsconfig.json");
    const configuration = { extends: extended, compilerOptions, include: ["*.mts"], exclude: [] };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify(configuration));
    const compiler = join(checkout, "node_modules/typescript/bin/tsc");
    await run(process.execPath, [compiler, "-p", project]);
  });

  test.each(samples)("the TypeScript sample calls $operationId", async (sample) => {
    const file = join(folder, `${sample.operationId}.mts`);
    const { code, stderr } = await execute(sample, (source) => {
      writeFileSync(file, source.replace('"earshot-client"', `"${pathToFileURL(client)}"`));
      return [process.execPath, [file]];
    });
    expectSuccess(sample, code, stderr);
  });
});

function expectSuccess({ operationId, request }: Sample, code: unknown, stderr: string): void {
  expect(requests).toContainEqual(expect.stringMatching(request));
  const refusal = refusals.get(operationId);
  if (refusal === undefined) expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  else expect(stderr).toMatch(noProofError);
}

const skipped = existsSync(python) ? "" : " (skipped: needs .ci/python-client)";

describe.skipIf(!existsSync(python))(`Python samples${skipped}`, () => {
  test.each(labelSamples("Python"))("the Python sample calls $operationId", async (sample) => {
    const { code, stderr } = await execute(sample, (source) => [python, ["-c", source]]);
    expectSuccess(sample, code, stderr);
  });
});
