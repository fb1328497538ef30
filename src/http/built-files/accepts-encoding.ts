export type AcceptedEncoding = "br" | "gzip" | null;

export function acceptedEncoding(field: string | undefined): AcceptedEncoding {
  const accepted = (field ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter((part) => !/;\s*q=0(?:\.0{0,3})?$/.test(part))
    .map((part) => part.split(";", 1)[0]?.trim() ?? "");
  return (["br", "gzip"] as const).find((name) => accepted.includes(name)) ?? null;
}
