/** A post of an answer, read from its stored JSON text. */
export type PostRecord = {
  ID: string;
  Content: string;
  Metadata: Readonly<Record<string, unknown>> | null;
  Score: number;
};

/** A member of a record's metadata that is a string; null where there is none. */
export function textOf({ Metadata }: PostRecord, name: string): string | null {
  const value = Metadata?.[name];
  return typeof value === "string" ? value : null;
}
