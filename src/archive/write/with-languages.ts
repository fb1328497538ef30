import type { ArchiveChange } from "../archive.ts";

/** `detect` returns a language or null for each text, in order; called at most once. */
export async function withLanguages(
  changes: readonly ArchiveChange[],
  detect: (texts: readonly string[]) => Promise<readonly (string | null)[]>,
): Promise<readonly ArchiveChange[]> {
  const withoutLanguage = changes.filter(lacksLanguage);
  if (withoutLanguage.length === 0) return changes;
  const detected = await detect(withoutLanguage.map(({ post }) => post.text));
  const languages = new Map(
    withoutLanguage.map(({ post }, index) => [post, detected[index] ?? null]),
  );
  return changes.map((change) =>
    lacksLanguage(change) ? inLanguage(change, languages.get(change.post) ?? null) : change,
  );
}

type Upsert = ArchiveChange & { kind: "upsert" };

function lacksLanguage(change: ArchiveChange): change is Upsert {
  if (change.kind !== "upsert") return false;
  return change.post.langs.length === 0 && change.post.detectedLang === null;
}

function inLanguage(change: Upsert, detectedLang: string | null): Upsert {
  return { ...change, post: { ...change.post, detectedLang } };
}
