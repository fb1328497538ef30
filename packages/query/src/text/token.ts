const maxTokenBytes = 64;
const prefixBytes = 40;
const hashDigits = 16;

const encoder = new TextEncoder();
/** A leading U+FEFF stays part of the token. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Above 64 bytes: the first 40 bytes, `~`, and 16 hex digits of the SHA-256. No other word
 * contains `~`.
 */
export function shortenToken(token: string): string {
  if (token.length * 3 <= maxTokenBytes) return token;
  const bytes = encoder.encode(token);
  if (bytes.length <= maxTokenBytes) return token;
  let end = prefixBytes;
  // A byte 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${decoder.decode(bytes.subarray(0, end))}~${sha256Hex(bytes).slice(0, hashDigits)}`;
}

/** For ASCII, where length equals bytes. */
export const shortenAsciiToken = (token: string): string =>
  token.length <= maxTokenBytes ? token : shortenToken(token);

const roundConstants = Uint32Array.from(
  [
    "428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01",
    "243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc",
    "2de92c6f 4a7484aa 5cb0a9dc 76f988da 983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147",
    "06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85",
    "a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 19a4c116 1e376c08",
    "2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208",
    "90befffa a4506ceb bef9a3f7 c67178f2",
  ]
    .join(" ")
    .split(" "),
  (word) => Number.parseInt(word, 16),
);
const initialState = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const blockBytes = 64;
const schedule = new Uint32Array(64);

/** FIPS 180-4. Synchronous, unlike the browser's function. */
export function sha256Hex(message: Uint8Array): string {
  const blocks = padMessage(message);
  const state = Uint32Array.from(initialState);
  for (let offset = 0; offset < blocks.byteLength; offset += blockBytes) {
    compress(state, blocks, offset);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function padMessage(message: Uint8Array): DataView {
  const blocks = Math.ceil((message.length + 9) / blockBytes);
  const bytes = new Uint8Array(blocks * blockBytes);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(bytes.length - 8, BigInt(message.length) * 8n);
  return view;
}

function compress(state: Uint32Array, blocks: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) schedule[index] = blocks.getUint32(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const early = wordAt(schedule, index - 15);
    const late = wordAt(schedule, index - 2);
    const s0 = rotateRight(early, 7) ^ rotateRight(early, 18) ^ (early >>> 3);
    const s1 = rotateRight(late, 17) ^ rotateRight(late, 19) ^ (late >>> 10);
    schedule[index] = wordAt(schedule, index - 16) + s0 + wordAt(schedule, index - 7) + s1;
  }
  let a = wordAt(state, 0);
  let b = wordAt(state, 1);
  let c = wordAt(state, 2);
  let d = wordAt(state, 3);
  let e = wordAt(state, 4);
  let f = wordAt(state, 5);
  let g = wordAt(state, 6);
  let h = wordAt(state, 7);
  for (let index = 0; index < 64; index++) {
    const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + wordAt(roundConstants, index) + wordAt(schedule, index)) | 0;
    const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  state[0] = wordAt(state, 0) + a;
  state[1] = wordAt(state, 1) + b;
  state[2] = wordAt(state, 2) + c;
  state[3] = wordAt(state, 3) + d;
  state[4] = wordAt(state, 4) + e;
  state[5] = wordAt(state, 5) + f;
  state[6] = wordAt(state, 6) + g;
  state[7] = wordAt(state, 7) + h;
}

const rotateRight = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** The index must be within the array. */
const wordAt = (words: Uint32Array, index: number): number => words[index] as number;
