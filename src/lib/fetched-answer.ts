import type { Headers } from "undici";
import { parseUntrustedJson } from "./bounded-json.ts";
import { EarshotError, messageOf } from "./errors.ts";

export type FetchedAnswer = {
  status: number;
  headers: Headers;
  body: Uint8Array;
  text(): string;
  /** Errors: `answer_unreadable` if malformed or beyond the limits. */
  json(): unknown;
};

export function fetchedAnswer(
  url: URL,
  response: { status: number; headers: Headers },
  body: Buffer,
): FetchedAnswer {
  const text = () => body.toString("utf8");
  return {
    status: response.status,
    headers: response.headers,
    body,
    text,
    json: () => {
      try {
        return parseUntrustedJson(body);
      } catch (error) {
        throw new EarshotError(
          "answer_unreadable",
          `the response from ${url.host} is not JSON: ${messageOf(error)}`,
          { status: 502 },
        );
      }
    },
  };
}
