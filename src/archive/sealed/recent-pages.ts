export type RecentPages = {
  has(key: number): boolean;
  find(key: number): BigInt64Array | undefined;
  put(key: number, page: BigInt64Array): void;
  delete(key: number): void;
};

export function createRecentPages(maxPages: number): RecentPages {
  const pages = new Map<number, BigInt64Array>();

  function find(key: number): BigInt64Array | undefined {
    const page = pages.get(key);
    if (page === undefined) return undefined;
    pages.delete(key);
    pages.set(key, page);
    return page;
  }

  function put(key: number, page: BigInt64Array): void {
    pages.set(key, page);
    if (pages.size <= maxPages) return;
    const [oldest] = pages.keys();
    if (oldest !== undefined) pages.delete(oldest);
  }

  return { has: (key) => pages.has(key), find, put, delete: (key) => pages.delete(key) };
}
