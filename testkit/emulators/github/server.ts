// An emulator of sign-in with GitHub and GitLab, based on docs.github.com and docs.gitlab.com.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createExchange } from "./exchange.ts";
import {
  type Authorization,
  createGrants,
  type EmulatedResponse,
  type EmulatedUser,
} from "./model.ts";
import { approvalPage } from "./page.ts";

export type { EmulatedUser } from "./model.ts";

type InjectedErrors = {
  token?: EmulatedResponse;
  profile?: EmulatedResponse;
  membership?: EmulatedResponse;
  /** GitHub only; all organisations if omitted. */
  membershipOf?: string;
  issuer?: string;
  authorizationError?: string;
};

export type GitHubEmulator = Awaited<ReturnType<typeof startGitHubEmulator>>;

/** Users decide on its page, tests with `decide`. If `callbackUrls` is set, other callbacks are rejected. */
export async function startGitHubEmulator({
  now = Date.now,
  callbackUrls = null,
}: {
  now?: () => number;
  callbackUrls?: readonly string[] | null;
} = {}) {
  const clientId = "Iv1.emulated0client";
  const clientSecret = "emulated-client-secret-0123456789abcdef";
  const users: EmulatedUser[] = [
    { id: 583_231, login: "ann", organizations: { acme: "active" } },
    { id: 42, login: "ben", organizations: {} },
  ];
  const grants = createGrants(now);
  const faults: InjectedErrors = {};
  const requests: string[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const exchange = createExchange({ grants, clientId, clientSecret, issuer: url, now });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    requests.push(`${method} ${pathname}`);
    switch (`${method} ${pathname}`) {
      case "GET /login/oauth/authorize":
        showPage(response, "GitHub", searchParams);
        return;
      case "GET /oauth/authorize":
        showPage(response, "GitLab", searchParams);
        return;
      case "POST /emulator/decision": {
        const form = await requestForm(request);
        const user = users.find(({ id }) => String(id) === form.get("user"));
        response.writeHead(302, { location: redirectAfter(form, form.get("decision"), user) });
        response.end();
        return;
      }
      case "POST /login/oauth/access_token": {
        const { status, body } = faults.token ?? exchange.atGitHub(await requestForm(request));
        if (headers.accept?.includes("application/json")) {
          sendJson(response, { status, body });
          return;
        }
        response.writeHead(status, { "content-type": "application/x-www-form-urlencoded" });
        response.end(new URLSearchParams(body as Record<string, string>).toString());
        return;
      }
      case "POST /oauth/token": {
        sendJson(response, faults.token ?? exchange.atGitLab(await requestForm(request)));
        return;
      }
      default:
        sendJson(response, apiResponse(pathname, headers.authorization));
    }
  }

  function showPage(response: ServerResponse, label: string, query: URLSearchParams): void {
    const redirect = rejectionRedirect(query);
    if (redirect !== null) {
      response.writeHead(302, { location: redirect });
      response.end();
      return;
    }
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(approvalPage(label, query, users));
  }

  function rejectionRedirect(query: URLSearchParams): string | null {
    const redirectUri = query.get("redirect_uri") ?? "";
    const [registeredUrl = redirectUri] = callbackUrls ?? [];
    const isMismatch = callbackUrls !== null && !callbackUrls.includes(redirectUri);
    if (query.get("client_id") !== clientId) return `${url}/404`;
    return isMismatch
      ? redirectUrl(registeredUrl, query, { error: "redirect_uri_mismatch" })
      : null;
  }

  function redirectUrl(
    redirectUri: string,
    query: URLSearchParams,
    parameters: Record<string, string>,
  ): string {
    const redirect = new URL(redirectUri);
    for (const [name, value] of Object.entries(parameters)) redirect.searchParams.set(name, value);
    const state = query.get("state");
    if (state !== null) redirect.searchParams.set("state", state);
    if (faults.issuer !== undefined) redirect.searchParams.set("iss", faults.issuer);
    return redirect.href;
  }

  function redirectAfter(
    query: URLSearchParams,
    decision: string | null,
    user: EmulatedUser | undefined,
  ): string {
    const redirectUri = query.get("redirect_uri") ?? "";
    const { authorizationError: error } = faults;
    if (error !== undefined) return redirectUrl(redirectUri, query, { error });
    if (decision !== "approve" || user === undefined) {
      return redirectUrl(redirectUri, query, {
        error: "access_denied",
        error_description: "The user has denied your application access.",
      });
    }
    const authorization: Authorization = {
      redirectUri,
      state: query.get("state"),
      scopes: (query.get("scope") ?? "").split(/[ ,]+/).filter((scope) => scope !== ""),
      codeChallenge:
        query.get("code_challenge_method") === "S256" ? query.get("code_challenge") : null,
    };
    return redirectUrl(redirectUri, query, { code: grants.issueCode(authorization, user) });
  }

  function apiResponse(path: string, authorization: string | undefined): EmulatedResponse {
    const owner = grants.holderOf(authorization);
    if (owner === null) return { status: 401, body: { message: "Bad credentials" } };
    const { user, scopes } = owner;
    const { id, login, organizations } = user;
    const organization = /^\/api\/v3\/user\/memberships\/orgs\/([^/]+)$/.exec(path)?.[1];
    if (path === "/api/v3/user") return faults.profile ?? { status: 200, body: { login, id } };
    if (path === "/api/v4/user") {
      return faults.profile ?? { status: 200, body: { username: login, id, state: "active" } };
    }
    const isFaulty = faults.membershipOf === undefined || faults.membershipOf === organization;
    if (faults.membership !== undefined && isFaulty) return faults.membership;
    if (organization !== undefined) return membershipAtGitHub(organization, user, scopes);
    if (path === "/oauth/userinfo" && scopes.includes("openid")) {
      return { status: 200, body: { sub: String(id), groups: Object.keys(organizations) } };
    }
    return notFound;
  }

  return {
    url,
    clientId,
    clientSecret,
    users,
    faults,
    requests,
    decide: (location: string, login: string | null): string => {
      const query = new URL(location).searchParams;
      const user = users.find((candidate) => candidate.login === login);
      return (
        rejectionRedirect(query) ??
        redirectAfter(query, login === null ? "cancel" : "approve", user)
      );
    },
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const notFound: EmulatedResponse = { status: 404, body: { message: "Not Found" } };

function membershipAtGitHub(
  organization: string,
  { organizations }: EmulatedUser,
  scopes: readonly string[],
): EmulatedResponse {
  if (!scopes.includes("read:org")) return { status: 403, body: { message: "Forbidden" } };
  const state = organizations[organization];
  if (state === undefined) return notFound;
  return { status: 200, body: { state, role: "member", organization: { login: organization } } };
}

function sendJson(response: ServerResponse, { status, body }: EmulatedResponse): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function requestForm(request: IncomingMessage): Promise<URLSearchParams> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return new URLSearchParams(Buffer.concat(pieces).toString("utf8"));
}
