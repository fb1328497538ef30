import { isObject } from "../fields.ts";
import { decodeBlock } from "./block.ts";

/** A block by its hash; null when the archive does not hold it. */
export type FindBlock = (hash: string) => Uint8Array | null;

/** One record of a repository: `collection/rkey`, and the hash of its block. */
export type TreeEntry = { path: string; hash: string };

/** Longer keys than the AT Protocol allows for a collection and a record key together. */
const longestPath = 1_024;

/**
 * The entries of a repository's tree from its root, in the order of their paths. Throws when a node is missing or is none, or
 * when paths are out of order: a tree that names one node many times would else be walked for ever.
 */
export function* walkTree(root: string, find: FindBlock): Generator<TreeEntry> {
  const open: Open[] = [{ entries: [], next: 0 }];
  push(open, root, find);
  let before = "";
  for (;;) {
    const node = open.at(-1);
    if (node === undefined) return;
    const entry = node.entries[node.next];
    if (entry === undefined) {
      open.pop();
      continue;
    }
    node.next += 1;
    if (entry.kind === "tree") {
      push(open, entry.hash, find);
      continue;
    }
    if (entry.path <= before) throw new Error("the paths of the tree are out of order");
    before = entry.path;
    yield { path: entry.path, hash: entry.hash };
  }
}

type NodeEntry = { kind: "tree"; hash: string } | { kind: "leaf"; path: string; hash: string };
type Open = { entries: readonly NodeEntry[]; next: number };

function push(open: Open[], hash: string, find: FindBlock): void {
  const bytes = find(hash);
  if (bytes === null) throw new Error("a node of the tree is missing");
  open.push({ entries: readNode(bytes), next: 0 });
}

/** A node: the tree left of its entries, then each entry and the tree right of it. */
function readNode(bytes: Uint8Array): NodeEntry[] {
  const node: unknown = decodeBlock(bytes);
  if (!isObject(node) || !Array.isArray(node.e)) throw new Error("a node of the tree is none");
  const entries: NodeEntry[] = [...subtree(node.l)];
  let before = "";
  for (const item of node.e) {
    if (!isObject(item)) throw new Error("an entry of the tree is none");
    const path = before.slice(0, prefixLength(item.p)) + text(item.k);
    if (path.length > longestPath) throw new Error("a path of the tree is too long");
    const hash = linkedHash(item.v);
    if (hash === null) throw new Error("an entry of the tree has no record");
    entries.push({ kind: "leaf", path, hash }, ...subtree(item.t));
    before = path;
  }
  return entries;
}

function subtree(link: unknown): NodeEntry[] {
  const hash = linkedHash(link);
  return hash === null ? [] : [{ kind: "tree", hash }];
}

const prefixLength = (value: unknown): number =>
  Number.isInteger(value) && Number(value) >= 0 ? Number(value) : 0;

function text(value: unknown): string {
  const bytes = isObject(value) ? value.buf : null;
  if (!(bytes instanceof Uint8Array)) throw new Error("a path of the tree is no bytes");
  return Buffer.from(bytes).toString("latin1");
}

/** The hash in a link to another block; null where there is no link. Throws for anything else. */
export function linkedHash(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const bytes = isObject(value) ? value.bytes : null;
  if (!(bytes instanceof Uint8Array) || bytes.length !== 36) throw new Error("a link is none");
  return hashKey(bytes.subarray(4));
}

/** The 32 bytes of a hash as the key of a map. */
export const hashKey = (digest: Uint8Array): string => Buffer.from(digest).toString("latin1");
