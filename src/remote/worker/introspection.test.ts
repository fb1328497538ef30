import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { unreachable } from "./gateway-errors.ts";
import { createIntrospection } from "./introspection.ts";

const active = {
  status: "active",
  rates_key: "k",
  requests_per_second: 3,
  submissions_per_minute: 10,
  methods: null,
};

function make(maxAgeMs = 60_000) {
  const clock = createManualClock();
  const asked: unknown[] = [];
  let answer: () => unknown = () => active;
  const introspection = createIntrospection({
    clock,
    maxAgeMs,
    link: {
      post: async (_route, body) => {
        asked.push(body);
        return answer();
      },
    },
  });
  return { clock, asked, introspection, answerWith: (next: () => unknown) => (answer = next) };
}

test("a key is asked for once in its time, also by those who come together", async () => {
  const { clock, asked, introspection } = make();
  await Promise.all([introspection.of("a", "h"), introspection.of("a", "h")]);
  await clock.advance(59_999);
  expect(await introspection.of("a", "h")).toEqual(active);
  expect(asked).toEqual([{ key_id: "a", secret_sha256: "h" }]);
  await clock.advance(1);
  await introspection.of("a", "h");
  expect(asked).toHaveLength(2);
});

test("another secret of the same key is another question", async () => {
  const { asked, introspection } = make();
  await introspection.of("a", "h");
  await introspection.of("a", "i");
  expect(asked).toHaveLength(2);
});

test("nothing counts longer because the gateway is away, and its fault is not remembered", async () => {
  const { clock, introspection, answerWith } = make();
  await introspection.of("a", "h");
  answerWith(() => {
    throw unreachable("the connection was refused");
  });
  await clock.advance(60_000);
  await expect(introspection.of("a", "h")).rejects.toMatchObject({ code: "gateway_unreachable" });
  answerWith(() => ({ status: "suspended" }));
  expect(await introspection.of("a", "h")).toEqual({ status: "suspended" });
});

test("rates beyond any that make sense count as the most that a node gives", async () => {
  const { introspection, answerWith } = make();
  answerWith(() => ({ ...active, requests_per_second: 1e9, submissions_per_minute: 1e9 }));
  expect(await introspection.of("a", "h")).toMatchObject({
    requests_per_second: 1_000,
    submissions_per_minute: 10_000,
  });
});

test.each([
  null,
  "active",
  { ...active, requests_per_second: -1 },
  { ...active, rates_key: "" },
  { status: "active" },
  { status: "perhaps" },
  [],
])("an answer that is none is a fault: %j", async (odd) => {
  const { introspection, answerWith } = make();
  answerWith(() => odd);
  await expect(introspection.of("a", "h")).rejects.toMatchObject({ code: "gateway_unreachable" });
});

test("however many keys come, those asked for lately are known", async () => {
  const { asked, introspection } = make();
  for (let key = 0; key < 10_500; key += 1) await introspection.of(String(key), "h");
  await introspection.of("10499", "h");
  expect(asked).toHaveLength(10_500);
  await introspection.of("0", "h");
  expect(asked).toHaveLength(10_501);
});
