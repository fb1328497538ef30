import type { Headers } from "undici";
import { parseUntrustedJson } from "./bounded-json.ts";
import { EarshotError, messageOf } from "./errors.ts";

export type FetchedAnswer = {
  status: number;
  headers: Headers;
  body: Uint8Array;
  /** The body as UTF-8, what is none of it replaced. */
  text(): string;
  /** Throws `answer_unreadable` when the body is no JSON, or more of it than may be parsed (bounded-json.ts). */
  json(): unknown;
};

/** The answer of `url` with all of its body. */
export function answerOf(
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
      } catch (fault) {
        throw new EarshotError(
          "answer_unreadable",
          `the answer of ${url.host} is no JSON: ${messageOf(fault)}`,
          { status: 502 },
        );
      }
    },
  };
}
