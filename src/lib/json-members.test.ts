import { expect, test } from "vitest";
import { hasDuplicateMembers } from "./json-members.ts";

test.each([
  ['{"a":1,"a":2}', true],
  ['{"a":1,"\\u0061":2}', true],
  ['[{"b":{"a":1,"c":[{}],"a":2}}]', true],
  ['{"a":{"b":1},"b":{"a":"a"}}', false],
  ['[{"a":1},{"a":1}]', false],
  ['{"a":["a","a"],"b":"a\\",\\"a\\":1","c":"{","d":"\\\\"}', false],
  ['{"__proto__":1,"constructor":2}', false],
  ['"a"', false],
  ["[]", false],
])("the JSON %s has a duplicate member: %s", (json, expected) => {
  JSON.parse(json);
  expect(hasDuplicateMembers(json)).toBe(expected);
});
