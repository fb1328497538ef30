const face = "([:;=])[-'’^]?(\\)+|\\(+|[DPOpo])";
const after = "(?=$|[\\s.,!?…)\"'“”‘’])";
const atStart = new RegExp(`^${face}${after}`);
const standalone = new RegExp(`(?<!\\S)${face}${after}`, "g");
const invisible = /(?!\u200b)\p{Default_Ignorable_Code_Point}/gu;

function formatName(eyes: string | undefined, mouth: string | undefined): string {
  return `${eyes === ";" ? ";" : ":"}${(mouth ?? "").slice(0, 1).toLowerCase()}`;
}

/** Leaves a closing parenthesis for each of `groups` open groups, but takes at least one. */
export function emoticonAt(
  text: string,
  groups: number,
): { written: string; name: string } | undefined {
  const [whole, eyes, mouth] = atStart.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const parentheses = mouth?.startsWith(")") ? mouth.length : 1;
  const left = Math.min(groups, parentheses - 1);
  return { written: whole.slice(0, whole.length - left), name: formatName(eyes, mouth) };
}

/** A removed link is not a space. */
export function findEmoticons(text: string): string[] {
  if (!/[:;=：；＝]/.test(text)) return [];
  const found = text.normalize("NFKC").replace(invisible, "").matchAll(standalone);
  return [...found].map(([, eyes, mouth]) => formatName(eyes, mouth));
}
