/** An emulator of X's API v2, based on its OpenAPI description (2.167) and pages on operators, rate limits, errors and OAuth 2.0. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { endpoints } from "./endpoints.ts";
import type { EmulatedWorld } from "./model.ts";
import {
  clientForbidden,
  creditsDepleted,
  echoedAuthorization,
  missingScope,
  Refusal,
  tooManyRequests,
  unauthorized,
  unsupportedAuthentication,
  usageCapped,
} from "./problems.ts";
import type { Naming } from "./show.ts";
import { createTokens, type EmulatedClient } from "./tokens.ts";

export type XEmulatorOptions = {
  world?: Partial<EmulatedWorld>;
  naming?: Naming;
  now?: () => number;
  appTokens?: readonly string[];
  clients?: readonly EmulatedClient[];
  accessTokenMs?: number;
  /** The user who consents at /i/oauth2/authorize. */
  consentingUserId?: string;
  faults?: InjectedXErrors;
};

type InjectedXErrors = {
  status429Every?: number;
  status503Every?: number;
  isUsageCapped?: boolean;
  hasNoCredit?: boolean;
  isClientForbidden?: boolean;
  /** Endpoints that need a higher access level. */
  forbiddenEndpoints?: readonly string[];
  /** Rejects each request and repeats its Authorization header. */
  isEchoing?: boolean;
  refusedOperators?: readonly string[];
  /** Full-archive search accepts more than one request per second. */
  isUnpaced?: boolean;
  limit?: number;
  hasNoLimitHeaders?: boolean;
  cutAfterBytes?: number;
  body?: string;
  tokenGate?: Promise<void>;
};

type LoggedRequest = {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  authorization: string | null;
};

export type XEmulator = Awaited<ReturnType<typeof startXEmulator>>;

const windowMs = 900_000;

export async function startXEmulator(options: XEmulatorOptions = {}) {
  const {
    naming = "tweet",
    now = Date.now,
    appTokens = ["app-token-0001"],
    clients = [],
  } = options;
  const { accessTokenMs = 7_200_000, consentingUserId = "1" } = options;
  const world: EmulatedWorld = { users: [], posts: [], spaces: [], trends: [], ...options.world };
  const faults: InjectedXErrors = { ...options.faults };
  const tokens = createTokens({ clients, accessTokenMs, now });
  const requests: LoggedRequest[] = [];
  const billed = { posts: 0, users: 0, requests: 0 };
  const windows = new Map<string, { count: number; endsMs: number }>();
  const lastMs = new Map<string, number>();
  let requestCount = 0;

  function authenticate(authorization: string | null): {
    token: string;
    userId: string | null;
    scopes: readonly string[];
  } {
    const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
    if (token === undefined) throw unauthorized();
    if (appTokens.includes(token)) return { token, userId: null, scopes: [] };
    const grant = tokens.find(token);
    if (grant === null) throw unauthorized();
    return { token, userId: grant.userId, scopes: grant.scopes };
  }

  function countRequest(key: string, limit: number): Record<string, string> {
    const current = windows.get(key);
    const window =
      current !== undefined && current.endsMs > now()
        ? current
        : { count: 0, endsMs: now() + windowMs };
    windows.set(key, window);
    window.count += 1;
    const headers: Record<string, string> = faults.hasNoLimitHeaders
      ? {}
      : {
          "x-rate-limit-limit": String(limit),
          "x-rate-limit-remaining": String(Math.max(limit - window.count, 0)),
          "x-rate-limit-reset": String(Math.ceil(window.endsMs / 1_000)),
        };
    if (window.count > limit) throw Object.assign(tooManyRequests(), { headers });
    return headers;
  }

  function responseTo(
    url: URL,
    authorization: string | null,
  ): { status: number; headers: Record<string, string>; body: unknown } {
    requestCount += 1;
    if (faults.status503Every && requestCount % faults.status503Every === 0) {
      throw new Refusal(503, {
        title: "Service Unavailable",
        status: 503,
        type: "about:blank",
        detail: "Service Unavailable",
      });
    }
    if (faults.status429Every && requestCount % faults.status429Every === 0)
      throw tooManyRequests();
    const reader = authenticate(authorization);
    if (faults.isEchoing) throw echoedAuthorization(authorization);
    const isApp = reader.userId === null;
    if (url.pathname === "/2/usage/tweets") {
      if (!isApp)
        throw unsupportedAuthentication("OAuth 2.0 User Context", "OAuth 2.0 Application-Only");
      return {
        status: 200,
        headers: countRequest(`${reader.token} usage`, 50),
        body: {
          data: {
            project_id: "1234567890",
            project_cap: "3000000",
            project_usage: String(billed.posts),
          },
        },
      };
    }
    const endpoint = endpoints.find(({ pattern }) => pattern.test(url.pathname));
    if (endpoint === undefined)
      throw new Refusal(404, {
        title: "Not Found",
        status: 404,
        type: "about:blank",
        detail: "Not Found",
      });
    const { name, access, scopes, limits, pattern } = endpoint;
    if (!access.includes(isApp ? "app" : "user")) {
      throw isApp
        ? unsupportedAuthentication(
            "OAuth 2.0 Application-Only",
            "OAuth 1.0a User Context, OAuth 2.0 User Context",
          )
        : unsupportedAuthentication("OAuth 2.0 User Context", "OAuth 2.0 Application-Only");
    }
    if (faults.isClientForbidden || faults.forbiddenEndpoints?.includes(name)) {
      throw clientForbidden();
    }
    if (!isApp && scopes.some((scope) => !reader.scopes.includes(scope))) throw missingScope();
    const limit = faults.limit ?? (isApp ? limits.app : limits.user);
    const headers = countRequest(`${reader.token} ${name}`, limit);
    if (endpoint.isPaced && !faults.isUnpaced) {
      const previousMs = lastMs.get(reader.token) ?? Number.NEGATIVE_INFINITY;
      if (now() - previousMs < 1_000) throw Object.assign(tooManyRequests(), { headers });
      lastMs.set(reader.token, now());
    }
    if (faults.isUsageCapped) throw Object.assign(usageCapped(), { headers });
    if (faults.hasNoCredit) throw Object.assign(creditsDepleted(), { headers });
    const id = pattern.exec(url.pathname)?.[1] ?? "";
    const call = {
      id,
      query: url.searchParams,
      world,
      nowMs: now(),
      naming,
      userId: reader.userId,
      refusedOperators: faults.refusedOperators ?? [],
    };
    const { body, reads } = endpoint.respond(call);
    billed.posts += reads.posts ?? 0;
    billed.users += reads.users ?? 0;
    billed.requests += reads.requests ?? 0;
    return { status: 200, headers, body };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://x.test");
    const authorization = request.headers.authorization ?? null;
    const { method = "GET" } = request;
    requests.push({
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      authorization,
    });
    if (method === "GET" && url.pathname === "/i/oauth2/authorize") {
      const location = tokens.authorize(url.searchParams, consentingUserId);
      response
        .writeHead(
          location === null ? 400 : 302,
          location === null ? {} : { location: location.toString() },
        )
        .end();
      return;
    }
    if (method === "POST" && url.pathname === "/2/oauth2/token") {
      const form = new URLSearchParams(await requestBody(request));
      await faults.tokenGate;
      const { status, body } = tokens.token(form, authorization ?? "");
      send(response, status, {}, body);
      return;
    }
    try {
      const { status, headers, body } = responseTo(url, authorization);
      send(response, status, headers, body);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      const headers = "headers" in thrown ? (thrown.headers as Record<string, string>) : {};
      send(response, thrown.status, headers, thrown.body);
    }
  }

  function send(
    response: ServerResponse,
    status: number,
    headers: Record<string, string>,
    body: unknown,
  ): void {
    const text = status === 200 && faults.body !== undefined ? faults.body : JSON.stringify(body);
    const type = status === 200 ? "application/json" : "application/problem+json";
    response.writeHead(status, {
      "content-type": `${type}; charset=utf-8`,
      "content-length": Buffer.byteLength(text),
      ...headers,
    });
    if (faults.cutAfterBytes === undefined) {
      response.end(text);
      return;
    }
    response.write(text.slice(0, faults.cutAfterBytes), () => response.destroy());
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(599).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    world,
    faults,
    requests,
    billed,
    grant: tokens.grant,
    revoke: tokens.revoke,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function requestBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
