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
  const connectionError = Object.assign(new Error("the connection failed", { cause: body }), {
    code: "ECONNREFUSED",
    request: { headers: { authorization: `Bearer ${secrets.token}` } },
  });
  const error = new EarshotError("upstream_unreachable", `no: ${secrets.token}`, {
    status: 502,
    retryable: true,
    hint: `not ${encodeURIComponent(secrets.token)}`,
    cause: connectionError,
  });
  const redactedError = redactError(error, secrets);
  expect(redactedError).toBeInstanceOf(EarshotError);
  expect(redactedError).toMatchObject({
    code: "upstream_unreachable",
    status: 502,
    retryable: true,
    message: "no: …",
    hint: "not …",
  });
  expect(inspect(redactedError, { depth: 20 })).not.toMatch(/secret/);
  expect(wasNeverSent(redactedError)).toBe(true);
});

test("secrets in the message of an error that is not an EarshotError are redacted", () => {
  const redactedError = redactError(
    new TypeError(`Invalid header: Bearer ${secrets.token}`),
    secrets,
  );
  expect(redactedError).toMatchObject({ message: "Invalid header: Bearer …" });
  expect(inspect(redactedError)).not.toMatch(/secret/);
});

test("errors with cyclic causes are redacted", () => {
  const error = new Error(secrets.token);
  error.cause = error;
  expect(inspect(redactError(error, secrets))).not.toMatch(/secret/);
});
