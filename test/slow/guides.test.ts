import { execFile } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "../../testkit/mcp/tool-calls.ts";

const checkout = join(import.meta.dirname, "../..");
const page = readFileSync(join(checkout, "docs/guides.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "earshot-guides-"));
const bin = join(folder, "bin");
const run = promisify(execFile);
const environment = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: folder,
  EARSHOT_BLUESKY_PUBLIC: "off",
};

beforeAll(() => {
  mkdirSync(bin);
  const command = join(bin, "earshot");
  const program = join(checkout, "bin/earshot.mjs");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(command, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function blocksOf(guide: string, language: string): string[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${guide}\n`));
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm");
  return [...(section ?? "").matchAll(fence)].map(([, block = ""]) => block);
}

/** In its own folder. */
async function follow(guide: string) {
  const cwd = join(folder, guide.replaceAll(" ", "-"));
  mkdirSync(cwd);
  symlinkSync(join(checkout, "samples"), join(cwd, "samples"));
  const blocks = blocksOf(guide, "sh");
  expect(blocks.length).toBeGreaterThan(0);
  const script = `set -e -o pipefail\n${blocks.join("")}`;
  const { stdout, stderr } = await run("bash", ["-c", script], { cwd, env: environment });
  return {
    stdout,
    notes: stderr,
    data: join(cwd, "data"),
    read: (name: string) => readFileSync(join(cwd, name), "utf8"),
  };
}

test("an agent finds and cites what the guide imports", async () => {
  const { data } = await follow("Ask from an agent");
  const [configuration = ""] = blocksOf("Ask from an agent", "json");
  const { command, args, env } = JSON.parse(configuration).mcpServers.earshot;
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...environment, ...env, EARSHOT_DATA_DIR: data },
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const found = await callTool(client, "search_posts", { query: "aurora", scope: "all" });
  await client.close();
  expect(found.text).toMatch(/^\[1\] .*<https:/m);
  expect(found.structured.complete).toBe(false);
});

test("monitoring prints only new posts", async () => {
  const { stdout, read } = await follow("Monitor a brand");
  const found = read("new.csv").trim().split(/\r?\n/).length - 1;
  expect(found).toBeGreaterThan(0);
  const printed = /^# Search: [\s\S]*/m.exec(stdout)?.[0] ?? "";
  expect(printed.match(/^\d+\. `@/gm)).toHaveLength(Math.min(found, 20));
  expect(read("last-id")).toMatch(/^\d+\n$/);
});

test("research counts, finds and exports", async () => {
  const { stdout, read } = await follow("Research an event over your own archive");
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\.000Z {2}\d+\??$/m);
  expect(stdout).toContain("https://x.com/");
  expect(read("counts.csv")).toMatch(/^start,end,tweet_count,complete\n\d/);
  const records = read("posts.ndjson").trim().split("\n");
  expect(records.every((line) => /aurora/i.test(JSON.parse(line).Content))).toBe(true);
  expect(read("report.md")).toContain("# Search: `aurora lang:en`");
});

test("a team has its keys, and its backups are sound", async () => {
  const { stdout } = await follow("Run it for a team");
  expect(stdout).toMatch(/^ear_\w{8}_\w{38}$/m);
  expect(stdout).toMatch(/\bann\b/);
  expect(stdout).toContain("no damage found");
});
