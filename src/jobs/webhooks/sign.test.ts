import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { newSigningSecret, signedFields } from "./sign.ts";

const message = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  atMs: 1_614_265_330_999,
  body: '{"test": 2432232314}',
};
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("a message is signed as the reference libraries of Standard Webhooks sign it", () => {
  expect(signedFields(message, [secret])).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("with two secrets each of them verifies, and no other", () => {
  const secrets = [newSigningSecret(randomBytes), newSigningSecret(randomBytes)];
  const body = JSON.stringify({ text: "é 🦉  " });
  const fields = signedFields({ id: "msg_1", atMs: Date.now(), body }, secrets);
  for (const each of secrets) expect(new Webhook(each).verify(body, fields)).toBeTruthy();
  expect(() => new Webhook(secret).verify(body, fields)).toThrow();
  expect(() => new Webhook(secrets[0] ?? "").verify(`${body} `, fields)).toThrow();
});

test("a secret holds 32 random bytes behind its prefix", () => {
  const made = newSigningSecret(randomBytes);
  expect(Buffer.from(made.slice("whsec_".length), "base64")).toHaveLength(32);
  expect(newSigningSecret(randomBytes)).not.toBe(made);
});
