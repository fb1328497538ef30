// An emulator of a Mastodon server, based on https://docs.joinmastodon.org/.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { accountRoutes } from "./account-routes.ts";
import { instanceRoutes } from "./instance-routes.ts";
import { createNetwork } from "./network.ts";
import { type EmulatorOptions, emulatorSettings } from "./options.ts";
import { createRateLimit } from "./rate-limit.ts";
import { type EmulatedResponse, responses } from "./responses.ts";
import type { EmulatedRequest, Route } from "./route.ts";
import { searchRoutes } from "./search-routes.ts";
import { statusRoutes } from "./status-routes.ts";
import { timelineRoutes } from "./timeline-routes.ts";
import { createTokens, type Token } from "./tokens.ts";

type LoggedRequest = {
  method: string;
  path: string;
  query: string;
  authorization: string | null;
};

export type MastodonEmulator = Awaited<ReturnType<typeof startMastodonEmulator>>;

const routes: readonly Route[] = [
  ...accountRoutes,
  ...statusRoutes,
  ...timelineRoutes,
  ...searchRoutes,
  ...instanceRoutes,
];

/** `settings` may be changed at any time. */
export async function startMastodonEmulator(options: EmulatorOptions = {}) {
  const settings = emulatorSettings(options);
  const network = createNetwork({
    hasUlids: () => settings.differences.ulids,
    now: () => settings.now(),
  });
  const tokens = createTokens();
  const rateLimit = createRateLimit(settings);
  const requests: LoggedRequest[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers } = request;
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", url);
    const authorization = headers.authorization ?? null;
    requests.push({ method, path, query: query.toString(), authorization });
    const form = new URLSearchParams(await requestBody(request));
    const { headers: limitHeaders, isOver } = rateLimit.count(
      authorization ?? request.socket.remoteAddress ?? "",
      query,
    );
    const token = tokens.find(headers.authorization);
    const parsedRequest = { method, path, query, url, network, settings, tokens, form };
    const emulatedResponse =
      nextFault() ??
      errorBeforeRouting(headers, token, isOver) ??
      responseTo({ ...parsedRequest, token: token === "unknown" ? null : token });
    send(response, {
      ...emulatedResponse,
      headers: { ...limitHeaders, ...emulatedResponse.headers },
    });
  }

  function nextFault(): EmulatedResponse | null {
    const { periodicError, nextResponses } = settings.faults;
    const first = nextResponses?.shift();
    if (first !== undefined) {
      const { status, body = { error: "injected" }, headers = {} } = first;
      return { status, body, headers };
    }
    const isNth = periodicError !== undefined && requests.length % periodicError.count === 0;
    return isNth ? { status: periodicError.status, body: { error: "injected" } } : null;
  }

  function errorBeforeRouting(
    headers: IncomingMessage["headers"],
    token: Token | null | "unknown",
    isOver: boolean,
  ): EmulatedResponse | null {
    if (settings.differences.needsUserAgent && !headers["user-agent"])
      return responses.userAgentRequired;
    if (isOver) return responses.tooManyRequests;
    return token === "unknown" ? responses.invalidToken : null;
  }

  function send(response: ServerResponse, { status, body, headers }: EmulatedResponse): void {
    const { truncateEvery } = settings.faults;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
    const isTruncated = truncateEvery !== undefined && requests.length % truncateEvery === 0;
    if (!isTruncated) {
      response.end(text);
      return;
    }
    response.write(text.slice(0, Math.floor(text.length / 2)));
    setImmediate(() => response.destroy());
  }

  return {
    url,
    host,
    server,
    network,
    settings,
    requests,
    addToken: tokens.addToken,
    addApp: tokens.addApp,
    revoke: tokens.revoke,
    /** `"unknown"` for an invalid token. */
    tokenOf: tokens.find,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function responseTo(request: EmulatedRequest): EmulatedResponse {
  for (const { method, path, respond } of routes) {
    const match = path.exec(request.path);
    if (match !== null && method === request.method) return respond(request, match.slice(1));
  }
  return responses.notFound;
}

async function requestBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const piece of request) body += String(piece);
  return body;
}
