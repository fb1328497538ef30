import { inspect } from "node:util";
import { expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { wasNeverSent } from "../../platforms/request-errors.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import { redactError } from "./redact-error.ts";

const secrets = { token: "secret/of+one=" };

test("an error without secrets is returned unchanged", () => {
  for (const thrown of [
    new Error("the job was cancelled"),
    new UpstreamLimited("x.example", 1_700_000_000_000),
    new EarshotError("upstream_refused", "no", { cause: new TypeError("why") }),
    "a text",
    undefined,
  ]) {
    expect(redactError(thrown, secrets)).toBe(thrown);
  }
});

test("secrets in message, hint and causes are redacted, and the rest is preserved", () => {
  const body = { error: "no", error_description: `Bearer ${secrets.token}` };
  const refused = Object.assign(new Error("the connection failed", { cause: body }), {
    code: "ECONNREFUSED",
    request: { headers: { authorization: `Bearer ${secrets.token}` } },
  });
  const error = new EarshotError("upstream_unreachable", `no: ${secrets.token}`, {
    status: 502,
    retryable: true,
    hint: `not ${encodeURIComponent(secrets.token)}`,
    cause: refused,
  });
  const clean = redactError(error, secrets);
  expect(clean).toBeInstanceOf(EarshotError);
  expect(clean).toMatchObject({
    code: "upstream_unreachable",
    status: 502,
    retryable: true,
    message: "no: …",
    hint: "not …",
  });
  expect(inspect(clean, { depth: 20 })).not.toMatch(/secret/);
  expect(wasNeverSent(clean)).toBe(true);
});

test("only the text of a foreign error is dropped", () => {
  const clean = redactError(new TypeError(`Invalid header: Bearer ${secrets.token}`), secrets);
  expect(clean).toMatchObject({ message: "Invalid header: Bearer …" });
  expect(inspect(clean)).not.toMatch(/secret/);
});

test("errors with cyclic causes are redacted", () => {
  const error = new Error(secrets.token);
  error.cause = error;
  expect(inspect(redactError(error, secrets))).not.toMatch(/secret/);
});
