import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Block, encodeCar, repositoryBlocks } from "../archives/repository-archive.ts";

/** An emulator of a PLC directory, PDS, AppView and labeler, based on their lexicons. */
export type AccountHost = {
  url: string;
  accounts: Map<string, HostedAccount>;
  labels: Record<string, unknown>[];
  hasWildcards: boolean;
  requests: string[];
  /** Returns true if it sends the response. */
  intercept: (method: string, request: IncomingMessage, response: ServerResponse) => boolean;
  alterBlocks: (blocks: Block[]) => Block[];
  close(): Promise<void>;
};

export type HostedAccount = {
  did: string;
  handle: string;
  rev: string;
  records: Map<string, unknown>;
  status: "active" | "takendown" | "deactivated" | "suspended";
  /** The host in the account's DID document; null means this emulator. */
  pds: string | null;
};

export const postPath = (rkey: string): string => `app.bsky.feed.post/${rkey}`;

export async function startAccountHost(): Promise<AccountHost> {
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host: AccountHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts: new Map(),
    labels: [],
    hasWildcards: true,
    requests: [],
    intercept: () => false,
    alterBlocks: (blocks) => blocks,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", host.url);
    const method = url.pathname.replace("/xrpc/", "");
    host.requests.push(`${method}${url.search === "" ? "" : ` ${url.search.slice(1)}`}`);
    if (host.intercept(method, request, response)) return;
    const parameter = (name: string) => url.searchParams.get(name) ?? "";
    const account = host.accounts.get(parameter("did") || parameter("repo"));
    if (method.startsWith("/did:")) return sendDocument(method.slice(1), response);
    if (method === "com.atproto.identity.resolveHandle")
      return resolveHandle(parameter("handle"), response);
    if (method === "com.atproto.label.queryLabels") return queryLabels(url, response);
    if (account === undefined) return refuse(response, "RepoNotFound");
    if (method === "com.atproto.sync.getRepoStatus") {
      const active = account.status === "active";
      const status = active ? { rev: account.rev } : { status: account.status };
      return writeJson(response, { did: account.did, active, ...status });
    }
    if (account.status === "takendown") return refuse(response, "RepoTakendown");
    if (account.status !== "active") return refuse(response, "RepoDeactivated");
    if (method === "com.atproto.sync.getRepo") {
      response.writeHead(200, { "content-type": "application/vnd.ipld.car" });
      response.end(await encodeCar(host.alterBlocks(repositoryBlocks(account))));
      return;
    }
    if (method === "com.atproto.repo.getRecord") {
      const value = account.records.get(`${parameter("collection")}/${parameter("rkey")}`);
      return value === undefined
        ? refuse(response, "RecordNotFound")
        : writeJson(response, { value });
    }
    if (method === "com.atproto.repo.listRecords") {
      return listRecords(account, parameter("collection"), parameter("cursor"), response);
    }
    refuse(response, "MethodNotImplemented", 501);
  }

  function sendDocument(did: string, response: ServerResponse): void {
    const account = host.accounts.get(did);
    if (account === undefined) {
      refuse(response, "NotFound", 404);
      return;
    }
    const serviceEndpoint = account.pds ?? host.url;
    const service = { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint };
    writeJson(response, { id: did, alsoKnownAs: [`at://${account.handle}`], service: [service] });
  }

  function resolveHandle(handle: string, response: ServerResponse): void {
    const account = [...host.accounts.values()].find((known) => known.handle === handle);
    if (account === undefined) refuse(response, "InvalidRequest");
    else writeJson(response, { did: account.did });
  }

  function listRecords(
    { did, records }: HostedAccount,
    collection: string,
    cursor: string,
    response: ServerResponse,
  ): void {
    const keys = [...records.keys()]
      .filter((path) => path.startsWith(`${collection}/`))
      .map((path) => path.slice(collection.length + 1))
      .sort()
      .reverse()
      .filter((rkey) => cursor === "" || rkey < cursor);
    const page = keys.slice(0, 100).map((rkey) => ({
      uri: `at://${did}/${collection}/${rkey}`,
      cid: "bafyreib2rxk3rw6putwo6hw7fftkeczaqt6iuzxg3bkkwyq5bvgbzyuocm",
      value: records.get(`${collection}/${rkey}`),
    }));
    writeJson(response, { records: page, ...(keys.length > 100 ? { cursor: keys[99] } : {}) });
  }

  function queryLabels(url: URL, response: ServerResponse): void {
    const patterns = url.searchParams.getAll("uriPatterns");
    if (!host.hasWildcards && patterns.some((pattern) => pattern.includes("*"))) {
      refuse(response, "InvalidRequest");
      return;
    }
    const labels = host.labels.filter(({ uri }) =>
      patterns.some((pattern) =>
        pattern.endsWith("*") ? String(uri).startsWith(pattern.slice(0, -1)) : uri === pattern,
      ),
    );
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const limit = Number(url.searchParams.get("limit"));
    const cursor = from + limit < labels.length ? { cursor: String(from + limit) } : {};
    writeJson(response, { labels: labels.slice(from, from + limit), ...cursor });
  }

  return host;
}

export function writeJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, error: string, status = 400): void {
  writeJson(response, { error, message: `${error}, from the emulator` }, status);
}
