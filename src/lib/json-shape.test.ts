import { expect, test } from "vitest";
import { createJsonMeter } from "./json-shape.ts";

const readShape = (text: string) => createJsonMeter()(Buffer.from(text));

test.each([
  ["1", 0, 1],
  ["[]", 1, 2],
  ['[[1],{"a":[2]}]', 3, 6],
  ['"[[[[,,,,"', 0, 1],
  ['["\\"[[",1]', 1, 3],
  ['["\\\\",[1]]', 2, 4],
  ["]]]][[", 0, 3],
])("the JSON %s has depth %i and at most %i values", (text, deepest, values) => {
  expect(readShape(text)).toMatchObject({ deepest, values });
});

test("the measured shape of JSON in pieces does not depend on where it is split", () => {
  const text = '{"a\\"[":[1,{"b\\\\":"\\u005b{"},[[]]],"c":2}';
  const bytes = Buffer.from(text);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const measure = createJsonMeter();
    measure(bytes.subarray(0, cut));
    expect(measure(bytes.subarray(cut))).toEqual(readShape(text));
  }
});

test.each([
  ['{"a":1,"b":{"a":2}}', 2, 0],
  ['[{"a":"x"},{"a":"x"},{"b":"longer than ten"}]', 2, 2],
  ['{"a:b":"{c:d}","\\"":0}', 2, 1],
  [`{"${"a".repeat(100)}":1,"${"a".repeat(100)}":2}`, 2, 0],
  ['["a" ,"b"\n]', 0, 2],
])("the JSON %s has %i different names and %i short strings", (text, names, shortStrings) => {
  expect(readShape(text)).toMatchObject({ names, shortStrings });
});
