import { expect, test } from "vitest";
import { secretHint } from "./hint.ts";

test.for([
  ["abcdefghijklmnopqrstuvwxyz", "abcd"],
  ["0123456789abcdef", "0123"],
  ["0123456789abcde", "012"],
  ["abcd", "a"],
  ["abc", ""],
  ["", ""],
  ["👍👍👍👍", "👍"],
])("the hint for the secret %s is %s", ([secret = "", hint]) => {
  expect(secretHint(secret)).toBe(hint);
});
