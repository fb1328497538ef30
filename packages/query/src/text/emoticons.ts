/** Between white space; punctuation may follow. A mouth may repeat. */
const everyEmoticon = /(?<![^\s])([:;=])['’^-]?(\)+|\(+|[DPpOo])(?=[\s.,!?…)"'“”„‘’‚]|$)/g;
/** A cheap first check, which the colon of a link does not pass. */
const possibleEmoticon = /[:;=]['’^-]?[()DPpOo]/;
const exactEmoticon = /^([:;=])['’^-]?(\)+|\(+|[DPpOo])$/;

/** `:-)`, `=)`, `:))` and `:)` are the same. */
export function findEmoticons(text: string): string[] {
  if (!possibleEmoticon.test(text)) return [];
  const found = new Set<string>();
  for (const [, eyes = "", mouth = ""] of text.matchAll(everyEmoticon))
    found.add(plainEmoticon(eyes, mouth.charAt(0)));
  return [...found];
}

export function readEmoticon(text: string): string | null {
  const [, eyes = "", mouth = ""] = exactEmoticon.exec(text) ?? [];
  return mouth === "" ? null : plainEmoticon(eyes, mouth.charAt(0));
}

function plainEmoticon(eyes: string, mouth: string): string {
  return `${eyes === ";" ? ";" : ":"}${mouth.toUpperCase()}`;
}
