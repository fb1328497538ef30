import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Post } from "../../../src/posts/post.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import {
  type GitHubEmulator,
  startGitHubEmulator,
} from "../../../testkit/emulators/github/server.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../../testkit/service/service-under-test.ts";
import { startTlsProxy } from "./tls-proxy.ts";

export type Site = {
  /** An https address, as behind a real proxy. */
  url: string;
  service: ServiceUnderTest;
  github: GitHubEmulator;
  /** The folder for the screenshots of this run. */
  screenshots: string;
  stop(): Promise<void>;
};

/** The real service behind TLS, with recent posts and an emulated GitHub. */
export async function startSite(settings: Readonly<Record<string, string>> = {}): Promise<Site> {
  const proxy = await startTlsProxy();
  const github = await startGitHubEmulator({ callbackUrls: [`${proxy.url}/auth/github/callback`] });
  const service = await startServiceUnderTest({
    EARSHOT_PUBLIC_URL: proxy.url,
    EARSHOT_TRUSTED_PROXIES: "127.0.0.1",
    EARSHOT_GITHUB_URL: github.url,
    EARSHOT_GITHUB_CLIENT_ID: github.clientId,
    EARSHOT_GITHUB_CLIENT_SECRET: github.clientSecret,
    ...settings,
  });
  proxy.forwardTo(service.url);
  await archiveHarbourPosts(service, Date.now());
  return {
    url: proxy.url,
    service,
    github,
    screenshots:
      process.env.EARSHOT_SCREENSHOTS ?? (await mkdtemp(join(tmpdir(), "earshot-screenshots-"))),
    stop: async () => {
      await proxy.stop();
      await service.remove();
      await github.stop();
    },
  };
}

const hourMs = 3_600_000;
const texts = [
  "Second storm surge warning this week. The harbour gates close at 21:00, so move your car off the lower quay now.",
  "Gauge 4 reads 2.61 m and is rising 9 cm an hour. Harbour flooding is likely from 22:30.",
  "For the record: the harbour barrier was built for a storm surge of 3.1 m. Tonight’s forecast is 2.8.",
  "Sandbags at the fish market until six, free, bring your own trolley. #harbour <b>not markup</b> &amp; co",
];

/** Posts and a week of coverage with a gap of two hours. */
async function archiveHarbourPosts({ context }: ServiceUnderTest, nowMs: number): Promise<void> {
  const streamCoverage = {
    platform: "bluesky",
    collection: "posts",
    account: null,
    source: "jetstream",
  } as const;
  const gapMs = nowMs - 60 * hourMs;
  await context.archive.write({
    changes: harbourPosts(nowMs).map((post) => ({ kind: "upsert" as const, post })),
    coverage: [
      { ...streamCoverage, fromMs: nowMs - 8 * 24 * hourMs, toMs: gapMs },
      { ...streamCoverage, fromMs: gapMs + 2 * hourMs, toMs: nowMs + hourMs },
    ],
  });
}

/** Invented posts, one every two hours for six days, newest first. */
function harbourPosts(nowMs: number): Post[] {
  return Array.from({ length: 72 }, (_, n) => {
    const createdMs = nowMs - 60_000 - n * 2 * hourMs;
    const userId = `did:plc:harbour${n % 4}`;
    return makePost({
      uri: `at://${userId}/app.bsky.feed.post/h${n}`,
      userId,
      username: `tide${n % 4}.example`,
      createdMs,
      seenMs: createdMs,
      text: texts[n % texts.length] ?? "",
      origin: "stream",
    });
  });
}
