import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEncryptor } from "../../src/lib/encryption.ts";
import { encryptSecrets } from "../../src/upstream/credentials/encrypt-secrets.ts";
import { mountStreams } from "../../testkit/emulators/mastodon/mounted-streams.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../testkit/emulators/mastodon/server.ts";
import type { Streaming } from "../../testkit/emulators/mastodon/streaming.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

const secretKey = randomBytes(32);

let emulator: MastodonEmulator;
let streams: Streaming;
let service: ServiceUnderTest;
let key: string;
let ann: string;
let ben: string;

beforeAll(async () => {
  // Without search, so that posts are found only in the archive.
  emulator = await startMastodonEmulator({ hasSearch: false });
  streams = mountStreams(emulator);
  ann = emulator.network.addAccount({ username: "ann", domain: "other.example" }).id;
  ben = emulator.network.addAccount({ username: "ben", indexable: false }).id;
  service = await startServiceUnderTest({
    EARSHOT_SECRET_KEY: secretKey.toString("hex"),
    EARSHOT_MASTODON_STREAM: emulator.url,
    EARSHOT_MASTODON_STREAM_LEAST_BACKOFF: "10ms",
    EARSHOT_MASTODON_STREAM_MOST_BACKOFF: "20ms",
    EARSHOT_MASTODON_STREAM_REQUESTS_PER_MINUTE: "10000",
    EARSHOT_INGEST_BATCH_TIME: "20ms",
    EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND: "1000",
  });
  key = await service.makeKey();
});
afterAll(async () => {
  await service.remove();
  streams.close();
  await emulator.close();
});

/** Posts found on a platform, newest first, and the job's status. */
async function request(query: string, platform = "mastodon") {
  const path = `/v1/search/live/${platform}`;
  const submitted = await service.submit(
    key,
    { type: platform, arguments: search(query).arguments },
    path,
  );
  const { uuid } = submitted.json<{ uuid: string }>();
  const result = await service.result(key, uuid);
  const status = await service.call(key, { url: `${path}/status/${uuid}` });
  return {
    posts: result.json<{ Content: string; Metadata: Metadata }[]>(),
    status: status.json<{ complete: boolean; warnings: { code: string }[] }>(),
  };
}
type Metadata = {
  uri: string;
  platform: string;
  username: string;
  origin: string;
  public_metrics: { like_count: number };
};
const waitForPosts = (query: string, count: number) =>
  until(`${count} posts of ${query}`, async () => {
    const found = await request(query);
    return found.posts.length === count ? found : null;
  });
const readiness = async () =>
  (await service.call(null, { url: "/readyz" })).json<Record<string, unknown>>();
const connected = () =>
  until("the stream to be connected", async () =>
    (await readiness()).mastodon_status === "connected" ? true : null,
  );

async function addCredential(accountId: string): Promise<void> {
  const { token } = emulator.addToken({ accountId, scopes: ["read"] });
  const encryptor = createEncryptor(secretKey, randomBytes);
  const owned = { id: "the-stream", accountId: null };
  await service.context.store.write("putCredential", {
    ...owned,
    platform: "mastodon",
    kind: "user-token",
    host: emulator.url,
    subject: accountId,
    subjectName: "@ben",
    hint: token.slice(0, 4),
    encryptedSecret: encryptSecrets(encryptor, owned, { token }),
    maxOfOwner: 100,
    nowMs: Date.now(),
  });
}

test("the Mastodon stream reports that it is waiting for a credential, and starts once there is one", async () => {
  await until("what is missing", async () => {
    const { mastodon } = await readiness();
    return String(mastodon).includes(`no usable user token for ${emulator.host}`) ? true : null;
  });
  await addCredential(ben);
  await connected();
  expect(streams.requests).toHaveLength(1);
});

describe("the connected stream", () => {
  test("posts from the connected Mastodon stream are found, except private ones and those without consent", async () => {
    const { network } = emulator;
    network.addStatus({ accountId: ben, text: "a heron of ben" });
    network.addStatus({ accountId: ann, text: "a private heron", visibility: "private" });
    network.addStatus({ accountId: ann, text: "a heron of ann #birds" });
    const { posts, status } = await waitForPosts("heron", 1);
    expect(posts[0]).toMatchObject({
      Content: "a heron of ann #birds",
      Metadata: { platform: "mastodon", username: "ann@other.example", origin: "stream" },
    });
    expect((await request("#birds from:ann@other.example")).posts).toHaveLength(1);
    expect(status.complete).toBe(false);
  });

  test("the connected Mastodon stream finds a post within a second", async () => {
    const tookMs: number[] = [];
    for (const word of ["gull", "tern", "skua"]) {
      const madeAt = performance.now();
      emulator.network.addStatus({ accountId: ann, text: `a ${word}` });
      await waitForPosts(word, 1);
      tookMs.push(performance.now() - madeAt);
    }
    // The minimum excludes delays caused by other processes.
    expect(Math.min(...tookMs)).toBeLessThan(1_000);
  });

  test("an edit on the Mastodon stream replaces a post, with its counts", async () => {
    const { id } = emulator.network.addStatus({ accountId: ann, text: "an egret" });
    await waitForPosts("egret", 1);
    emulator.network.editStatus(id, { text: "a stork", favourites: 12 });
    const { posts } = await waitForPosts("stork min_faves:12", 1);
    expect(posts[0]?.Metadata.public_metrics.like_count).toBe(12);
    expect((await request("egret")).posts).toEqual([]);
  });

  test("a deletion on the Mastodon stream removes an archived post", async () => {
    const { id } = emulator.network.addStatus({ accountId: ann, text: "a bittern" });
    await waitForPosts("bittern", 1);
    emulator.network.deleteStatus(id);
    await waitForPosts("bittern", 0);
  });

  test("the Mastodon stream hides an account that withdraws consent, and shows it after renewed consent", async () => {
    const { network } = emulator;
    const eve = network.addAccount({ username: "eve" });
    network.addStatus({ accountId: eve.id, text: "a first spoonbill" });
    await waitForPosts("spoonbill", 1);
    eve.indexable = false;
    network.addStatus({ accountId: eve.id, text: "a second spoonbill" });
    await waitForPosts("spoonbill", 0);
    eve.indexable = true;
    network.addStatus({ accountId: eve.id, text: "a third spoonbill" });
    const { posts } = await waitForPosts("spoonbill", 2);
    expect(posts.map(({ Content }) => Content)).toEqual(["a third spoonbill", "a first spoonbill"]);
  });

  test("the Mastodon stream tolerates hostile events", async () => {
    streams.sendRaw("nonsense");
    streams.sendRaw(JSON.stringify({ event: "update", payload: "[".repeat(100_000) }));
    streams.sendEvent("update", { id: "1", account: null, uri: "javascript:alert(1)" });
    streams.sendEvent("status.update", "null");
    streams.sendEvent("delete", "x".repeat(100_000));
    emulator.network.addStatus({ accountId: ann, text: "an ibis" });
    await waitForPosts("ibis", 1);
    const metrics = await service.context.http.metrics.text();
    expect(metrics).toMatch(/^earshot_mastodon_stream_bad_frames_total 5$/m);
    expect(metrics).toMatch(/^earshot_mastodon_stream_connected 1$/m);
  });
});

describe("a stream after a disconnection", () => {
  const getById = async (id: string) => {
    const path = "/v1/search/live/mastodon";
    const query = `${emulator.url}/users/ann/statuses/${id}`;
    const body = { type: "mastodon", arguments: { type: "getbyid", query } };
    const submitted = await service.submit(key, body, path);
    const { uuid } = submitted.json<{ uuid: string }>();
    const result = await service.result(key, uuid);
    const status = await service.call(key, { url: `${path}/status/${uuid}` });
    return {
      posts: result.json<{ Content: string }[]>().map(({ Content }) => Content),
      status: status.json<{ complete: boolean; warnings: { code: string }[] }>(),
    };
  };
  const codes = ({ warnings }: { warnings: { code: string }[] }) =>
    warnings.map(({ code }) => code);

  test("after a disconnection, a search that finds stored posts warns until they have been compared with the server", async () => {
    const { network } = emulator;
    const cora = network.addAccount({ username: "ann" }).id;
    const unchanged = network.addStatus({ accountId: cora, text: "a godwit that stays" }).id;
    const deleted = network.addStatus({ accountId: cora, text: "a godwit that goes" }).id;
    const edited = network.addStatus({ accountId: cora, text: "a godwit that changes" }).id;
    await waitForPosts("godwit", 3);
    await until("stored posts to be compared", async () =>
      String((await readiness()).mastodon).includes("comparing") ? null : true,
    );
    expect(await getById(deleted)).toMatchObject({ status: { complete: true, warnings: [] } });

    streams.isUnavailable = true;
    streams.cut();
    await until("the stream to be cut", async () =>
      (await readiness()).mastodon_status === "connected" ? null : true,
    );
    network.deleteStatus(deleted);
    network.editStatus(edited, { text: "a godwit that has changed" });
    const duringGap = await getById(unchanged);
    expect(duringGap.posts).toEqual(["a godwit that stays"]);
    expect((await getById(deleted)).posts).toEqual([]);
    expect((await getById(edited)).posts).toEqual(["a godwit that has changed"]);
    const searched = await request("godwit");
    expect(codes(searched.status)).toContain("posts_unchecked");

    streams.isUnavailable = false;
    await waitForPosts("godwit", 2);
    await until("stored posts to be compared", async () =>
      String((await readiness()).mastodon).includes("comparing") ? null : true,
    );
    expect(await getById(unchanged)).toMatchObject({ status: { complete: true, warnings: [] } });
    expect((await getById(deleted)).posts).toEqual([]);
    expect((await getById(edited)).posts).toEqual(["a godwit that has changed"]);
    expect(codes((await request("godwit")).status)).not.toContain("posts_unchecked");
    const metrics = await service.context.http.metrics.text();
    expect(metrics).toMatch(/^earshot_mastodon_stream_recheck_removed_total 1$/m);
    expect(metrics).toMatch(/^earshot_mastodon_stream_recheck_pending 0$/m);
  });
});

test("a disconnection leaves a gap in the coverage, and posts from after it are found", async () => {
  emulator.network.addStatus({ accountId: ann, text: "a crane before" });
  await waitForPosts("crane", 1);
  const before = streams.requests.length;
  streams.cut();
  await until("another connection", () => (streams.requests.length > before ? true : null));
  await connected();
  emulator.network.addStatus({ accountId: ann, text: "a crane after" });
  await waitForPosts("crane", 2);
  emulator.network.addStatus({ accountId: ann, text: "a crane later" });
  await waitForPosts("crane", 3);
  const streamIntervals = await until("two intervals", async () => {
    const coverage = await service.context.archive.coverage();
    const { intervals = [] } = coverage.find(({ platform }) => platform === "mastodon") ?? {};
    const ofStream = intervals.filter(
      ({ source }) => source === `mastodon-stream:${emulator.host}`,
    );
    return ofStream.length >= 2 ? ofStream : null;
  });
  const [last, former] = streamIntervals.toReversed();
  expect(last?.fromMs).toBeGreaterThan(former?.toMs ?? Number.NaN);
  expect((await request("crane")).status.complete).toBe(false);
});
