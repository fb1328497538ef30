import { Agent, request } from "node:http";

/** A client that costs little: one kept-alive connection each, nothing parsed that is not asked for. */
export type Client = {
  submit(query: string, maxResults: number): Promise<string>;
  /** The result as text, held by the server until the job has ended. */
  result(uuid: string): Promise<string>;
  close(): void;
};

export function connect(base: string, key: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(base);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

  function send(
    method: string,
    path: string,
    body: string | null,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ hostname, port, path, method, headers, agent }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
        incoming.on("error", reject);
      });
      outgoing.on("error", reject);
      outgoing.end(body ?? undefined);
    });
  }

  return {
    submit: async (query, maxResults) => {
      const body = JSON.stringify({
        type: "social",
        arguments: { type: "searchbyfullarchive", query, max_results: maxResults },
      });
      const { status, text } = await send("POST", "/v1/search/live/social", body);
      if (status !== 202) throw new Error(`submission answered ${status}: ${text}`);
      return (JSON.parse(text) as { uuid: string }).uuid;
    },
    result: async (uuid) => {
      const { status, text } = await send(
        "GET",
        `/v1/search/live/social/result/${uuid}?wait=30`,
        null,
      );
      if (status !== 200) throw new Error(`result answered ${status}: ${text}`);
      return text;
    },
    close: () => agent.destroy(),
  };
}
