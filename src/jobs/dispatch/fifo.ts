/** O(1) insertion at both ends, and removal from anywhere. */
export type Fifo<Item> = {
  add(item: Item): void;
  addFirst(item: Item): void;
  remove(item: Item): boolean;
  first(): Item | null;
  isEmpty(): boolean;
};

type Link<Item> = { item: Item; before: Link<Item> | null; after: Link<Item> | null };

export function createFifo<Item>(): Fifo<Item> {
  const links = new Map<Item, Link<Item>>();
  let first: Link<Item> | null = null;
  let last: Link<Item> | null = null;

  function add(item: Item): void {
    const link: Link<Item> = { item, before: last, after: null };
    if (last === null) first = link;
    else last.after = link;
    last = link;
    links.set(item, link);
  }

  function addFirst(item: Item): void {
    const link: Link<Item> = { item, before: null, after: first };
    if (first === null) last = link;
    else first.before = link;
    first = link;
    links.set(item, link);
  }

  function remove(item: Item): boolean {
    const link = links.get(item);
    if (link === undefined) return false;
    links.delete(item);
    if (link.before === null) first = link.after;
    else link.before.after = link.after;
    if (link.after === null) last = link.before;
    else link.after.before = link.before;
    return true;
  }

  return {
    add,
    addFirst,
    remove,
    first: () => first?.item ?? null,
    isEmpty: () => first === null,
  };
}
