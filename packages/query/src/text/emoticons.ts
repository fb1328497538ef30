/**
 * Eyes, an optional nose, a mouth; after white space, and before white space or punctuation. The mouth of a smile or frown may
 * repeat.
 */
const everyEmoticon = /(?<![^\s])([:;=])['’^-]?(\)+|\(+|[DPpOo])(?=[\s.,!?…)"'“”„‘’‚]|$)/g;
/** A cheap pre-check: most posts contain a colon in a link. */
const mayHoldEmoticon = /[:;=]['’^-]?[()DPpOo]/;
const exactEmoticon = /^([:;=])['’^-]?(\)+|\(+|[DPpOo])$/;

/** The distinct emoticons of a text in normal form: `:-)`, `=)`, `:))` and `:)` are the same. */
export function findEmoticons(text: string): string[] {
  if (!mayHoldEmoticon.test(text)) return [];
  const found = new Set<string>();
  for (const [, eyes = "", mouth = ""] of text.matchAll(everyEmoticon))
    found.add(plain(eyes, mouth.charAt(0)));
  return [...found];
}

export function readEmoticon(text: string): string | null {
  const [, eyes = "", mouth = ""] = exactEmoticon.exec(text) ?? [];
  return mouth === "" ? null : plain(eyes, mouth.charAt(0));
}

function plain(eyes: string, mouth: string): string {
  return `${eyes === ";" ? ";" : ":"}${mouth.toUpperCase()}`;
}
