import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import { connect } from "../../testkit/service/http-client.ts";
import { until } from "../../testkit/until.ts";
import { requireImage } from "./images.ts";
import type { Container } from "./podman.ts";

const image = requireImage("service");
const posts = gunzipSync(
  readFileSync(join(import.meta.dirname, "../../samples/bluesky.ndjson.gz")),
);
const earshot = ["node", "bin/earshot.mjs"];
let container: Container;
let base: string;

beforeAll(async () => {
  const port = String(await freePort());
  base = `http://127.0.0.1:${port}`;
  const settings = {
    EARSHOT_HOST: "127.0.0.1",
    EARSHOT_PORT: port,
    EARSHOT_INGEST: "off",
    EARSHOT_BLUESKY_PUBLIC: "off",
  };
  container = image.start(settings, ["earshot:/data"]);
  const isReady = () =>
    fetch(`${base}/readyz`).then(
      ({ ok }) => ok || null,
      () => null,
    );
  await until("the service to be ready", isReady).catch((error: unknown) => {
    throw new Error(container.logs(), { cause: error });
  });
});
afterAll(() => image.remove());

test("the service runs as an unprivileged user on a read-only file system", () => {
  expect(container.exec(["id", "-u"]).stdout).toBe("1000\n");
  expect(container.exec(["touch", "/app/written"]).stderr).toContain("Read-only file system");
  expect(container.exec(["touch", "/data/written"]).status).toBe(0);
  expect(container.exec(["grep", "-E", "^(CapBnd|NoNewPrivs)", "/proc/1/status"]).stdout).toBe(
    "CapBnd:\t0000000000000000\nNoNewPrivs:\t1\n",
  );
});

test("the health check of the image reports a live service as healthy", async () => {
  expect((await fetch(`${base}/livez`)).status).toBe(200);
  expect(container.checkHealth()).toBe(0);
});

test("the service finds posts imported by another process, with a key created by another process", async () => {
  const importResult = container.exec([...earshot, "import", "-", "--platform", "bluesky"], posts);
  expect(importResult.status, importResult.stderr).toBe(0);
  const keyResult = container.exec([...earshot, "keys", "create", "--name", "laptop"]);
  const client = connect(base, keyResult.stdout.trim().split("\n").at(-1) ?? "");
  const found = JSON.parse(await client.result(await client.submit("aurora", 3)));
  expect(found).toHaveLength(3);
  client.close();
});

test("the image has the sample posts that the dashboard offers", () => {
  const importResult = container.exec([
    ...earshot,
    "import",
    "samples/mastodon.ndjson.gz",
    "--platform",
    "mastodon",
  ]);
  expect(importResult.status, importResult.stderr).toBe(0);
});

test("the service serves its documentation and its dashboard", async () => {
  const page = async (path: string) =>
    await (await fetch(base + path, { headers: { accept: "text/html" } })).text();
  expect(await page("/docs")).toContain("Earshot");
  expect(await page("/")).toContain("<script");
});

test("the service exits with code 0 when it is stopped", () => {
  expect(container.stop()).toBe(0);
});
