import { type JetstreamServer, startJetstreamServer } from "../upstreams/jetstream-server.ts";

type StreamedPost = { uri: string; atMs: number; text: string };

export type StreamTraffic = {
  readonly url: string;
  livePosts(): StreamedPost[];
  deletedUris(): ReadonlySet<string>;
  stop(): void;
  close(): Promise<void>;
};

const collection = "app.bsky.feed.post";
const intervalMs = 20;
const eventsPerDeletion = 9;

/** Occurs only in streamed posts. */
export const streamWord = "lantern";

export async function startStreamTraffic(random: () => number): Promise<StreamTraffic> {
  const jetstream: JetstreamServer = await startJetstreamServer();
  const sentPosts = new Map<string, StreamedPost>();
  const deletedUris = new Set<string>();
  let eventCount = 0;
  let lastUs = 0;

  /** Event times increase, as in Jetstream. */
  function nextUs(): number {
    lastUs = Math.max(lastUs + 1, Date.now() * 1_000);
    return lastUs;
  }

  function send(): void {
    eventCount += 1;
    const isDeletion = eventCount % eventsPerDeletion === 0 && sentPosts.size > 10;
    if (isDeletion) sendDeletion();
    else sendPost();
  }

  function sendPost(): void {
    const did = `did:plc:author${eventCount % 17}`;
    const rkey = `k${eventCount}`;
    const timeUs = nextUs();
    const atMs = Math.floor(timeUs / 1_000);
    const text = `${streamWord} number ${eventCount}`;
    const record = { $type: collection, createdAt: new Date(atMs).toISOString(), text };
    sentPosts.set(`at://${did}/${collection}/${rkey}`, {
      uri: `at://${did}/${collection}/${rkey}`,
      atMs,
      text,
    });
    jetstream.publish({
      did,
      time_us: timeUs,
      kind: "commit",
      commit: { rev: revision(), operation: "create", collection, rkey, cid: "c", record },
    });
  }

  function sendDeletion(): void {
    const uris = [...sentPosts.keys()];
    const uri = uris[Math.floor(random() * uris.length)] ?? "";
    const [did = "", , rkey = ""] = uri.slice("at://".length).split("/");
    sentPosts.delete(uri);
    deletedUris.add(uri);
    jetstream.publish({
      did,
      time_us: nextUs(),
      kind: "commit",
      commit: { rev: revision(), operation: "delete", collection, rkey },
    });
  }

  const revision = (): string => String(eventCount).padStart(13, "0");

  const timer = setInterval(send, intervalMs);
  return {
    url: jetstream.url,
    livePosts: () => [...sentPosts.values()],
    deletedUris: () => deletedUris,
    stop: () => clearInterval(timer),
    close: async () => {
      clearInterval(timer);
      await jetstream.close();
    },
  };
}
