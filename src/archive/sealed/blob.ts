/** Copies the blob unless it is aligned to 8 bytes, as typed arrays require and SQLite's blobs are. */
export const aligned = (blob: Uint8Array): Uint8Array =>
  blob.byteOffset % 8 === 0 ? blob : Uint8Array.from(blob);
