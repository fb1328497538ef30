/** Maps codes in old posts and X's language list to ours. */
const aliases: Readonly<Record<string, string>> = { iw: "he", in: "id", no: "nb", tl: "fil" };

const primaryTag = /^[a-z]{2,3}$/;

/**
 * Most specific first: `zh-Hans-CN` gives `zh-hans-cn`, `zh-hans` and `zh`. A query searches for the
 * first; posts are indexed under all.
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
