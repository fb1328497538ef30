import { createHash } from "node:crypto";
import { writeCarStream } from "@atcute/car";
import { encode } from "@atcute/cbor";

export type Block = { cid: Uint8Array; data: Uint8Array };

export function makeBlock(value: unknown): Block {
  const data = encode(value);
  const digest = createHash("sha256").update(data).digest();
  return { cid: Buffer.concat([Buffer.from([1, 0x71, 0x12, 0x20]), digest]), data };
}

const link = (block: Block) => new Link(block.cid);

/** Encoded as a link to a block. */
class Link {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  get $link(): string {
    return `b${base32(this.bytes)}`;
  }
}

function base32(bytes: Uint8Array): string {
  const digits = "abcdefghijklmnopqrstuvwxyz234567";
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += digits[(buffer >> (bits - 5)) & 31];
    buffer &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + digits[(buffer << (5 - bits)) & 31];
}

const bytes = (text: string) => ({
  $bytes: Buffer.from(text).toString("base64").replace(/=+$/, ""),
});

const maxNodeEntries = 4;

/** Returns the root last. The protocol's trees have another shape. */
function makeTree(entries: readonly { path: string; block: Block }[]): Block[] {
  if (entries.length <= maxNodeEntries) return [makeNode(entries, null, [])];
  const middle = entries.length >> 1;
  const leftTree = makeTree(entries.slice(0, middle));
  const rightTree = makeTree(entries.slice(middle + 1));
  const root = makeNode(entries.slice(middle, middle + 1), leftTree.at(-1) ?? null, [
    rightTree.at(-1) ?? null,
  ]);
  return [...leftTree, ...rightTree, root];
}

function makeNode(
  entries: readonly { path: string; block: Block }[],
  left: Block | null,
  right: readonly (Block | null)[],
): Block {
  let previousPath = "";
  const e = entries.map(({ path, block }, index) => {
    let p = 0;
    while (p < previousPath.length && previousPath[p] === path[p]) p += 1;
    previousPath = path;
    const tree = right[index] ?? null;
    return { p, k: bytes(path.slice(p)), v: link(block), t: tree === null ? null : link(tree) };
  });
  return makeBlock({ l: left === null ? null : link(left), e });
}

export type RepositoryContent = {
  did: string;
  rev: string;
  /** Records by `collection/rkey`. */
  records: ReadonlyMap<string, unknown>;
};

export function repositoryBlocks({ did, rev, records }: RepositoryContent): Block[] {
  const entries = [...records]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, record]) => ({ path, block: makeBlock(record) }));
  const nodes = makeTree(entries);
  const root = nodes.at(-1);
  if (root === undefined) throw new Error("the tree has no root");
  const commit = { did, version: 3, data: link(root), rev, prev: null, sig: bytes("unsigned") };
  return [makeBlock(commit), ...nodes, ...entries.map(({ block }) => block)];
}

/** The first block is the root. */
export async function encodeCar(blocks: readonly Block[]): Promise<Buffer> {
  const [first] = blocks;
  if (first === undefined) throw new Error("the archive has no root");
  const pieces: Uint8Array[] = [];
  for await (const piece of writeCarStream([link(first) as never], blocks as never))
    pieces.push(piece);
  return Buffer.concat(pieces);
}
