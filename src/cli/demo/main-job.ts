import { EarshotError } from "../../lib/errors.ts";
import { isoText, isoTime } from "../../lib/iso-time.ts";
import { painter, type Terminal } from "../terminal.ts";
import { type Answer, type Exchange, exchange, uuidOf } from "./curl.ts";

const base = "/v1/search/live/social";

export function submission(
  method: string,
  query: string,
  maxResults: number,
  bounds: { end_time?: string } = {},
): Exchange {
  const request = { type: method, query, max_results: maxResults, ...bounds };
  return { method: "POST", path: base, body: { type: "social", arguments: request } };
}

/** The demo's posts are complete up to the start of its first second. */
export function corpusEndMs(nowMs: number): number {
  return Math.floor(nowMs / 1_000) * 1_000;
}

/** Submit, fetch, read the status; then a query with many operators, and an invalid one. */
export async function showMainJob(
  baseUrl: string,
  key: string,
  nowMs: number,
  terminal: Terminal,
): Promise<void> {
  const { accent } = painter(terminal);
  const print = (text: string) => terminal.out(`${accent(text)}\n\n`);
  const send = (request: Exchange) => exchange(baseUrl, key, request, terminal);

  const bounds = { end_time: isoText(corpusEndMs(nowMs)) };

  print("1  Submit a search of the last seven days. The answer is a uuid: the job is on disk now.");
  const first = await send(
    submission("searchbyquery", "aurora lang:en -filter:retweets", 2, bounds),
  );
  const uuid = uuidOf(expectStatus(first, 202));

  print(
    "2  Fetch its result. ?wait holds the request until the job has ended; x-next-cursor leads on to older posts.",
  );
  expectStatus(await send({ method: "GET", path: `${base}/result/${uuid}?wait=10` }), 200);

  print(
    "3  The status says what was searched, where, and which part of the time is covered completely.",
  );
  expectStatus(await send({ method: "GET", path: `${base}/status/${uuid}` }), 200);

  print(
    "4  Many operators at once, over the full archive: a place, a threshold, a span of days, safe posts only.",
  );
  const second = await send(submission("searchbyfullarchive", manyOperators(nowMs), 10, bounds));
  const other = uuidOf(expectStatus(second, 202));
  expectStatus(await send({ method: "GET", path: `${base}/result/${other}?wait=10` }), 200);

  print(
    "5  A query that cannot be read is refused with the place and the fix; nothing is guessed.",
  );
  expectStatus(
    await send(submission("searchbyquery", "aurora since:2026-02-30 min_faves:lots", 10)),
    400,
  );
}

function manyOperators(nowMs: number): string {
  const day = (ms: number) => isoTime(ms).slice(0, 10);
  const since = day(nowMs - 6 * 86_400_000);
  return `("northern lights" OR #オーロラ) min_faves:10 geocode:62.1,-7.4,5km since:${since} filter:safe`;
}

function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new EarshotError(
    "demo_failed",
    `the service answered ${answer.status} where the demo expects ${status}`,
    { hint: "this is a fault of Earshot: please report it with the output above" },
  );
}
