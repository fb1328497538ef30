import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import { allow } from "../../testkit/mcp/authorize.ts";
import {
  type ClientMetadataHost,
  createTestProvider,
  startClientMetadataHost,
  type TestProvider,
} from "../../testkit/mcp/oauth-app.ts";
import { callTool } from "../../testkit/mcp/tool-calls.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let app: ClientMetadataHost;
let service: ServiceUnderTest;
let session: TestSession;

const hourMs = 3_600_000;

beforeAll(async () => {
  app = await startClientMetadataHost();
  service = await startServiceUnderTest({ EARSHOT_APP_PRIVATE_HOSTS: app.origin });
  session = await service.signIn();
  const createdMs = service.clock.now() - 60_000;
  const createdAt = new Date(createdMs).toISOString();
  await service.addPosts([makePost({ key: "comet", createdMs, createdAt, text: "a comet" })]);
});

afterAll(async () => {
  await service.remove();
  await app.stop();
});

const makeClient = (mode: "legacy" | "auto") =>
  new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });

const makeTransport = (authProvider: TestProvider) =>
  new StreamableHTTPClientTransport(new URL("/mcp", service.url), { authProvider });

describe.each(["legacy", "auto"] as const)("the official client that negotiates %s", (mode) => {
  let provider: TestProvider;
  let client: Client;

  beforeAll(() => {
    provider = createTestProvider(app.clientId);
  });
  afterAll(() => client?.close());

  test("the official client discovers where to sign in, and connects after the user has consented", async () => {
    const transport = makeTransport(provider);
    await expect(makeClient(mode).connect(transport)).rejects.toThrow();
    const url = provider.authorizationUrl;
    expect(url?.href).toContain(`${service.url}/dashboard/connect?`);
    expect(url?.searchParams.get("resource")).toBe(`${service.url}/mcp`);
    // The browser uses the address by which the client knows the service.
    const { host } = new URL(service.url);
    const atHost: ServiceUnderTest = {
      ...service,
      callAs: (user, options) =>
        service.callAs(user, {
          ...options,
          headers: { ...options.headers, host, origin: service.url },
        }),
    };
    const redirect = await allow(atHost, session, url?.search.slice(1) ?? "");
    expect(redirect.searchParams.get("state")).toBe("state-of-the-client");
    await transport.finishAuth(redirect.searchParams);
    client = makeClient(mode);
    await client.connect(makeTransport(provider));
    const found = await callTool(client, "search_posts", { query: "comet" });
    expect(found.structuredContent.posts).toMatchObject([{ text: "a comet" }]);
  });

  test("the connected official client may use all tools", async () => {
    const calls = [
      ["count_posts", { query: "comet" }],
      ["get_post", { post: "1140437409710116865" }],
      ["get_thread", { post: "1140437409710116865" }],
      ["get_profile", { account: "ann.example" }],
      ["list_trends", {}],
      ["explain_query", { query: "comet" }],
    ] as const;
    for (const [name, args] of calls) {
      const { text } = await callTool(client, name, args);
      expect(text).not.toContain("method_forbidden");
    }
  });

  test("the official client refreshes its tokens when they have expired", async () => {
    const before = provider.storedTokens;
    service.clock.move(2 * hourMs);
    const found = await callTool(client, "search_posts", { query: "comet" });
    expect(found.isError).toBe(false);
    expect(provider.storedTokens?.access_token).not.toBe(before?.access_token);
    expect(provider.storedTokens?.refresh_token).not.toBe(before?.refresh_token);
  });

  test("the official client loses access when the owner disconnects it", async () => {
    const list = { method: "GET", url: "/dashboard/api/apps" } as const;
    const { apps } = (await service.callAs(session, list)).json();
    expect(apps[0]).toMatchObject({ name: "Reader", host: new URL(app.origin).host });
    const url = `/dashboard/api/apps/${apps[0].id}`;
    expect((await service.callAs(session, { method: "DELETE", url })).statusCode).toBe(204);
    await expect(client.listTools()).rejects.toThrow();
    expect((await service.callAs(session, list)).json().apps).toEqual([]);
  });
});
