/** Blobs of SQLite begin where every typed array may; any other is copied to such a place. */
export const aligned = (blob: Uint8Array): Uint8Array =>
  blob.byteOffset % 8 === 0 ? blob : Uint8Array.from(blob);
