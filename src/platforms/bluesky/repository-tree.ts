import { isObject } from "../fields.ts";
import { decodeBlock } from "./block.ts";

export type FindBlock = (hash: string) => Uint8Array | null;

/** `path`: `collection/rkey`; `hash`: of the record's block. */
export type TreeEntry = { path: string; hash: string };

/** Longer than a valid collection and record key together. */
const maxPathLength = 1_024;

/**
 * Throws for missing and malformed nodes, and for unordered paths, because repeated links to one
 * node could take unbounded time.
 */
export function* walkTree(root: string, find: FindBlock): Generator<TreeEntry> {
  const openNodes: OpenNode[] = [{ entries: [], next: 0 }];
  push(openNodes, root, find);
  let previousPath = "";
  for (;;) {
    const node = openNodes.at(-1);
    if (node === undefined) return;
    const entry = node.entries[node.next];
    if (entry === undefined) {
      openNodes.pop();
      continue;
    }
    node.next += 1;
    if (entry.kind === "tree") {
      push(openNodes, entry.hash, find);
      continue;
    }
    if (entry.path <= previousPath) throw new Error("the tree's paths are out of order");
    previousPath = entry.path;
    yield { path: entry.path, hash: entry.hash };
  }
}

type NodeEntry = { kind: "tree"; hash: string } | { kind: "leaf"; path: string; hash: string };
type OpenNode = { entries: readonly NodeEntry[]; next: number };

function push(openNodes: OpenNode[], hash: string, find: FindBlock): void {
  const bytes = find(hash);
  if (bytes === null) throw new Error("a tree node is missing");
  openNodes.push({ entries: readNode(bytes), next: 0 });
}

/** The left subtree, then each entry and the subtree to its right. */
function readNode(bytes: Uint8Array): NodeEntry[] {
  const node: unknown = decodeBlock(bytes);
  if (!isObject(node) || !Array.isArray(node.e)) throw new Error("invalid tree node");
  const entries: NodeEntry[] = [...subtree(node.l)];
  let previousPath = "";
  for (const item of node.e) {
    if (!isObject(item)) throw new Error("invalid tree entry");
    const path = previousPath.slice(0, prefixLength(item.p)) + text(item.k);
    if (path.length > maxPathLength) throw new Error("a tree path is too long");
    const hash = linkedHash(item.v);
    if (hash === null) throw new Error("a tree entry has no record");
    entries.push({ kind: "leaf", path, hash }, ...subtree(item.t));
    previousPath = path;
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
  if (!(bytes instanceof Uint8Array)) throw new Error("invalid tree path");
  return Buffer.from(bytes).toString("latin1");
}

export function linkedHash(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const bytes = isObject(value) ? value.bytes : null;
  if (!(bytes instanceof Uint8Array) || bytes.length !== 36) throw new Error("invalid link");
  return hashKey(bytes.subarray(4));
}

export const hashKey = (digest: Uint8Array): string => Buffer.from(digest).toString("latin1");
