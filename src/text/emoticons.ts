/** Eyes, perhaps a nose, a mouth; between white space and white space or punctuation. A smile or a frown may be repeated. */
const everyEmoticon = /(?<![^\s])([:;=])['’^-]?(\)+|\(+|[DPpOo])(?=[\s.,!?…)"'“”„‘’‚]|$)/g;
/** Most posts hold a colon in a link: what follows it tells them apart quickly. */
const mayHoldEmoticon = /[:;=]['’^-]?[()DPpOo]/;
const exactEmoticon = /^([:;=])['’^-]?(\)+|\(+|[DPpOo])$/;

/** The emoticons of a text, each once, in their plain form: `:-)`, `=)`, `:))` and `:)` are the same one. */
export function findEmoticons(text: string): string[] {
  if (!mayHoldEmoticon.test(text)) return [];
  const found = new Set<string>();
  for (const [, eyes = "", mouth = ""] of text.matchAll(everyEmoticon))
    found.add(plain(eyes, mouth.charAt(0)));
  return [...found];
}

/** The plain form of an emoticon; null for anything else. */
export function readEmoticon(text: string): string | null {
  const [, eyes = "", mouth = ""] = exactEmoticon.exec(text) ?? [];
  return mouth === "" ? null : plain(eyes, mouth.charAt(0));
}

function plain(eyes: string, mouth: string): string {
  return `${eyes === ";" ? ";" : ":"}${mouth.toUpperCase()}`;
}
