import { afterAll, beforeAll, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type CountedRoundTrips,
  countRoundTrips,
} from "../../testkit/postgres/counted-round-trips.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const jobs = 60;

let count: CountedRoundTrips;
let service: ServiceUnderTest;

beforeAll(async () => {
  const settings = await databaseSettings();
  count = countRoundTrips(settings.EARSHOT_DATABASE_URL ?? "");
  service = await startServiceUnderTest({ ...settings, EARSHOT_DATABASE_URL: count.url });
  const createdMs = service.clock.now() - 60_000;
  await service.addPosts([makePost({ text: "a comet over the harbour", createdMs })]);
});
afterAll(async () => {
  await service?.remove();
  count?.close();
});

async function getRoundTrips(submit: (key: string, turn: number) => Promise<string>) {
  const key = await service.makeKey();
  const run = async (turn: number) => {
    const result = await service.result(key, await submit(key, turn));
    expect(result.body).toContain("a comet over the harbour");
  };
  for (let turn = 0; turn < 5; turn += 1) await run(turn);
  const before = count.roundTrips();
  for (let turn = 5; turn < 5 + jobs; turn += 1) await run(turn);
  return (count.roundTrips() - before) / jobs;
}

/** On a slow machine, the job is leased and completed, which takes two more round trips. */
const tolerance = 2;

test("a short search takes two round trips: one for the submission with its result, one for the fetch", async () => {
  const submit = async (key: string) => (await service.submit(key, search("comet"))).json().uuid;
  expect(await getRoundTrips(submit)).toBeLessThan(2 + tolerance);
});

test("a search with an idempotency key takes four round trips", async () => {
  const submit = async (key: string, turn: number) => {
    const response = await service.call(key, {
      method: "POST",
      url: "/v1/search/live/social",
      headers: { "content-type": "application/json", "idempotency-key": `turn ${turn}` },
      payload: JSON.stringify(search("comet")),
    });
    return response.json().uuid;
  };
  expect(await getRoundTrips(submit)).toBeLessThan(4 + tolerance);
});
