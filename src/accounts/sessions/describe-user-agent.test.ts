import { expect, test } from "vitest";
import { describeUserAgent } from "./describe-user-agent.ts";

const mozilla = "Mozilla/5.0";
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`${mozilla} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, "Firefox on Linux"],
  [
    `${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0 Safari/537.36`,
    "Chrome on Windows",
  ],
  [
    `${mozilla} (Windows NT 10.0) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`,
    "Edge on Windows",
  ],
  [
    `${mozilla} (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/18 Safari/605`,
    "Safari on macOS",
  ],
  [
    `${mozilla} (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18 Mobile Safari/604`,
    "Safari on iOS",
  ],
  [
    `${mozilla} (Linux; Android 15; Pixel 9) ${webkit} Chrome/140.0 Mobile Safari/537.36`,
    "Chrome on Android",
  ],
  ["curl/8.9.1", "curl"],
  ["Opera Mini on Windows", "a browser on Windows"],
  ["<script>alert(1)</script>", "an unknown browser"],
  [undefined, "an unknown browser"],
])("the user agent %s is reported as %s", (userAgent, description) => {
  expect(describeUserAgent(userAgent)).toBe(description);
});

test("only the start of an overlong User-Agent header is examined", () => {
  expect(describeUserAgent(`${" ".repeat(1_000)}Firefox/1`)).toBe("an unknown browser");
});
