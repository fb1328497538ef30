import fc from "fast-check";
import { expect, test } from "vitest";
import { isRegistered, readRedirectUri, withParameters } from "./redirect-uri.ts";

test.each([
  ["http://localhost:3118/callback", "http://localhost/callback", true],
  ["http://127.0.0.1:1/callback?a=1", "http://127.0.0.1:2/callback?a=1", true],
  ["http://[::1]:1/callback", "http://[::1]/callback", true],
  ["http://localhost:1/callback", "http://127.0.0.1/callback", false],
  ["http://localhost:1/callback/", "http://localhost/callback", false],
  ["https://app.example:1/callback", "https://app.example/callback", false],
  ["https://localhost:1/callback", "https://localhost/callback", false],
])("the redirect URI %s matches the registered %s: %s", (requested, registered, expected) => {
  expect(isRegistered([registered], requested)).toBe(expected);
});

test("an accepted redirect URI is always HTTPS, or HTTP on a loopback address", () => {
  const part = fc.constantFrom(
    "https://",
    "http://",
    "localhost",
    "//",
    "\\",
    "@",
    "#",
    "a.example",
    ":",
    "/",
    "\t",
    "javascript:",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.webUrl(),
    fc.array(part).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (uri) => {
      const url = readRedirectUri(uri);
      if (url === null) return;
      expect(url.protocol === "https:" || url.protocol === "http:").toBe(true);
      if (url.protocol === "http:") {
        expect(["localhost", "127.0.0.1", "[::1]"]).toContain(url.hostname);
      }
      // The browser must parse the URI as the check does.
      const location = new URL(withParameters(uri, { code: "c", state: null }));
      expect(location.origin).toBe(url.origin);
      expect(location.pathname).toBe(url.pathname);
      expect(location.searchParams.get("code")).toBe("c");
    }),
  );
});
