import { anyOf, dependent, type Expression, matchAll, negation } from "./expression.ts";

const xCodes = new Set(
  "am ar hy eu bn bg ca hr cs da nl en et fi fr de ka el gu hi hu it ja kn ko lv lt ml mr fa pl pt ro ru sr sk sl es sv ta te th tr uk ur vi".split(
    " ",
  ),
);

const otherCodes: Readonly<Record<string, readonly string[]>> = {
  he: ["iw"],
  id: ["in"],
  nb: ["no"],
  zh: ["zh-CN", "zh-TW"],
};

/** The primary language, or everything if X does not know it. */
export function languageTerms(code: string): Expression {
  const languageCodes = getCodes(code);
  return languageCodes.length === 0
    ? matchAll
    : anyOf(languageCodes.map((language) => dependent(`lang:${language}`)));
}

/** Only if X's code has the same meaning. */
export function withoutLanguage(code: string): Expression {
  const [known, ...more] = code.includes("-") ? [] : getCodes(code);
  return known === undefined || more.length > 0 ? matchAll : negation(dependent(`lang:${known}`));
}

function getCodes(code: string): readonly string[] {
  const primary = code.split("-")[0] ?? "";
  return otherCodes[primary] ?? (xCodes.has(primary) ? [primary] : []);
}
