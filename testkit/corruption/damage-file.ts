import {
  closeSync,
  copyFileSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { pageMap } from "./page-map.ts";

export type DamageKind =
  | "flipped bit"
  | "zeroed page"
  | "copied page"
  | "truncated"
  | "missing"
  | "older"
  | "oldest";

export function damageFile(
  path: string,
  damage: DamageKind,
  random: () => number,
  olderPath: string | null,
): string {
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  switch (damage) {
    case "missing":
      rmSync(path);
      return "removed";
    case "older":
    case "oldest":
      if (olderPath === null) throw new Error(`there is no older copy of ${path}`);
      copyFileSync(olderPath, path);
      return "copied from earlier";
    case "truncated": {
      const bytes = Math.floor(random() * statSync(path).size);
      truncateSync(path, bytes);
      return `to ${bytes} bytes`;
    }
  }
  const { pageBytes, tables } = pageMap(path);
  const { table, pages } = pick(tables);
  const page = pick(pages);
  const position = (page - 1) * pageBytes;
  if (damage === "zeroed page") {
    put(path, position, Buffer.alloc(pageBytes));
    return `${table}, page ${page}`;
  }
  if (damage === "copied page") {
    const otherPages = pages.filter((other) => other !== page);
    const sourcePage =
      otherPages.length > 0 && random() < 0.7 ? pick(otherPages) : pick(pick(tables).pages);
    put(path, position, bytesAt(path, (sourcePage - 1) * pageBytes, pageBytes));
    return `${table}, page ${page} is page ${sourcePage}`;
  }
  const content = bytesAt(path, position, pageBytes);
  const offset = nonZeroOffset(content, page === 1 ? 100 : 0, random);
  const bit = Math.floor(random() * 8);
  put(path, position + offset, Buffer.from([(content[offset] ?? 0) ^ (1 << bit)]));
  return `${table}, page ${page}, byte ${offset}, bit ${bit}`;
}

/** Avoids zeros, of which a partly filled page mostly consists. */
function nonZeroOffset(content: Buffer, start: number, random: () => number): number {
  for (let tries = 0; tries < 200; tries++) {
    const offset = start + Math.floor(random() * (content.length - start));
    if (content[offset] !== 0) return offset;
  }
  return start;
}

function bytesAt(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, "r");
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, offset);
  closeSync(file);
  return bytes;
}

function put(path: string, offset: number, bytes: Buffer): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}
