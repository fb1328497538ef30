import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";

/** One kept-alive connection; nothing is parsed unless requested. */
export type Client = {
  submit(query: string, maxResults: number): Promise<string>;
  result(uuid: string): Promise<string>;
  search(query: string, maxResults: number): Promise<string>;
  close(): void;
};

type TextResponse = { status: number; text: string };

export function connect(base: string, key: string): Client {
  const { hostname, port } = new URL(base);
  const commonHeaders = `HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\n`;
  let connection: Connection | null = null;

  async function send(text: string): Promise<TextResponse> {
    connection ??= await openConnection(hostname, Number(port));
    return await connection.request(text);
  }

  return {
    submit: async (query, maxResults) => {
      const body = JSON.stringify({
        type: "social",
        arguments: { type: "searchbyfullarchive", query, max_results: maxResults },
      });
      const { status, text } = await send(
        `POST /v1/search/live/social ${commonHeaders}Content-Type: application/json\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      if (status !== 202) throw new Error(`submission returned ${status}: ${text}`);
      return (JSON.parse(text) as { uuid: string }).uuid;
    },
    result: async (uuid) => {
      const { status, text } = await send(
        `GET /v1/search/live/social/result/${uuid}?wait=30 ${commonHeaders}\r\n`,
      );
      if (status !== 200) throw new Error(`result returned ${status}: ${text}`);
      return text;
    },
    search: async (query, maxResults) => {
      const body = JSON.stringify({ query, max_results: maxResults });
      const { status, text } = await send(
        `POST /v1/search/social ${commonHeaders}Content-Type: application/json\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      if (status !== 200) throw new Error(`search returned ${status}: ${text}`);
      return text;
    },
    close: () => connection?.close(),
  };
}

export type Connection = { request(request: string): Promise<TextResponse>; close(): void };

export async function openConnection(host: string, port: number): Promise<Connection> {
  const socket = connectSocket({ host, port, noDelay: true });
  await once(socket, "connect");
  return { request: createRequester(socket), close: () => socket.destroy() };
}

/** Responses need a Content-Length. */
function createRequester(socket: Socket): Connection["request"] {
  let settle: { resolve(response: TextResponse): void; reject(error: Error): void } | null = null;
  let receivedBytes: Buffer = Buffer.alloc(0);

  socket.on("data", (chunk: Buffer) => {
    receivedBytes = receivedBytes.length === 0 ? chunk : Buffer.concat([receivedBytes, chunk]);
    const response = completeResponse(receivedBytes);
    if (response === null) return;
    receivedBytes = Buffer.alloc(0);
    settle?.resolve(response);
  });
  const fail = (error?: Error) => settle?.reject(error ?? new Error("the connection was closed"));
  socket.on("error", fail);
  socket.on("close", () => fail());

  return (request) =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      if (socket.destroyed) fail();
      else socket.write(request);
    });
}

function completeResponse(receivedBytes: Buffer): TextResponse | null {
  const headEnd = receivedBytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const head = receivedBytes.toString("latin1", 0, headEnd);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const bodyStart = headEnd + 4;
  if (receivedBytes.length < bodyStart + length) return null;
  return { status: Number(head.slice(9, 12)), text: receivedBytes.toString("utf8", bodyStart) };
}
