import { EarshotError } from "../../lib/errors.ts";
import { isoText, isoTime } from "../../lib/iso-time.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { type CurlRequest, type CurlResponse, readUuid, sendAndPrint } from "./curl.ts";

const base = "/v1/search/live/social";

export function submissionRequest(
  method: string,
  query: string,
  maxResults: number,
  bounds: { end_time?: string } = {},
): CurlRequest {
  const request = { type: method, query, max_results: maxResults, ...bounds };
  return { method: "POST", path: base, body: { type: "social", arguments: request } };
}

/** End of the corpus's coverage, on a whole second. */
export function corpusEndMs(nowMs: number): number {
  return Math.floor(nowMs / 1_000) * 1_000;
}

export async function showMainJob(
  baseUrl: string,
  key: string,
  nowMs: number,
  terminal: Terminal,
): Promise<void> {
  const { accent } = painter(terminal);
  const print = (text: string) => terminal.out(`${accent(text)}\n\n`);
  const send = (request: CurlRequest) => sendAndPrint(baseUrl, key, request, terminal);

  const bounds = { end_time: isoText(corpusEndMs(nowMs)) };

  print(
    "1  Submit a search of the last seven days. The response contains the job's uuid: the job is on disk now.",
  );
  const firstSubmission = await send(
    submissionRequest("searchbyquery", "aurora lang:en -filter:retweets", 2, bounds),
  );
  const uuid = readUuid(expectStatus(firstSubmission, 202));

  print(
    "2  Fetch its result. ?wait keeps the request open until the job ends; X-Next-Cursor leads to older posts.",
  );
  expectStatus(await send({ method: "GET", path: `${base}/result/${uuid}?wait=10` }), 200);

  print(
    "3  The status shows what was searched, where, and which part of the time range is fully covered.",
  );
  expectStatus(await send({ method: "GET", path: `${base}/status/${uuid}` }), 200);

  print(
    "4  Combine operators over the full archive: an area, a threshold, a range of days, safe posts only.",
  );
  const secondSubmission = await send(
    submissionRequest("searchbyfullarchive", fullArchiveQuery(nowMs), 10, bounds),
  );
  const secondUuid = readUuid(expectStatus(secondSubmission, 202));
  expectStatus(await send({ method: "GET", path: `${base}/result/${secondUuid}?wait=10` }), 200);

  print("5  An invalid query is rejected, with the position of each error and its fix.");
  expectStatus(
    await send(submissionRequest("searchbyquery", "aurora since:2026-02-30 min_faves:lots", 10)),
    400,
  );
}

function fullArchiveQuery(nowMs: number): string {
  const formatDay = (ms: number) => isoTime(ms).slice(0, 10);
  const since = formatDay(nowMs - 6 * 86_400_000);
  return `("northern lights" OR #オーロラ) min_faves:10 geocode:62.1,-7.4,5km since:${since} filter:safe`;
}

function expectStatus(response: CurlResponse, status: number): CurlResponse {
  if (response.status === status) return response;
  throw new EarshotError(
    "demo_failed",
    `the service responded with ${response.status}, but the demo expects ${status}`,
    { hint: "this is a bug in Earshot: report it with the output above" },
  );
}
