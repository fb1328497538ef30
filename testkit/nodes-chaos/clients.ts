import { setTimeout as sleep } from "node:timers/promises";
import type { GeneratedPosts } from "./posts.ts";

export type RequestedJob = { client: string; topic: number; uuid: string; result: string | null };

export type Client = {
  name: string;
  submit(topic: number): Promise<RequestedJob>;
  collect(job: RequestedJob): Promise<void>;
  get(path: string): Promise<{ status: number; headers: Headers; text: string }>;
};

const resultsPerJob = 5;

/** Retries submissions with one idempotency key. */
export function createClient(
  { base, key, name }: { base: string; key: string; name: string },
  posts: GeneratedPosts,
  contradict: (what: string) => void,
): Client {
  let submissions = 0;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    for (;;) {
      try {
        const signal = AbortSignal.timeout(45_000);
        const response = await fetch(`${base}${path}`, { ...init, signal });
        if (response.status !== 503 && response.status !== 429) return response;
        await response.body?.cancel();
      } catch {}
      await sleep(100);
    }
  }

  return {
    name,
    submit: async (topic) => {
      submissions += 1;
      const response = await request("/v1/search/live/social", {
        method: "POST",
        headers: { ...headers, "idempotency-key": `${name}-${submissions}` },
        body: JSON.stringify({
          type: "social",
          arguments: {
            type: "searchbyfullarchive",
            query: posts.word(topic),
            max_results: resultsPerJob,
          },
        }),
      });
      const text = await response.text();
      if (response.status !== 202) {
        throw new Error(`a submission got ${response.status}: ${text}`);
      }
      const { uuid } = JSON.parse(text) as { uuid: string };
      return { client: name, topic, uuid, result: null };
    },
    collect: async (job) => {
      const endMs = performance.now() + 150_000;
      for (;;) {
        let text: string;
        try {
          const path = `/v1/search/live/social/result/${job.uuid}?wait=20`;
          const response = await request(path, { headers });
          text = await response.text();
          if (response.status === 200) {
            job.result = text;
            return;
          }
          if (response.status !== 202 && response.status !== 404) {
            contradict(`${job.uuid} ended with ${response.status}: ${text.slice(0, 300)}`);
            return;
          }
        } catch {
          text = "the connection was lost";
        }
        if (performance.now() > endMs) {
          contradict(`${job.uuid} has not ended: ${text.slice(0, 300)}`);
          return;
        }
        await sleep(50);
      }
    },
    get: async (path) => {
      const response = await request(path, { headers });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

export function isCorrectResult(job: RequestedJob, posts: GeneratedPosts): boolean {
  if (job.result === null) return false;
  const records = JSON.parse(job.result) as { ID: string; Content: string }[];
  const resultPosts = records.map(({ ID, Content }) => ({ id: ID, text: Content }));
  return (
    JSON.stringify(resultPosts) === JSON.stringify(posts.newestPosts(job.topic, resultsPerJob))
  );
}
