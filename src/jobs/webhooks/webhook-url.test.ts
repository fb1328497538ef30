import { expect, test } from "vitest";
import { createGuard } from "../../lib/guard.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

const rules = { guard: createGuard(["http://10.1.2.3:8000"]), allowHttp: "off" } as const;
const refused = expect.objectContaining({ code: "webhook_url_refused", status: 400 });

test.each([
  ["https://example.com/a?b=c", "https://example.com/a?b=c"],
  ["HTTPS://EXAMPLE.com", "https://example.com/"],
  ["https://example.com:8443/#part", "https://example.com:8443/"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://8.8.8.8/", "https://8.8.8.8/"],
])("the webhook URL %s is normalised to %s", (text, normalised) => {
  expect(checkWebhookUrl(text, rules)).toBe(normalised);
});

test.each([
  "http://example.com/",
  "javascript:alert(1)",
  "//example.com/",
  "https://",
  "https://ann@example.com/",
  "https://:word@example.com/",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://192.168.0.1/",
  "https://[fe80::1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://10.1.2.3:8001/",
  "https://example.com:22/",
  "https://example.com:6667/",
  `https://example.com/${"a".repeat(2_100)}`,
  `https://example.com/${"é".repeat(1_000)}`,
])("the webhook URL %s is refused", (text) => {
  expect(() => checkWebhookUrl(text, rules)).toThrow(refused);
});

test("if allowed, a webhook URL needs no TLS, and a configured host may be private", () => {
  const open = { ...rules, allowHttp: "on" } as const;
  expect(checkWebhookUrl("http://example.com/", open)).toBe("http://example.com/");
  expect(checkWebhookUrl("http://10.1.2.3:8000/x", open)).toBe("http://10.1.2.3:8000/x");
  expect(() => checkWebhookUrl("http://10.1.2.3/x", open)).toThrow(refused);
});

test.each([
  ["no address", "the webhook's URL is invalid"],
  ["ftp://example.com/", "the webhook's URL must not begin with ftp:"],
  ["https://ann@example.com/", "the webhook's URL must not contain a user name or password"],
  ["https://127.0.0.1/", "127.0.0.1 in the webhook's URL is not public"],
  ["https://example.com:22/", "port 22 in the webhook's URL is reserved for another service"],
])("the refusal of %s reports what is wrong and where", (text, message) => {
  const detail = { code: "webhook_url_refused", message, pointer: "/url" };
  const expected = { message, details: [expect.objectContaining(detail)] };
  expect(() => checkWebhookUrl(text, rules)).toThrow(expect.objectContaining(expected));
});

test("the error for a refused webhook URL does not contain its credentials", () => {
  try {
    checkWebhookUrl("https://ann:hidden@example.com/", rules);
    expect.unreachable();
  } catch (error) {
    expect(JSON.stringify(error) + String(error)).not.toContain("hidden");
  }
});
