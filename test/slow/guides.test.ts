import { execFile } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { callTool } from "../../testkit/mcp/tool-calls.ts";
import { freePort } from "../../testkit/service/free-port.ts";

const checkout = join(import.meta.dirname, "../..");
const page = readFileSync(join(checkout, "docs/guides.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "earshot-guides-"));
const bin = join(folder, "bin");
const run = promisify(execFile);
const strict = "set -e -o pipefail\n";
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

function listBlocks(guide: string, language: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${guide}\n`));
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm");
  return [...(section ?? "").matchAll(fence)].map(([, block = ""]) => block);
}

async function follow(guide: string) {
  const cwd = join(folder, guide.replaceAll(" ", "-"));
  mkdirSync(cwd);
  symlinkSync(join(checkout, "samples"), join(cwd, "samples"));
  const blocks = listBlocks(guide, "sh");
  expect(blocks.length).toBeGreaterThan(0);
  const script = `${strict}${blocks.join("")}`;
  const { stdout, stderr } = await run("bash", ["-c", script], { cwd, env: environment });
  return {
    stdout,
    notes: stderr,
    data: join(cwd, "data"),
    read: (name: string) => readFileSync(join(cwd, name), "utf8"),
  };
}

test("an agent finds and cites what the guide for agents imports", async () => {
  const { data } = await follow("Search from an agent");
  const [configuration = ""] = listBlocks("Search from an agent", "json");
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
  expect(found.structuredContent.complete).toBe(false);
});

test("the guide to monitoring prints only new posts", async () => {
  const { stdout, read } = await follow("Monitor a brand");
  const found = read("new.csv").trim().split(/\r?\n/).length - 1;
  expect(found).toBeGreaterThan(0);
  const printed = /^# Search: [\s\S]*/m.exec(stdout)?.[0] ?? "";
  expect(printed.match(/^\d+\. `@/gm)).toHaveLength(Math.min(found, 20));
  expect(read("last-id")).toMatch(/^\d+\n$/);
});

test("the guide to research counts, finds and exports posts", async () => {
  const { stdout, read } = await follow("Research an event over your own archive");
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\.000Z {2}\d+\??$/m);
  expect(stdout).toContain("https://x.com/");
  expect(read("counts.csv")).toMatch(/^start,end,tweet_count,complete\n\d/);
  const records = read("posts.ndjson").trim().split("\n");
  expect(records.every((line) => /aurora/i.test(JSON.parse(line).Content))).toBe(true);
  expect(read("report.md")).toContain("# Search: `aurora lang:en`");
});

test("the guide for teams creates keys for members, and its backups are sound", async () => {
  const { stdout } = await follow("Run it for a team");
  expect(stdout).toMatch(/^ear_\w{8}_\w{38}$/m);
  expect(stdout).toMatch(/\bann\b/);
  expect(stdout).toContain("no damage found");
});

/** Dependencies are links, except the workspace's own package. */
async function copyCheckout(): Promise<string> {
  const copy = join(folder, "checkout");
  const packages = join(copy, "node_modules");
  mkdirSync(join(packages, "@earshot"), { recursive: true });
  const files = "git ls-files -z --cached --others --exclude-standard";
  await run("bash", ["-c", `${files} | xargs -0 cp --parents -t "${copy}"`], { cwd: checkout });
  for (const name of readdirSync(join(checkout, "node_modules"))) {
    if (name === "@earshot") continue;
    symlinkSync(join(checkout, "node_modules", name), join(packages, name));
  }
  symlinkSync("../../packages/query", join(packages, "@earshot/query"));
  return copy;
}

/** Emulates Hacker News's search, with one comment. */
async function startHackerNews(): Promise<{ url: string; server: Server; requests: string[] }> {
  const requests: string[] = [];
  const hit = {
    objectID: "21",
    author: "ann",
    created_at_i: 1_790_000_000,
    comment_text: "<p>SQLite is a <i>library</i>",
    story_id: 20,
    parent_id: 20,
  };
  const server = createServer((request, reply) => {
    requests.push(request.url ?? "");
    reply.setHeader("content-type", "application/json");
    reply.end(JSON.stringify({ hits: [hit], nbPages: 1 }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server, requests };
}

test("a platform that is added as in the guide type-checks and can be searched", async () => {
  const guide = "Add a platform";
  const cwd = await copyCheckout();
  const { url, server, requests } = await startHackerNews();
  onTestFinished(() => void server.close());
  const [adding = "", searching = ""] = listBlocks(guide, "sh");
  const [registration = ""] = listBlocks(guide, "diff");
  writeFileSync(join(cwd, "registration.diff"), registration);
  const port = String(await freePort());
  const script = `${strict}${adding}git apply registration.diff
trap 'kill $!' EXIT
${searching.replaceAll("8080", port)}`;
  const env = {
    ...process.env,
    ...environment,
    PATH: process.env.PATH,
    EARSHOT_PORT: port,
    EARSHOT_HACKERNEWS_URL: url,
    EARSHOT_UPSTREAM_PRIVATE_HOSTS: url,
  };
  const { stdout } = await run("bash", ["-c", script], { cwd, env });
  expect(stdout).toContain("hackernews  @ann\n  SQLite is a library\n");
  expect(requests).toEqual([expect.stringContaining("query=sqlite&")]);
  const described = readFileSync(join(cwd, "docs/platforms.md"), "utf8");
  expect(described).toContain("### Methods on Hacker News");
  await run(process.execPath, [join(checkout, "node_modules/typescript/bin/tsc")], { cwd });
});
