/** One encoding of a label and fields: each with its length before it, so that no two lists of fields look alike. */
export function frame(label: string, ...fields: readonly (string | number | Uint8Array)[]): Buffer {
  return Buffer.concat([label, ...fields].flatMap(framed));
}

function framed(field: string | number | Uint8Array): Buffer[] {
  const bytes =
    field instanceof Uint8Array ? Buffer.from(field) : Buffer.from(String(field), "utf8");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}
