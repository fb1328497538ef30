const face = "([:;=])[-'’^]?(\\)+|\\(+|[DPOpo])";
const boundary = "(?=$|[\\s.,!?…)\"'“”‘’])";
const leadingEmoticon = new RegExp(`^${face}${boundary}`);
const standaloneEmoticon = new RegExp(`(?<!\\S)${face}${boundary}`, "g");
const invisible = /(?!\u200b)\p{Default_Ignorable_Code_Point}/gu;

function formatName(eyes: string | undefined, mouth: string | undefined): string {
  return `${eyes === ";" ? ";" : ":"}${(mouth ?? "").slice(0, 1).toLowerCase()}`;
}

/** Leaves a closing parenthesis for each of `groups` open groups, but takes at least one. */
export function emoticonAt(
  text: string,
  groups: number,
): { written: string; name: string } | undefined {
  const [match, eyes, mouth] = leadingEmoticon.exec(text) ?? [];
  if (match === undefined) return undefined;
  const parentheses = mouth?.startsWith(")") ? mouth.length : 1;
  const closingCount = Math.min(groups, parentheses - 1);
  return { written: match.slice(0, match.length - closingCount), name: formatName(eyes, mouth) };
}

/** A removed link is not a space. */
export function findEmoticons(text: string): string[] {
  if (!/[:;=：；＝]/.test(text)) return [];
  const found = text.normalize("NFKC").replace(invisible, "").matchAll(standaloneEmoticon);
  return [...found].map(([, eyes, mouth]) => formatName(eyes, mouth));
}
