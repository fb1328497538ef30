import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { coveredSpans } from "../../testkit/archives/covered-spans.ts";
import { createMemoryArchive } from "../../testkit/archives/memory-archive.ts";
import {
  clock,
  type Event,
  type FakeJetstream,
  sendAll,
  startFakeJetstream,
  startTestStream,
} from "../../testkit/upstreams/fake-jetstream.ts";

let server: FakeJetstream;
beforeEach(async () => {
  server = await startFakeJetstream();
});
afterEach(() => server.close());

const sample = "/work/shared/data/posts/jetstream_v1_2026.jsonl";
test.skipIf(!existsSync(sample))(
  "real events of the stream arrive exactly once, wherever the connection is cut (needs the shared data)",
  async () => {
    const events = readFileSync(sample, "utf8")
      .split("\n")
      .filter((text) => text !== "")
      .map((text): Event => JSON.parse(text));
    server.events = events;
    for (let frames = 1; frames < events.length; frames += 1) {
      const archive = createMemoryArchive();
      let connection = 0;
      server.serve = (socket, replay) => {
        connection += 1;
        if (connection > 1) {
          sendAll(socket, replay);
          return;
        }
        sendAll(socket, replay.slice(0, frames));
        socket.close();
      };
      const stream = startTestStream({ archive, clock }, { urls: [server.url] });
      await vi.waitFor(() => expect(stream.state().events).toBe(frames + events.length), {
        interval: 1,
      });
      await stream.stop();
      const changes = archive.batches.flatMap((batch) => batch.changes);
      expect(changes.filter(({ kind }) => kind === "upsert")).toHaveLength(17);
      expect(changes.filter(({ kind }) => kind === "delete")).toHaveLength(1);
      expect(archive.posts.size).toBe(17);
      expect(coveredSpans(archive.batches)).toHaveLength(1);
    }
  },
);
