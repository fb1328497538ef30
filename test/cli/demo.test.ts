import { expect, test } from "vitest";
import { run } from "../../src/cli/main.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { until } from "../../testkit/until.ts";

test("demo --keep prints a sign-in link to its dashboard, and ends when it is stopped", async () => {
  const port = await freePort();
  const stopping = new AbortController();
  let out = "";
  const running = run(["demo", "--keep"], {
    out: (text) => {
      out += text;
    },
    note: () => undefined,
    interactive: false,
    interactiveNotes: false,
    columns: 80,
    colour: false,
    environment: { EARSHOT_PORT: String(port), EARSHOT_READERS: "1" },
    stopSignal: stopping.signal,
  });
  const link = await until("a link", () => /http:\S+#token=(\S+)/.exec(out));
  expect(link[0]).toContain(`http://127.0.0.1:${port}/dashboard/sign-in#token=`);
  const response = await fetch(`http://127.0.0.1:${port}/dashboard/api/sign-in`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin: `http://127.0.0.1:${port}`,
    },
    body: JSON.stringify({ token: link[1] }),
  });
  expect(response.status, await response.text()).toBe(200);
  expect(response.headers.get("set-cookie")).not.toBeNull();
  stopping.abort();
  expect(await running).toBe(0);
});
