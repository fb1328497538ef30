import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { newSigningSecret, signatureHeaders } from "./secrets.ts";

const message = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  atMs: 1_614_265_330_999,
  body: '{"test": 2432232314}',
};
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("webhook signatures equal those of the Standard Webhooks reference libraries", () => {
  expect(signatureHeaders(message, [secret])).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("webhook signatures made with two secrets can be verified with either, and with no other", () => {
  const secrets = [newSigningSecret(randomBytes), newSigningSecret(randomBytes)];
  const body = JSON.stringify({ text: "é 🦉  " });
  const fields = signatureHeaders({ id: "msg_1", atMs: Date.now(), body }, secrets);
  for (const other of secrets) expect(new Webhook(other).verify(body, fields)).toBeTruthy();
  expect(() => new Webhook(secret).verify(body, fields)).toThrow();
  expect(() => new Webhook(secrets[0] ?? "").verify(`${body} `, fields)).toThrow();
});

test("a webhook secret has 32 random bytes after its prefix", () => {
  const generated = newSigningSecret(randomBytes);
  expect(Buffer.from(generated.slice("whsec_".length), "base64")).toHaveLength(32);
  expect(newSigningSecret(randomBytes)).not.toBe(generated);
});
