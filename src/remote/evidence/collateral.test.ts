import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { collateral, nowMs, quoteBytes, tee } from "../../../testkit/nodes/evidence-under-test.ts";
import {
  type FakeCollateralService,
  type ServiceError,
  startCollateralService,
} from "../../../testkit/nodes/fake-collateral-service.ts";
import { until } from "../../../testkit/until.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch, type GuardedFetch } from "../../lib/guarded-fetch.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { collateralFromFolder, collateralFromService } from "./collateral.ts";
import type { Collateral, CollateralSource } from "./evidence.ts";
import { openQuote } from "./signed-quote.ts";
import { createSimulatedTee } from "./simulated/simulated-tee.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const [hour, day] = [3_600_000, 86_400_000];
const quote = openQuote(quoteBytes(), tee.rootDer, nowMs);
const unavailable = expect.objectContaining({
  name: "EarshotError",
  code: "collateral_unavailable",
  status: 503,
  retryable: true,
});

type Fixture = { source: CollateralSource; service: FakeCollateralService; clock: ManualClock };

async function start(initialCollateral = collateral, path = ""): Promise<Fixture> {
  const service = await startCollateralService(initialCollateral);
  const client = createGuardedFetch({
    guard: createGuard([service.url]),
    userAgent: "earshot-test/1",
    timeoutMs: 20_000,
    maxBytes: 100_000,
    maxRedirects: 0,
  });
  closers.push(service.stop, client.close);
  const fetch: GuardedFetch = (address, options) =>
    client(address, { ...options, timeoutMs: service.isSilent() ? 50 : 20_000 });
  const clock = createManualClock(nowMs);
  const url = `${service.url}${path}`;
  return {
    source: collateralFromService({ url, fetch, clock, maxAgeMs: 4 * hour }),
    service,
    clock,
  };
}

const untilReturned = (source: CollateralSource, expected: Collateral) =>
  until("the fetched collateral is returned", async () =>
    (await source(quote)).tcb_info === expected.tcb_info ? true : null,
  );

const untilRequested = (service: FakeCollateralService, times: number) =>
  until(`the service is requested ${times} times`, () =>
    service.requests.length >= times ? true : null,
  );

describe("collateral from a service", () => {
  test("collateral from a service is fetched with four requests and cached", async () => {
    const { source, service, clock } = await start();
    expect(await source(quote)).toEqual(collateral);
    expect(service.requests.toSorted()).toEqual([
      "/sgx/certification/v4/pckcrl?ca=platform&encoding=der",
      "/sgx/certification/v4/rootcacrl",
      "/tdx/certification/v4/qe/identity?update=standard",
      "/tdx/certification/v4/tcb?fmspc=00906EA10000",
    ]);
    await clock.advance(2 * hour);
    expect(await source(quote)).toEqual(collateral);
    expect(service.requests).toHaveLength(4);
  });

  test("the service's URL can include the API's path", async () => {
    const { source } = await start(collateral, "/sgx/certification/v4/");
    expect(await source(quote)).toEqual(collateral);
  });

  test("collateral is fetched once for concurrent requests", async () => {
    const { source, service } = await start();
    await Promise.all([source(quote), source(quote), source(quote)]);
    expect(service.requests).toHaveLength(4);
  });

  test("collateral is refreshed in the background before its age limit", async () => {
    const { source, service, clock } = await start();
    await source(quote);
    const newCollateral = tee.collateral({ evaluationNumber: 19 });
    service.respondWith(newCollateral);
    await clock.advance(3 * hour);
    expect(await source(quote)).toEqual(collateral);
    await untilReturned(source, newCollateral);
    expect(service.requests).toHaveLength(8);
  });

  test("collateral is refreshed before it expires, even if it was fetched recently", async () => {
    const { source, service, clock } = await start(
      tee.collateral({ inForce: { fromMs: nowMs - hour, toMs: nowMs + hour } }),
    );
    await source(quote);
    service.respondWith(collateral);
    await clock.advance(0.8 * hour);
    await source(quote);
    await untilReturned(source, collateral);
    await clock.advance(hour);
    expect(await source(quote)).toEqual(collateral);
  });
});

test("collateral is fetched from Intel's own service, except the root CRL, which has another address", async () => {
  const requestedUrls: string[] = [];
  const fetch: GuardedFetch = (address) => {
    requestedUrls.push(String(address));
    return Promise.reject(new Error("connection refused"));
  };
  const url = "https://api.trustedservices.intel.com";
  const source = collateralFromService({
    url,
    fetch,
    clock: createManualClock(nowMs),
    maxAgeMs: hour,
  });
  await expect(source(quote)).rejects.toEqual(unavailable);
  const hosts = requestedUrls.map((address) => new URL(address).host);
  expect(hosts.filter((host) => host === "api.trustedservices.intel.com")).toHaveLength(3);
  expect(requestedUrls).toContain(
    "https://certificates.trustedservices.intel.com/IntelSGXRootCA.der",
  );
});

describe("a service that fails", () => {
  const errors: ServiceError[] = [
    "error",
    "garbage",
    "cut off",
    "silent",
    "too long",
    "without headers",
  ];

  test.each(errors)(
    "a collateral service that fails with %s is reported as unavailable",
    async (error) => {
      const { source, service } = await start();
      service.failWith(error);
      await expect(source(quote)).rejects.toEqual(unavailable);
    },
  );

  test.each(errors)(
    "a collateral service that fails with %s leaves the cached collateral in use while it is valid",
    async (error) => {
      const shortLivedCollateral = tee.collateral({
        inForce: { fromMs: nowMs - day, toMs: nowMs + day },
      });
      const { source, service, clock } = await start(shortLivedCollateral);
      await source(quote);
      service.failWith(error);
      await clock.advance(23 * hour);
      const requestCount = service.requests.length;
      expect(await source(quote)).toEqual(shortLivedCollateral);
      await untilRequested(service, requestCount + 4);
      expect(await source(quote)).toEqual(shortLivedCollateral);
      await clock.advance(2 * hour);
      await expect(source(quote)).rejects.toEqual(unavailable);
      service.failWith(null);
      service.respondWith(collateral);
      await clock.advance(11_000);
      expect(await source(quote)).toEqual(collateral);
    },
  );

  test("a collateral service that fails is not called again for a while", async () => {
    const { source, service, clock } = await start();
    service.failWith("error");
    await expect(source(quote)).rejects.toEqual(unavailable);
    const requestCount = service.requests.length;
    await expect(source(quote)).rejects.toEqual(unavailable);
    expect(service.requests).toHaveLength(requestCount);
    await clock.advance(11_000);
    await expect(source(quote)).rejects.toEqual(unavailable);
    expect(service.requests.length).toBeGreaterThan(requestCount);
  });

  test.each([
    ["collateral signed by another root", createSimulatedTee({ nowMs }).collateral()],
    [
      "damaged collateral",
      { ...collateral, tcb_info: collateral.tcb_info.replace("UpToDate", "Revoked") },
    ],
    [
      "expired collateral",
      tee.collateral({ inForce: { fromMs: nowMs - day, toMs: nowMs - hour } }),
    ],
    ["collateral of an older evaluation", tee.collateral({ evaluationNumber: 17 })],
  ])(
    "a collateral service that returns %s does not replace the cached collateral",
    async (_name, bad) => {
      const { source, service, clock } = await start();
      await source(quote);
      service.respondWith(bad);
      await clock.advance(3.5 * hour);
      await source(quote);
      await untilRequested(service, 8);
      // Proves that the previous response was dropped.
      await until("it is requested again", async () => {
        await clock.advance(11_000);
        expect(await source(quote)).toEqual(collateral);
        return service.requests.length >= 12 ? true : null;
      });
    },
  );
});

describe("collateral from a folder", () => {
  const name = "tdx-00906ea10000-platform.json";

  async function folderWith(text: string | null): Promise<CollateralSource> {
    const folder = await mkdtemp(join(tmpdir(), "earshot-collateral-"));
    closers.push(() => rm(folder, { recursive: true }));
    if (text !== null) await writeFile(join(folder, name), text);
    return collateralFromFolder(folder);
  }

  test("collateral from a folder is read from the file for the kind of machine", async () => {
    const source = await folderWith(JSON.stringify(collateral));
    expect(await source(quote)).toEqual(collateral);
  });

  test("collateral from a folder can have blobs as byte arrays", async () => {
    const bytes = (hex: string) => [...Buffer.from(hex, "hex")];
    const collateralWithArrays = {
      ...collateral,
      pck_crl: bytes(collateral.pck_crl),
      root_ca_crl: bytes(collateral.root_ca_crl),
    };
    const source = await folderWith(JSON.stringify(collateralWithArrays));
    expect(await source(quote)).toEqual(collateral);
  });

  test.each([
    ["is missing", null],
    ["is not JSON", "hello"],
    ["is not an object", "[]"],
    ["lacks a part", JSON.stringify({ ...collateral, pck_crl: undefined })],
    ["is too long", " ".repeat(3_000_000)],
  ])("collateral from a folder that %s is reported with a fix", async (_name, text) => {
    const source = await folderWith(text);
    await expect(source(quote)).rejects.toMatchObject({
      code: "collateral_unavailable",
      message: expect.stringContaining(name),
      hint: expect.stringContaining("folder"),
    });
  });
});
