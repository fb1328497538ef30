const partitionBits = 16;
const partitionCount = 1 << partitionBits;

/**
 * Sums over token positions, partitioned by token. Only the tokens in partitions that differ need
 * to be compared.
 */
export type IndexChecksums = {
  add(token: string, id: bigint, position: number): void;
  addToken(token: string, sums: TokenSums): void;
  /** The partitions that differ, those with the fewest positions first. */
  differences(other: IndexChecksums): number[];
  positionCount(partition: number): number;
  values(): readonly Uint32Array[];
};

/**
 * The number of positions, then the sums of the IDs' upper halves, lower halves, positions, and
 * lower half × (position + 1); modulo 2^32.
 */
export type TokenSums = readonly [number, number, number, number, number];

export const tokenSumsSql = (vocabulary: string): string => `
  SELECT term, count(*) & 0xffffffff, sum(doc >> 32) & 0xffffffff, sum(doc & 0xffffffff) & 0xffffffff,
    sum(offset) & 0xffffffff, sum(((doc & 0xffffffff) * (offset + 1)) & 0xffffffff) & 0xffffffff
  FROM ${vocabulary} GROUP BY term`;

export function createIndexChecksums(): IndexChecksums {
  const sums = Array.from({ length: 5 }, () => new Uint32Array(partitionCount));
  const [counts, uppers, lowers, positions, products] = sums as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const addTo = (target: Uint32Array, partition: number, amount: number): void => {
    target[partition] = (target[partition] ?? 0) + amount;
  };
  let splitId: bigint | null = null;
  let upper = 0;
  let lower = 0;
  const self: IndexChecksums = {
    add: (token, id, position) => {
      if (id !== splitId) {
        splitId = id;
        upper = Number(id >> 32n);
        lower = Number(id & 0xffffffffn);
      }
      const partition = tokenPartition(token);
      addTo(counts, partition, 1);
      addTo(uppers, partition, upper);
      addTo(lowers, partition, lower);
      addTo(positions, partition, position);
      addTo(products, partition, Math.imul(lower, position + 1));
    },
    addToken: (token, tokenSums) => {
      const partition = tokenPartition(token);
      for (const [index, sum] of tokenSums.entries()) {
        const target = sums[index];
        if (target !== undefined) addTo(target, partition, sum);
      }
    },
    differences: (other) => {
      const others = other.values();
      return Array.from({ length: partitionCount }, (_, partition) => partition)
        .filter((partition) =>
          sums.some((values, index) => values[partition] !== others[index]?.[partition]),
        )
        .sort((a, b) => self.positionCount(a) - self.positionCount(b));
    },
    positionCount: (partition) => counts[partition] ?? 0,
    values: () => sums,
  };
  return self;
}

/** FNV-1a over UTF-16 code units. */
export function tokenPartition(token: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < token.length; index++) {
    hash = Math.imul(hash ^ token.charCodeAt(index), 0x01000193);
  }
  return ((hash >>> partitionBits) ^ hash) & (partitionCount - 1);
}
