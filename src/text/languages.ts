/** Codes that mean the same language as another: the left ones stand in old posts and in X's own list. */
const aliases: Readonly<Record<string, string>> = { iw: "he", in: "id", no: "nb", tl: "fil" };

const primaryTag = /^[a-z]{2,3}$/;

/**
 * The language tags that a post or a query value stands for, lower-cased, aliases resolved, most exact first: `zh-CN` is
 * `zh-cn` and `zh`, and `zh-Hans-CN` is `zh-hans` too. A query asks for the first one; a post is found under all.
 */
export function languageTags(tag: string): string[] {
  if (primaryTag.test(tag)) return [aliases[tag] ?? tag];
  const parts = tag.trim().toLowerCase().replaceAll("_", "-").split("-");
  const primary = parts[0] ?? "";
  const language = aliases[primary] ?? primary;
  if (language === "") return [];
  const subtags = parts.slice(1);
  return [...subtags.keys(), subtags.length]
    .reverse()
    .map((length) => [language, ...subtags.slice(0, length)].join("-"));
}
