import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let page: string;

beforeAll(async () => {
  const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), "utf8");
  [service, page] = await Promise.all([startServiceUnderTest(), read("web/index.html")]);
});
afterAll(async () => {
  await service.remove();
});

describe("the landing page", () => {
  it("the landing page links only to documentation pages that exist", async () => {
    const paths = [...page.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, path]) => path ?? "");
    const documents = [...new Set(paths)].filter((path) => /^\/(docs|openapi)/.test(path));
    expect(documents.length).toBeGreaterThan(2);
    for (const url of documents) {
      const { statusCode } = await service.call(null, { method: "GET", url });
      expect(`${url} ${statusCode}`).toBe(`${url} 200`);
    }
  });

  it("the landing page shows an error and its fix as the service returns them", async () => {
    const key = await service.makeKey();
    const submitted = await service.submit(key, search("min_fave:50 harbour"));
    const { uuid } = submitted.json<{ uuid: string }>();
    const url = `/v1/search/live/social/status/${uuid}`;
    const reported = (await service.call(key, { method: "GET", url })).body;
    expect(reported).toContain("is not an operator");
    expect(reported).toContain("did you mean min_faves:50");
    expect(reported).toContain('"length":11');
    expect(page).toContain(`${"^".repeat(11)} is not an operator`);
    expect(page).toContain("min_faves:50");
  });

  it("the landing page shows the response to an accepted search as the service returns it", async () => {
    const key = await service.makeKey();
    const { statusCode, body } = await service.submit(key, search("harbour"));
    expect([statusCode, Object.keys(JSON.parse(body))]).toEqual([202, ["uuid", "error"]]);
    expect(page).toContain('202 {"uuid":"0e9f…","error":""}');
  });

  it("the landing page links to the installation instructions, without commands that need a checkout", async () => {
    expect(page).toContain('href="/docs/operations#install">Run it yourself</a>');
    expect(page).not.toMatch(/\bnp[mx] /);
    const headers = { accept: "text/html" };
    const { body } = await service.call(null, { method: "GET", url: "/docs/operations", headers });
    expect(body).toContain('id="install"');
    expect(body).toContain("npm ci");
  });
});
