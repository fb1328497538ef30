import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../bench/measure.ts";
import { openArchive } from "../../src/archive/threads/open.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Post } from "../../src/posts/post.ts";
import { collidingUris } from "../../testkit/archives/colliding-uris.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type GatewayUnderTest,
  type NodeUnderTest,
  startGateway,
  startNodeUnderTest,
} from "../../testkit/nodes/remote-nodes.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const atMs = Date.now() - 3_600_000;

/** Posts with colliding IDs in one millisecond, and some later posts. */
function manyPosts(): Post[] {
  const colliding = collidingUris();
  const uris = [
    ...colliding.slice(0, 300),
    ...Array.from({ length: 320 }, (_, n) => `at://did:plc:author/app.bsky.feed.post/o${n}`),
  ];
  return [
    ...uris.map((uri) => makePost({ uri, createdMs: atMs, text: "comet" })),
    ...colliding
      .slice(300, 340)
      .map((uri, n) => makePost({ uri, createdMs: atMs + 1 + (n % 3), text: "comet" })),
  ];
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Each folder is filled in another order and in other batches. */
async function filledFolder(posts: readonly Post[], seed: number): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "earshot-one-id-"));
  const archive = await openArchive({
    dataDir,
    readers: 1,
    segmentPosts: 200,
    detectLanguage: "off",
    clock: systemClock,
  });
  const random = seededRandom(seed);
  const rest = shuffled(posts, random);
  while (rest.length > 0) {
    const changes = rest
      .splice(0, 1 + Math.floor(random() * 150))
      .map((post) => ({ kind: "upsert" as const, post }));
    await archive.write({ changes });
  }
  await archive.close();
  return dataDir;
}

type Found = { ID: string; Metadata: { uri: string } };

async function page(service: ServiceUnderTest, key: string, args: Record<string, unknown>) {
  const submitted = await service.submit(key, search("comet", args));
  expect(submitted.statusCode, submitted.body).toBe(202);
  const response = await service.result(key, submitted.json().uuid);
  expect(response.statusCode, response.body).toBe(200);
  return {
    posts: response.json() as Found[],
    cursor: response.headers["x-next-cursor"],
    node: String(response.headers["x-node"]),
  };
}

const posts = manyPosts();
const uris = posts.map(({ uri }) => uri).sort();

describe("nodes with separately filled archives", () => {
  let gateway: GatewayUnderTest;
  let nodes: NodeUnderTest[];
  beforeAll(async () => {
    const folders = await Promise.all([filledFolder(posts, 1), filledFolder(posts, 2)]);
    gateway = await startGateway();
    nodes = await Promise.all(
      folders.map((dataDir) => startNodeUnderTest({ gateway, evidence: "simulated", dataDir })),
    );
    await Promise.all(nodes.map((node) => node.waitUntilAdmitted()));
  });
  afterAll(async () => {
    for (const node of nodes) await node.remove();
    await gateway.remove();
  });

  test("nodes with separately filled archives answer the pages of one search in turn without losing or repeating a post", async () => {
    const service = gateway.service();
    const key = await service.makeKey();
    const random = seededRandom(3);
    const found: Found[] = [];
    const nodeNames = new Set<string>();
    for (let cursor: unknown; ; ) {
      const max_results = 1 + Math.floor(random() * 50);
      const more = cursor === undefined ? {} : { next_cursor: cursor };
      const answer = await page(service, key, { max_results, ...more });
      found.push(...answer.posts);
      nodeNames.add(answer.node);
      cursor = answer.cursor;
      if (cursor === undefined) break;
    }
    expect(nodeNames.size).toBe(2);
    expect(found.map(({ Metadata }) => Metadata.uri).sort()).toEqual(uris);
    const ids = found.map(({ ID }) => BigInt(ID));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => (a > b ? -1 : 1)));
  });
});

describe("servers with separately filled archives", () => {
  const services: ServiceUnderTest[] = [];
  beforeAll(async () => {
    for (const seed of [4, 5]) {
      const EARSHOT_DATA_DIR = await filledFolder(posts, seed);
      services.push(await startServiceUnderTest({ EARSHOT_DATA_DIR }));
    }
  });
  afterAll(async () => {
    for (const service of services) await service.remove();
  });

  test("getbyid finds each post by the ID that another server with a separately filled archive returned", async () => {
    const [first, second] = services as [ServiceUnderTest, ServiceUnderTest];
    const [firstKey, secondKey] = [await first.makeKey(), await second.makeKey()];
    const args = { type: "searchbyfullarchive", max_results: 500 };
    const start = await page(first, firstKey, args);
    const rest = await page(first, firstKey, { ...args, next_cursor: start.cursor });
    const returned = [...start.posts, ...rest.posts];
    expect(returned.map(({ Metadata }) => Metadata.uri).sort()).toEqual(uris);
    const known = new Map<string, string>();
    for (let from = 0; from < returned.length; from += 20) {
      await Promise.all(
        returned.slice(from, from + 20).map(async ({ ID }) => {
          const submitted = await second.submit(secondKey, {
            type: "social",
            arguments: { type: "getbyid", query: ID },
          });
          const response = await second.result(secondKey, submitted.json().uuid);
          const [found, ...others] = response.json() as Found[];
          expect(others).toEqual([]);
          expect(found?.ID).toBe(ID);
          known.set(ID, found?.Metadata.uri ?? "");
        }),
      );
    }
    for (const { ID, Metadata } of returned) expect(known.get(ID)).toBe(Metadata.uri);
  });
});
