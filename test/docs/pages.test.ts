import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressIn, readPageTree } from "../../src/http/docs-site/page-tree.ts";
import { contentPolicy, style } from "../../src/http/docs-site/style.ts";
import { problems } from "../../src/http/problems/problems.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.remove());

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function get(url: string, headers: Record<string, string> = browser) {
  return await service.call(null, { method: "GET", url, headers });
}

const paths = [...(await readPageTree()).keys()].map((path) => `/docs${path}`);
const pages = paths.filter((path) => !path.endsWith(".svg"));

/** Tags of HTML that have no end. */
const lone = new Set(["meta", "br", "img", "!doctype"]);

/** Fails unless all tags are balanced. */
function expectWellFormed(html: string): void {
  const open: string[] = [];
  const bare = html.replace(/<style>[\s\S]*?<\/style>/, "");
  for (const [, end, name = ""] of bare.matchAll(/<(\/?)([!a-z][a-z0-9]*)[^<>]*>/gi)) {
    if (lone.has(name)) continue;
    if (end === "") open.push(name);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
}

const idsByPath = new Map<string, readonly string[]>();

async function idsOf(path: string): Promise<readonly string[]> {
  const ids = idsByPath.get(path) ?? matches((await get(path)).body, / id="([^"]+)"/g);
  idsByPath.set(path, ids);
  return ids;
}

const matches = (html: string, pattern: RegExp) =>
  [...html.matchAll(pattern)].map(([, found = ""]) => found);

describe("as HTML", () => {
  test.each(pages)(
    "%s is well formed, can be used from the keyboard and loads nothing",
    async (path) => {
      const answer = await get(path);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(answer.headers["content-security-policy"]).toBe(contentPolicy);
      const html = answer.body;
      expectWellFormed(html);
      const ids = matches(html, / id="([^"]+)"/g);
      expect(new Set(ids).size).toBe(ids.length);
      expect(html).toContain('<a class="skip" href="#text">');
      expect(matches(html, /<(h1|main) /g).sort()).toEqual(["h1", "main"]);
      for (const nav of matches(html, /<nav([^>]*)>/g)) expect(nav).toContain("aria-label=");
      expect(matches(html, /<table><(caption)/g)).toHaveLength(matches(html, /<(table)>/g).length);
      expect(html).not.toMatch(/<(script|link|iframe|object|form)|\son\w+=|style=/i);
      expect(html.match(/<style>([\s\S]*?)<\/style>/)?.[1]).toBe(style);
      for (const source of matches(html, /<img src="([^"]+)"/g)) expect(paths).toContain(source);
    },
  );

  test.each(pages)("the links of %s lead somewhere", async (path) => {
    const html = (await get(path)).body;
    for (const link of matches(html, /href="([^"]+)"/g)) {
      if (/^https?:/.test(link) || link === "/openapi.json") continue;
      const [page = "", anchor] = link.split("#");
      const target = page === "" ? path : page;
      expect(paths, `${path} links to ${link}`).toContain(target);
      if (anchor !== undefined) {
        expect(await idsOf(target), `${path} links to ${link}`).toContain(decodeURI(anchor));
      }
    }
  });

  test("the style is legible in light and dark, and on paper", () => {
    expect(style).toContain("prefers-color-scheme: dark");
    expect(style).toContain("@media print");
    expect(style).not.toMatch(/url\(|@import/);
  });
});

describe("GET /docs", () => {
  test("lists every endpoint with a call, and every schema", async () => {
    const { body } = await get("/docs", {});
    const api = JSON.parse((await get("/openapi.json")).body);
    for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(
      api.paths,
    )) {
      for (const [method, { operationId }] of Object.entries(methods)) {
        expect(body).toContain(`[\`${method.toUpperCase()} ${path}\`](#`);
        const heading = `${method.toUpperCase()} ${path}`;
        const chapter = body.split(`\n### ${heading}\n`)[1]?.split("\n### ")[0];
        expect(chapter, heading).toContain(`\`${operationId}\``);
        expect(chapter, heading).toContain("```sh\ncurl -s");
      }
    }
    for (const name of Object.keys(api.components.schemas)) {
      expect(body).toContain(`\n### ${name}\n`);
    }
  });

  test("every call can be pasted into a shell", async () => {
    const { body } = await get("/docs", {});
    for (const call of matches(body, /```sh\n(curl[\s\S]*?)\n```/g)) {
      const words = call.replaceAll("'\\''", "").replaceAll(/'[^']*'|"[^"]*"/g, "");
      expect(words, call).not.toMatch(/['"{}]/);
    }
  });
});

describe("whoever asks beside a page is led to it", () => {
  test.each([
    ["/docs/", 308, "/docs"],
    ["/docs/README.md", 308, "/docs"],
    ["/docs/api.md", 308, "/docs/api"],
    ["/docs/errors/", 308, "/docs/errors"],
    ["/docs/errors/README.md", 308, "/docs/errors"],
    ["/docs/errors/invalid_query.md", 308, "/docs/errors/invalid_query"],
  ])("%s: %i to %s", async (path, status, address) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers.location).toBe(address);
  });

  test.each([
    "/docs/nothing.md",
    "/docs/api.md.md",
    "/docs/%2F%2Fother.example.md",
    "/docs/errors/nothing.md",
  ])("%s is not there", async (path) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(404);
    expect(answer.headers).not.toHaveProperty("location");
  });
});

describe("the forms of a page", () => {
  test("Markdown for whoever does not ask for HTML", async () => {
    for (const headers of [{}, { accept: "*/*" }, { accept: "text/markdown" }]) {
      const answer = await get("/docs/errors/invalid_query", headers);
      expect(answer.headers["content-type"]).toBe("text/markdown; charset=utf-8");
      expect(answer.headers.vary).toBe("Accept");
      expect(answer.body).toMatch(/^# Invalid query\n/);
      expect(answer.body).toContain("](/docs/query-language#errors-and-warnings)");
    }
  });

  test("a page that is held already is 304; its forms have tags of their own", async () => {
    const html = await get("/docs/api");
    const text = await get("/docs/api", {});
    expect(html.headers.etag).not.toBe(text.headers.etag);
    const again = { ...browser, "if-none-match": `"other", W/${html.headers.etag}` };
    const stored = await get("/docs/api", again);
    expect(stored.statusCode).toBe(304);
    expect(stored.body).toBe("");
    expect(stored.headers.etag).toBe(html.headers.etag);
    expect((await get("/docs/api", { "if-none-match": `${html.headers.etag}` })).statusCode).toBe(
      200,
    );
  });

  test("HEAD answers as GET without a body, a picture as it is", async () => {
    const head = await service.call(null, { method: "HEAD", url: "/docs", headers: browser });
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe("");
    const picture = await get("/docs/performance-scale.svg");
    expect(picture.headers["content-type"]).toBe("image/svg+xml; charset=utf-8");
  });
});

test("the type of every problem leads to its page", async () => {
  for (const [code, { title }] of Object.entries(problems)) {
    const answer = await get(`/docs/errors/${code}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain(title.replaceAll("'", "&#39;"));
  }
});

test.each([
  "/docs/../package.json",
  "/docs/../../etc/passwd",
  "/docs/..%2f..%2fpackage.json",
  "/docs/%2e%2e/package.json",
  "/docs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "/docs/errors/..%2fapi",
  "/docs/errors/%2e%2e%2f%2e%2e%2fpackage",
  "/docs/errors/%00",
  "/docs/errors/README",
  "/docs/__proto__",
  "/docs/errors/constructor",
  `/docs/${"a".repeat(5_000)}`,
  "/docs/errors/Invalid_Query",
])("%.60s is a 404 problem", async (url) => {
  const answer = await get(url, { accept: "*/*" });
  expect(answer.statusCode).toBe(404);
  expect(answer.headers["content-type"]).toContain("application/problem+json");
  expect(answer.json()).toMatchObject({ code: "not_found" });
});

test("pages need no key, cost none, and are made once", async () => {
  const key = await service.makeKey({ requestsPerSecond: 1 });
  for (let count = 0; count < 5; count++) {
    const answer = await service.call(key, { method: "GET", url: "/docs" });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.ratelimit).toBeUndefined();
  }
});

test("what is not in docs/ has no address", async () => {
  const addressOf = addressIn(await readPageTree(), "decisions/README.md");
  expect(addressOf("../../ARCHITECTURE.md")).toBeNull();
});
