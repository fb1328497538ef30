export type PostRecord = {
  ID: string;
  Content: string;
  Metadata: Readonly<Record<string, unknown>> | null;
  Score: number;
};

export function metadataText({ Metadata }: PostRecord, name: string): string | null {
  const value = Metadata?.[name];
  return typeof value === "string" ? value : null;
}
