import type { Headers } from "undici";
import { parseUntrustedJson } from "./bounded-json.ts";
import { EarshotError, errorMessage } from "./errors.ts";

export type FetchedResponse = {
  status: number;
  headers: Headers;
  body: Uint8Array;
  text(): string;
  /** Errors: `answer_unreadable` if malformed or beyond the limits. */
  json(): unknown;
};

export function fetchedResponse(
  url: URL,
  response: { status: number; headers: Headers },
  body: Buffer,
): FetchedResponse {
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
          `the response from ${url.host} is not JSON: ${errorMessage(error)}`,
          { status: 502 },
        );
      }
    },
  };
}
