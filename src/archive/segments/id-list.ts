export type IdList = {
  add(id: bigint): void;
  has(id: bigint): boolean;
  readonly size: number;
  sorted(): BigInt64Array;
};

const firstLength = 1_024;

export function createIdList(): IdList {
  let ids = new BigInt64Array(firstLength);
  let length = 0;
  let isSorted = true;

  function add(id: bigint): void {
    if (length === ids.length) {
      const larger = new BigInt64Array(2 * length);
      larger.set(ids);
      ids = larger;
    }
    const last = length === 0 ? -1n : (ids[length - 1] as bigint);
    if (id === last) return;
    if (id < last) isSorted = false;
    ids[length] = id;
    length += 1;
  }

  function sorted(): BigInt64Array {
    if (!isSorted) {
      ids.subarray(0, length).sort();
      let distinctCount = 0;
      for (let index = 0; index < length; index++) {
        if (index > 0 && ids[index] === ids[index - 1]) continue;
        ids[distinctCount] = ids[index] as bigint;
        distinctCount += 1;
      }
      length = distinctCount;
      isSorted = true;
    }
    return ids.subarray(0, length);
  }

  function has(id: bigint): boolean {
    const sortedIds = sorted();
    const index = lowerBound(sortedIds, id);
    return index < sortedIds.length && sortedIds[index] === id;
  }

  return {
    add,
    has,
    get size() {
      return sorted().length;
    },
    sorted,
  };
}

export function lowerBound(sortedIds: BigInt64Array, id: bigint): number {
  let low = 0;
  let high = sortedIds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sortedIds[middle] as bigint) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
