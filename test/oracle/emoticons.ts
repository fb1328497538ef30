const face = "([:;=])[-'’^]?(\\)+|\\(+|[DPOpo])";
const after = "(?=$|[\\s.,!?…)\"'“”‘’])";
const atStart = new RegExp(`^${face}${after}`);
const standing = new RegExp(`(?<!\\S)${face}${after}`, "g");
const invisible = /(?!\u200b)\p{Default_Ignorable_Code_Point}/gu;

/** Eyes and one mouth, by which two emoticons are the same. */
function nameOf(eyes: string | undefined, mouth: string | undefined): string {
  return `${eyes === ";" ? ";" : ":"}${(mouth ?? "").slice(0, 1).toLowerCase()}`;
}

/**
 * The emoticon with which a text begins, as it is written there and by its name. Of a mouth of
 * several closing parentheses it has those that `groups` open groups leave to it, and one at least.
 */
export function emoticonAt(
  text: string,
  groups: number,
): { written: string; name: string } | undefined {
  const [whole, eyes, mouth] = atStart.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const parentheses = mouth?.startsWith(")") ? mouth.length : 1;
  const left = Math.min(groups, parentheses - 1);
  return { written: whole.slice(0, whole.length - left), name: nameOf(eyes, mouth) };
}

/** The names of the emoticons of a text; what stands in the place of a link is no space. */
export function emoticonsOf(text: string): string[] {
  if (!/[:;=：；＝]/.test(text)) return [];
  const found = text.normalize("NFKC").replace(invisible, "").matchAll(standing);
  return [...found].map(([, eyes, mouth]) => nameOf(eyes, mouth));
}
