export const alignedTo64Bits = (blob: Uint8Array): Uint8Array =>
  blob.byteOffset % 8 === 0 ? blob : Uint8Array.from(blob);
