import { domainToASCII, domainToUnicode } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unicodeHost } from "./unicode-host.ts";

test.each([
  ["xn--mnchen-3ya.de", "münchen.de"],
  ["XN--MNCHEN-3YA.de", "münchen.de"],
  ["xn--ls8h.la.", "💩.la."],
  ["xn--fa-hia.de", "faß.de"],
  ["xn--80ak6aa92e.com", "аррӏе.com"],
  // Not decoded: U+0080, an empty label, only ASCII, and the disallowed character U+2488.
  ["xn--a.example", "xn--a.example"],
  ["xn--.example", "xn--.example"],
  ["xn--abc-.example", "xn--abc-.example"],
  ["xn--a-ecp.example", "xn--a-ecp.example"],
  ["x", "x"],
])("the Unicode form of the host %j is %j", (name, decoded) => {
  expect(unicodeHost(name)).toBe(decoded);
});

test.each(["[xn--x]", "xn--mnchen-3ya.1", "a b.xn--mnchen-3ya", ""])(
  "the host %j is rejected",
  (name) => {
    expect(unicodeHost(name)).toBeNull();
  },
);

const label = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(..."äßéñøğıЖяβς中文日本かガ한ا١ב़‍"),
    minLength: 1,
    maxLength: 8,
  }),
  // No leading delimiter, which only Node decodes.
  fc.stringMatching(/^xn--(?:[a-z0-9][a-z0-9-]{0,13})?$/),
);
const host = fc
  .array(
    fc.oneof(
      label,
      label.map((text) => domainToASCII(text) || "a"),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((labels) => labels.join("."));

test("unicodeHost decodes any host name as Node does", () => {
  fc.assert(
    fc.property(host, (name) => {
      expect(unicodeHost(name) ?? "").toBe(domainToUnicode(name));
    }),
    { numRuns: 1_000 },
  );
});
