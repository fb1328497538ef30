import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseQuery } from "@earshot/query";
import { makePlan, type PlanNode } from "@earshot/query/plan";
import { readImportRecord, toPost } from "../src/ingest/import/record.ts";
import { indexTerms } from "../src/posts/terms.ts";
import { type Client, openConnection } from "../testkit/service/http-client.ts";

/**
 * A running OpenSearch (plain HTTP, no security): the archive's terms in one text field, one shard sorted by ID,
 * records in `_source`.
 */
const index = "earshot-bench";
const bulkPosts = 5_000;

const indexDefinition = {
  settings: {
    number_of_shards: 1,
    number_of_replicas: 0,
    refresh_interval: "-1",
    "index.sort.field": "id",
    "index.sort.order": "desc",
    analysis: { analyzer: { terms: { type: "custom", tokenizer: "whitespace" } } },
  },
  mappings: {
    dynamic: false,
    properties: {
      id: { type: "long" },
      terms: { type: "text", analyzer: "terms", norms: false, index_options: "positions" },
    },
    _source: { excludes: ["terms"] },
  },
};

/** Merges the index into one segment. */
export async function indexPosts(base: string, file: string): Promise<void> {
  await fetch(`${base}/${index}`, { method: "DELETE" });
  await call(base, "PUT", `/${index}`, JSON.stringify(indexDefinition));
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    const response = await call(base, "POST", `/${index}/_bulk`, `${lines.join("\n")}\n`);
    if ((JSON.parse(response) as { errors: boolean }).errors)
      throw new Error("a bulk request failed");
    lines = [];
  };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const post = toPost(readImportRecord(JSON.parse(line)), "x", Date.now());
    const terms = JSON.stringify(indexTerms(post).join(" "));
    lines.push(`{"index":{"_id":"${post.nativeId}"}}`);
    lines.push(`{"id":${post.nativeId},"terms":${terms},"record":${line}}`);
    if (lines.length === 2 * bulkPosts) await flush();
  }
  if (lines.length > 0) await flush();
  await call(base, "POST", `/${index}/_forcemerge?max_num_segments=1`, "");
  await call(base, "POST", `/${index}/_refresh`, "");
}

/**
 * Uses one kept-alive connection. OpenSearch has no jobs: `submit` prepares the search, and
 * `result` sends it.
 */
export function connectOpenSearch(base: string): Client {
  const { hostname, port } = new URL(base);
  const connection = openConnection(hostname, Number(port));
  const send = async (body: string): Promise<string> => {
    const { status, text } = await (await connection).request(
      `POST /${index}/_search HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    if (status !== 200) throw new Error(`OpenSearch returned ${status}: ${text}`);
    return text;
  };
  return {
    submit: async (query, maxResults) => queryRequest(query, maxResults),
    result: send,
    search: async (query, maxResults) => await send(queryRequest(query, maxResults)),
    close: () => void connection.then((opened) => opened.close()),
  };
}

export function foundIds(response: string): string[] {
  const { hits } = JSON.parse(response) as { hits: { hits: readonly { _id: string }[] } };
  return hits.hits.map(({ _id }) => _id);
}

function queryRequest(query: string, size: number): string {
  const { tree } = parseQuery(query);
  const plan = makePlan(tree, {
    names: { accounts: new Map(), posts: new Map() },
    asOfMs: Date.now(),
  });
  const filter = [planClause(plan)];
  const sort = [{ id: "desc" }];
  return JSON.stringify({ size, sort, track_total_hits: false, query: { bool: { filter } } });
}

function planClause(plan: PlanNode): object {
  if (plan.kind === "and") return { bool: { filter: plan.children.map(planClause) } };
  if (plan.kind === "or") {
    return { bool: { should: plan.children.map(planClause), minimum_should_match: 1 } };
  }
  if (plan.kind === "not") return { bool: { must_not: [planClause(plan.child)] } };
  if (plan.kind !== "terms") throw new Error(`unexpected plan node: ${plan.kind}`);
  const words = plan.elements.map((element) => (element.kind === "token" ? element.token : "*"));
  if (words.includes("*")) throw new Error("this measurement has no wildcards");
  return words.length === 1
    ? { term: { terms: words[0] } }
    : { match_phrase: { terms: words.join(" ") } };
}

async function call(base: string, method: string, path: string, body: string): Promise<string> {
  const headers = { "content-type": "application/x-ndjson" };
  const response = await fetch(base + path, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return text;
}
