import type { JsonPage } from "../../lib/json-page.ts";
import type { RecordRow } from "../../posts/record.ts";
import type { Damage, Position } from "../archive.ts";

type PageContext = {
  cache: RecordCache;
  currentVersions(): (position: Position) => RecordVersion | null;
  readRows(positions: readonly Position[]): { rows: RecordRow[]; damage: Damage[] };
  renderer(): RenderRow;
};

export type RenderRow = (row: RecordRow) => RenderedRecord;

export type RenderedPage = JsonPage & { damage: readonly Damage[] };

const rowsPerBatch = 32;

/**
 * Renders one JSON array, without deleted or damaged posts. Null if `isOver()` becomes true before
 * it is complete.
 */
export function jsonPageRenderer({ cache, currentVersions, readRows, renderer }: PageContext) {
  return (positions: readonly Position[], isOver: () => boolean): RenderedPage | null => {
    const versionOf = currentVersions();
    cache.beginPage();
    const cachedRecords = positions.map((position) => {
      const version = versionOf(position);
      return version && cache.find(position.id, version);
    });
    const missingPositions = positions.filter((_, index) => cachedRecords[index] === null);
    if (missingPositions.length === 0) return { ...joinRecords(cachedRecords), damage: [] };

    const addedRecords = new Map<string, RecordBytes>();
    const damage: Damage[] = [];
    const render = renderer();
    for (let start = 0; start < missingPositions.length; start += rowsPerBatch) {
      if (isOver()) return null;
      const batch = readRows(missingPositions.slice(start, start + rowsPerBatch));
      damage.push(...batch.damage);
      for (const row of batch.rows) {
        const version = versionOf(row);
        if (version === null) continue;
        addedRecords.set(positionName(row), cache.add(row.id, version, render(row)));
      }
    }
    const parts = positions.map(
      (position, index) => cachedRecords[index] ?? addedRecords.get(positionName(position)) ?? null,
    );
    return { ...joinRecords(parts), damage };
  };
}

const positionName = ({ platform, id }: Position): string => `${platform} ${id}`;

const comma = 0x2c;

function joinRecords(records: readonly (RecordBytes | null)[]): JsonPage {
  const parts = records.filter((part) => part !== null);
  const lengths = Uint32Array.from(parts, ({ start, end }) => end - start);
  const length = lengths.reduce((total, value) => total + value, 2 + Math.max(0, parts.length - 1));
  const body = Buffer.allocUnsafeSlow(length);
  let offset = body.write("[");
  for (const { arena, start, end } of parts) {
    if (offset > 1) body[offset++] = comma;
    offset += arena.copy(body, offset, start, end);
  }
  body.write("]", offset);
  return { body, lengths };
}

export type RecordVersion = { path: string; lastWrittenInCommit: number; catalog: unknown };

export type RenderedRecord = { text: string; dependsOnlyOnRow: boolean };

export type RecordBytes = { arena: Buffer; start: number; end: number };

const headerBytes = 24;
const maxBytesPerCodeUnit = 3;
const bytesPerSlot = 128;
const ways = 4;

/**
 * A ring of rendered records in UTF-8, and a table of positions by ID. Garbage collection of one
 * object per record would cost more than reading the rows. A record that is still in use is copied
 * to the front before it can be overwritten.
 */
export class RecordCache {
  readonly #ringBytes: number;
  readonly #slotMask: number;
  #ring: Buffer | null = null;
  /** Splits an ID into two words without allocating bigints. */
  readonly #id = new BigInt64Array(1);
  readonly #idWords = new Uint32Array(this.#id.buffer);
  #fields = new Uint32Array(0);
  #slots = new Float64Array(0);
  #head = 0;
  #pageStart = 0;
  readonly #segments = new Map<string, { lastWrittenInCommit: number; token: number }>();
  #lastToken = 0;
  #recent: { version: RecordVersion | null; token: number } = { version: null, token: 0 };
  #catalog: unknown = null;
  #catalogToken = 0;

  constructor(maxBytes: number) {
    const slots = 2 ** Math.floor(Math.log2(Math.max(ways, maxBytes / bytesPerSlot)));
    this.#slotMask = slots - 1;
    this.#ringBytes = Math.max(0, Math.floor((maxBytes - 8 * slots) / 8) * 8);
  }

  beginPage(): void {
    this.#pageStart = this.#head;
  }

  /**
   * Null unless the record was rendered from this version of its segment and, if it depends on the
   * catalog, of the catalog.
   */
  find(id: bigint, version: RecordVersion): RecordBytes | null {
    const slot = this.#findSlot(id, version);
    if (slot === null || this.#ring === null) return null;
    const position = this.#slots[slot] as number;
    const start = (position % this.#ringBytes) + headerBytes;
    const found = { arena: this.#ring, start, end: start + this.#lengthAt(position) };
    return position >= this.#pageStart - this.#ringBytes / 2 ? found : this.#move(id, slot, found);
  }

  add(id: bigint, version: RecordVersion, { text, dependsOnlyOnRow }: RenderedRecord): RecordBytes {
    const position = this.#reserve(text.length * maxBytesPerCodeUnit);
    if (position === null) return ownCopy(Buffer.from(text));
    const catalog = dependsOnlyOnRow ? 0 : this.#tokenOfCatalog(version);
    const segment = this.#tokenOfSegment(version);
    const record = this.#put(id, { position, segment, catalog }, (ring, start) =>
      ring.write(text, start),
    );
    this.#slots[this.#oldestSlot(id)] = position;
    return record;
  }

  #findSlot(id: bigint, version: RecordVersion): number | null {
    if (this.#ring === null) return null;
    const first = this.#firstSlot(id);
    const segment = this.#tokenOfSegment(version);
    const catalog = this.#tokenOfCatalog(version);
    for (let slot = first; slot < first + ways; slot += 1) {
      const position = this.#slots[slot] as number;
      if (position < 0 || position < this.#head - this.#ringBytes) continue;
      const word = (position % this.#ringBytes) / 8;
      if (this.#fields[2 * word] !== this.#idWords[0]) continue;
      if (this.#fields[2 * word + 1] !== this.#idWords[1]) continue;
      if (this.#fields[2 * word + 2] !== segment) continue;
      const dependsOn = this.#fields[2 * word + 3];
      if (dependsOn === 0 || dependsOn === catalog) return slot;
    }
    return null;
  }

  #move(id: bigint, slot: number, record: RecordBytes): RecordBytes {
    const bytes = Buffer.from(record.arena.subarray(record.start, record.end));
    const position = this.#reserve(bytes.length);
    if (position === null) return ownCopy(bytes);
    const word = ((this.#slots[slot] as number) % this.#ringBytes) / 8;
    const segment = this.#fields[2 * word + 2] as number;
    const catalog = this.#fields[2 * word + 3] as number;
    this.#slots[slot] = position;
    return this.#put(id, { position, segment, catalog }, (ring, start) => bytes.copy(ring, start));
  }

  /** Null if writing there would overwrite records found for this page. */
  #reserve(bytes: number): number | null {
    const neededBytes = headerBytes + bytes;
    const room = this.#ringBytes - (this.#head % this.#ringBytes);
    const position = neededBytes <= room ? this.#head : this.#head + room;
    return position + neededBytes <= this.#pageStart + this.#ringBytes / 2 ? position : null;
  }

  #put(
    id: bigint,
    { position, segment, catalog }: { position: number; segment: number; catalog: number },
    write: (ring: Buffer, start: number) => number,
  ): RecordBytes {
    const ring = this.#openRing();
    const offset = position % this.#ringBytes;
    const start = offset + headerBytes;
    const end = start + write(ring, start);
    const word = offset / 8;
    this.#id[0] = id;
    this.#fields[2 * word] = this.#idWords[0] as number;
    this.#fields[2 * word + 1] = this.#idWords[1] as number;
    this.#fields[2 * word + 2] = segment;
    this.#fields[2 * word + 3] = catalog;
    this.#fields[2 * word + 4] = end - start;
    this.#head = position + Math.ceil((end - offset) / 8) * 8;
    return { arena: ring, start, end };
  }

  #openRing(): Buffer {
    if (this.#ring !== null) return this.#ring;
    const memory = new ArrayBuffer(this.#ringBytes);
    this.#fields = new Uint32Array(memory);
    this.#slots = new Float64Array(this.#slotMask + 1).fill(-1);
    this.#ring = Buffer.from(memory);
    return this.#ring;
  }

  #lengthAt(position: number): number {
    return this.#fields[((position % this.#ringBytes) / 8) * 2 + 4] as number;
  }

  #oldestSlot(id: bigint): number {
    const first = this.#firstSlot(id);
    let oldest = first;
    for (let slot = first + 1; slot < first + ways; slot += 1) {
      if ((this.#slots[slot] as number) < (this.#slots[oldest] as number)) oldest = slot;
    }
    return oldest;
  }

  /** Multiplicative hashing, because IDs begin with a time and end with few bits of a hash. */
  #firstSlot(id: bigint): number {
    this.#id[0] = id;
    const bits = (this.#idWords[0] as number) ^ (this.#idWords[1] as number);
    return (Math.imul(bits, 0x9e3779b1) >>> 3) & this.#slotMask & -ways;
  }

  #tokenOfSegment(version: RecordVersion): number {
    if (version === this.#recent.version) return this.#recent.token;
    const { path, lastWrittenInCommit } = version;
    const knownSegment = this.#segments.get(path);
    const token =
      knownSegment?.lastWrittenInCommit === lastWrittenInCommit
        ? knownSegment.token
        : ++this.#lastToken;
    this.#segments.set(path, { lastWrittenInCommit, token });
    this.#recent = { version, token };
    return token;
  }

  #tokenOfCatalog({ catalog }: RecordVersion): number {
    if (this.#catalog !== catalog) {
      this.#catalog = catalog;
      this.#catalogToken += 1;
    }
    return this.#catalogToken;
  }
}

const ownCopy = (bytes: Buffer): RecordBytes => ({ arena: bytes, start: 0, end: bytes.length });
