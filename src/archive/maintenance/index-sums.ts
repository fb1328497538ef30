/**
 * Sums over token positions, partitioned by token: differing partitions narrow down the tokens to
 * compare.
 */
const partitionBits = 16;
const partitionCount = 1 << partitionBits;

export type IndexSums = {
  add(token: string, id: bigint, position: number): void;
  addToken(token: string, sums: TokenSums): void;
  differences(other: IndexSums): number[];
  positions(partition: number): number;
  values(): readonly Uint32Array[];
};

/**
 * Modulo 2^32: number of positions, upper and lower halves of IDs, positions, lower halves times
 * (position + 1).
 */
export type TokenSums = readonly [number, number, number, number, number];

export const tokenSumsSql = (vocabulary: string): string => `
  SELECT term, count(*) & 0xffffffff, sum(doc >> 32) & 0xffffffff, sum(doc & 0xffffffff) & 0xffffffff,
    sum(offset) & 0xffffffff, sum(((doc & 0xffffffff) * (offset + 1)) & 0xffffffff) & 0xffffffff
  FROM ${vocabulary} GROUP BY term`;

export function indexSums(): IndexSums {
  const sums = Array.from({ length: 5 }, () => new Uint32Array(partitionCount));
  const [counts, uppers, lowers, positions, products] = sums as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const raise = (of: Uint32Array, partition: number, by: number): void => {
    of[partition] = (of[partition] ?? 0) + by;
  };
  let halvesOf: bigint | null = null;
  let upper = 0;
  let lower = 0;
  const self: IndexSums = {
    add: (token, id, position) => {
      if (id !== halvesOf) {
        halvesOf = id;
        upper = Number(id >> 32n);
        lower = Number(id & 0xffffffffn);
      }
      const partition = partitionOf(token);
      raise(counts, partition, 1);
      raise(uppers, partition, upper);
      raise(lowers, partition, lower);
      raise(positions, partition, position);
      raise(products, partition, Math.imul(lower, position + 1));
    },
    addToken: (token, tokenSums) => {
      const partition = partitionOf(token);
      for (const [index, sum] of tokenSums.entries()) {
        const of = sums[index];
        if (of !== undefined) raise(of, partition, sum);
      }
    },
    differences: (other) => {
      const others = other.values();
      return Array.from({ length: partitionCount }, (_, partition) => partition)
        .filter((partition) =>
          sums.some((of, index) => of[partition] !== others[index]?.[partition]),
        )
        .sort((a, b) => self.positions(a) - self.positions(b));
    },
    positions: (partition) => counts[partition] ?? 0,
    values: () => sums,
  };
  return self;
}

/** FNV-1a over UTF-16 code units. */
export function partitionOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < token.length; index++) {
    hash = Math.imul(hash ^ token.charCodeAt(index), 0x01000193);
  }
  return ((hash >>> partitionBits) ^ hash) & (partitionCount - 1);
}
