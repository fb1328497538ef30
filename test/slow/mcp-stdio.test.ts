import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import { callTool } from "../../testkit/mcp/tool-calls.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const program = join(import.meta.dirname, "../../bin/earshot.mjs");

let service: ServiceUnderTest;

beforeAll(async () => {
  service = await startServiceUnderTest();
  const createdMs = service.clock.now() - 60_000;
  const createdAt = new Date(createdMs).toISOString();
  await service.addPosts([makePost({ key: "one", createdMs, createdAt, text: "a comet tonight" })]);
});

afterAll(() => service.remove());

async function startAgent(
  environment: Record<string, string>,
  mode: "legacy" | "auto" = "auto",
): Promise<{ client: Client; notes(): string }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp"],
    env: { PATH: process.env.PATH ?? "", EARSHOT_BLUESKY_PUBLIC: "off", ...environment },
    stderr: "pipe",
  });
  let notes = "";
  transport.stderr?.on("data", (piece) => {
    notes += String(piece);
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return { client, notes: () => notes };
}

test.each(["legacy", "auto"] as const)(
  "an agent with version negotiation mode %s can search a data folder while its server runs",
  async (mode) => {
    const { client, notes } = await startAgent({ EARSHOT_DATA_DIR: service.dataDir }, mode);
    const found = await callTool(client, "search_posts", { query: "comet" });
    expect(found.structuredContent.posts).toMatchObject([{ text: "a comet tonight" }]);
    const counted = await callTool(client, "count_posts", { query: "comet" });
    expect(counted.structuredContent.total).toBe(1);
    await client.close();
    expect(notes()).toBe("");
  },
);

test("an agent can search a remote service with its key, and gets an error for a wrong key", async () => {
  const key = await service.makeKey();
  const remote = { EARSHOT_URL: service.url, EARSHOT_API_KEY: key };
  const { client } = await startAgent(remote);
  const found = await callTool(client, "search_posts", { query: "comet" });
  expect(found.structuredContent.posts).toMatchObject([{ text: "a comet tonight" }]);
  await client.close();

  const { client: withWrongKey } = await startAgent({
    ...remote,
    EARSHOT_API_KEY: `${key.slice(0, -1)}!`,
  });
  const rejected = await callTool(withWrongKey, "search_posts", { query: "comet" });
  expect(rejected.isError).toBe(true);
  expect(rejected.text).toContain("unauthorized");
  await withWrongKey.close();
});

test("an agent without an archive creates nothing, and its answers are not marked complete", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-mcp-test-"));
  const { client, notes } = await startAgent({ EARSHOT_DATA_DIR: join(folder, "none") });
  const found = await callTool(client, "search_posts", { query: "comet" });
  expect(found.structuredContent).toMatchObject({ posts: [], complete: false });
  expect(found.text).toContain("does not show that there are none");
  await client.close();
  expect(notes()).toContain("no archive in");
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test("the MCP command exits with an error if its private service cannot start", async () => {
  const server = spawn(process.execPath, [program, "mcp"], {
    env: {
      PATH: process.env.PATH,
      EARSHOT_BLUESKY_PUBLIC: "off",
      EARSHOT_DATA_DIR: service.dataDir,
      EARSHOT_NODES_POLICY: "/nonexistent",
    },
    stdio: ["pipe", "ignore", "pipe"],
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
  let notes = "";
  server.stderr.on("data", (piece) => {
    notes += String(piece);
  });
  const [code] = await once(server, "exit");
  expect(notes).toContain("EARSHOT_NODES_POLICY");
  expect(code).toBe(2);
});
