import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import { runCommand } from "../../testkit/service/run-command.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const page = readFileSync(new URL("../../docs/quickstart.md", import.meta.url), "utf8");
const text = "The aurora tonight was green to the horizon";

let service: ServiceUnderTest;
let key: string;
beforeAll(async () => {
  service = await startServiceUnderTest();
  const post = makePost({ text, langs: ["en"] });
  await service.context.archive.write({ changes: [{ kind: "upsert", post }], coverage: [] });
  key = await service.makeKey();
});
afterAll(() => service.remove());

const labelSample = (label: string): string =>
  (
    new RegExp(`^\`\`\`\\w+ \\[${label}\\]\\n([\\s\\S]*?)^\`\`\``, "m").exec(page)?.[1] ?? ""
  ).replace("http://127.0.0.1:8080", service.url);

test("the curl sample of the quickstart finds posts", async () => {
  const env = { ...process.env, EARSHOT_API_KEY: key };
  const { stdout } = await promisify(execFile)("bash", ["-c", labelSample("curl")], { env });
  expect(JSON.parse(stdout).results[0].Content).toBe(text);
});

test("the command line sample of the quickstart finds posts", async () => {
  const [, query = "", url = ""] = /search '(.+)' --url (\S+)/.exec(labelSample("CLI")) ?? [];
  const { code, out } = await runCommand(["search", query, "--url", url], { EARSHOT_API_KEY: key });
  expect(code).toBe(0);
  expect(out).toContain(text);
});

test("all samples of the quickstart have the same query", () => {
  for (const label of ["curl", "TypeScript", "Python", "CLI"])
    expect(labelSample(label)).toContain("aurora lang:en -filter:retweets");
});
