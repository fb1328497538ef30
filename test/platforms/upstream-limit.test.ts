import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEncryptor } from "../../src/lib/encryption.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { fakeTimelines } from "../../testkit/upstreams/fake-timelines.ts";
import {
  type HostileUpstream,
  rateLimitedReply,
  startHostileUpstream,
} from "../../testkit/upstreams/hostile-upstream.ts";

const limit = 20;
const windowMs = 150;
const secretKey = randomBytes(32);

let upstream: HostileUpstream;
let service: ServiceUnderTest;

beforeEach(async () => {
  upstream = await startHostileUpstream();
  service = await startServiceUnderTest(
    {
      EARSHOT_SECRET_KEY: secretKey.toString("base64"),
      EARSHOT_UPSTREAM_PRIVATE_HOSTS: upstream.url,
      EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND: "1000",
      EARSHOT_MAX_RUNNING_PER_KEY: "100",
      EARSHOT_NODE_FETCH_CONCURRENCY: "100",
      EARSHOT_MAX_WAITING_REQUESTS: "100",
    },
    {
      upstreams: {
        mastodon: fakeTimelines({
          platform: "mastodon",
          access: "user",
          publicBaseUrl: null,
          bucket: () => "posts",
        }),
      },
    },
  );
});
afterEach(async () => {
  await service.remove();
  await upstream.close();
});

/** Stores a deployment token, like `earshot credentials add`. */
async function storeToken(): Promise<void> {
  const encryptor = createEncryptor(secretKey, randomBytes);
  const owner = { purpose: "credential", accountId: "", id: "credential-1" } as const;
  await service.context.store.write("putCredential", {
    id: owner.id,
    accountId: null,
    platform: "mastodon",
    kind: "user-token",
    host: upstream.url,
    subject: "1",
    subjectName: "alice",
    hint: "secr",
    encryptedSecret: encryptor.encrypt(JSON.stringify({ token: "secret-token" }), owner),
    maxOfOwner: 100,
    nowMs: Date.now(),
  });
}

test("a hundred concurrent jobs on one credential respect its limit, and all finish", async () => {
  const usual = rateLimitedReply({ limit, windowMs, body: { ids: ["1", "2"] } });
  upstream.defaultReply = usual;
  await storeToken();
  const key = await service.makeKey();
  const body = {
    type: "mastodon",
    arguments: { type: "getfollowers", query: "alice@example.social", max_results: 2 },
  };
  const jobs = Array.from({ length: 100 }, async () => {
    const submitted = await service.submit(key, body, "/v1/search/live/mastodon");
    return await service.result(key, submitted.json<{ uuid: string }>().uuid);
  });
  const results = await Promise.all(jobs);
  expect(results.map(({ statusCode }) => statusCode)).toEqual(Array(100).fill(200));
  for (const result of results) expect(result.json()).toHaveLength(2);
  expect(upstream.requests).toHaveLength(100);
  expect(new Set(upstream.requests.map(({ authorization }) => authorization))).toEqual(
    new Set(["Bearer secret-token"]),
  );
  expect(usual.refused()).toBe(0);
});
