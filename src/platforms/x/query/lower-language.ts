import { anyOf, dependent, type Expression, everything, negation } from "./expression.ts";

/** The codes that X's `lang:` knows, beside those of `otherCodes`. */
const codes = new Set(
  "am ar hy eu bn bg ca hr cs da nl en et fi fr de ka el gu hi hu it ja kn ko lv lt ml mr fa pl pt ro ru sr sk sl es sv ta te th tr uk ur vi".split(
    " ",
  ),
);

/** Where X's code is another one than the query's. */
const otherCodes: Readonly<Record<string, readonly string[]>> = {
  he: ["iw"],
  id: ["in"],
  nb: ["no"],
  zh: ["zh-CN", "zh-TW"],
};

/** Posts in a language: with those of its variants, as X tells the language alone. Wide where X does not know it. */
export function languageTerms(code: string): Expression {
  const known = codesOf(code);
  return known.length === 0 ? everything : anyOf(known.map((each) => dependent(`lang:${each}`)));
}

/** Posts in another language, where X means the same by the code. */
export function withoutLanguage(code: string): Expression {
  const [known, ...more] = code.includes("-") ? [] : codesOf(code);
  return known === undefined || more.length > 0 ? everything : negation(dependent(`lang:${known}`));
}

function codesOf(code: string): readonly string[] {
  const primary = code.split("-")[0] ?? "";
  return otherCodes[primary] ?? (codes.has(primary) ? [primary] : []);
}
