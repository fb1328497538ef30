import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyOfAuthorization, newApiKey, parseApiKey, printApiKey } from "./api-key.ts";

const key = newApiKey(randomBytes);
const text = printApiKey(key);

test("a printed key is parsed to the same key", () => {
  expect(text).toMatch(/^ear_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
  expect(parseApiKey(text)).toEqual(key);
});

test("a key with one changed character is invalid", () => {
  const index = fc.nat({ max: text.length - 1 });
  const character = fc.string({ minLength: 1, maxLength: 1, unit: "binary" });
  fc.assert(
    fc.property(index, character, (index, other) => {
      fc.pre(text[index] !== other);
      expect(parseApiKey(text.slice(0, index) + other + text.slice(index + 1))).toBeNull();
    }),
  );
});

test("a key with two adjacent characters swapped is invalid", () => {
  const body = text.slice(4);
  for (let index = 0; index + 1 < body.length; index += 1) {
    const [first, second] = [body[index], body[index + 1]];
    if (first === second || first === "_" || second === "_") continue;
    const swapped = `${body.slice(0, index)}${second}${first}${body.slice(index + 2)}`;
    expect(parseApiKey(`ear_${swapped}`)).toBeNull();
  }
});

test("text in another format is not a key", () => {
  expect(parseApiKey(`${text}\n`)).toBeNull();
  expect(parseApiKey(` ${text}`)).toBeNull();
  fc.assert(fc.property(fc.string({ unit: "binary" }), (any) => parseApiKey(any) === null));
});

test("the key is read from an Authorization header with a bearer token, regardless of the case of the scheme", () => {
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    expect(keyOfAuthorization(`${scheme} ${text}`)).toEqual(key);
    expect(keyOfAuthorization(`${scheme}   ${text} `)).toEqual(key);
  }
  for (const header of [
    text,
    `Basic ${text}`,
    `Bearer${text}`,
    `Bearer ${text} x`,
    "Bearer ",
    "",
  ]) {
    expect(keyOfAuthorization(header)).toBeNull();
  }
});

test("overlong malformed Authorization headers contain no key, and are parsed before the test times out", () => {
  const hostile = [" ", "a", "a ", "bearer "].map((part) => `bearer ${part.repeat(1_000_000)}\n`);
  for (const header of hostile) expect(keyOfAuthorization(header)).toBeNull();
});

test("the example key in docs/api.md is valid and matches the documented pattern", () => {
  const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const expression = /^ear_\[.*$/m.exec(page)?.[0] ?? "";
  const examples = page.match(new RegExp(expression, "g")) ?? [];
  expect(examples).toHaveLength(1);
  expect(examples.map(parseApiKey)).toEqual([
    { id: "EXAMPLE0", secret: "ThisIsNoSecretItIsAnExample00000" },
  ]);
  const printed = printApiKey(newApiKey(randomBytes));
  expect(new RegExp(`^${expression}$`).test(printed)).toBe(true);
});
