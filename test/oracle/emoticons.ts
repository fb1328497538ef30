const face = "([:;=])-?([()dpo])";
const atStart = new RegExp(`^${face}(?=$|[\\s.,!?…()])`, "i");
const standing = new RegExp(`(?<!\\S)${face}(?=$|[\\s.,!?…])`, "g");

/** Eyes and mouth, by which two emoticons are the same. */
function nameOf(eyes: string | undefined, mouth: string | undefined): string {
  return `${eyes === ";" ? ";" : ":"}${(mouth ?? "").toLowerCase()}`;
}

/** The emoticon with which a text begins, as it is written there and by its name. */
export function emoticonAt(text: string): { written: string; name: string } | undefined {
  const found = atStart.exec(text);
  return found ? { written: found[0], name: nameOf(found[1], found[2]) } : undefined;
}

/** The names of the emoticons of a text; what stands in the place of a link is no space. */
export function emoticonsOf(text: string): string[] {
  if (!/[:;=：；＝]/.test(text)) return [];
  const found = text.normalize("NFKC").toLowerCase().matchAll(standing);
  return [...found].map(([, eyes, mouth]) => nameOf(eyes, mouth));
}
