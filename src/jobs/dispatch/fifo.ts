/** O(1) insertion at both ends, and removal from anywhere. */
export type Fifo<Item> = {
  add(item: Item): void;
  addFirst(item: Item): void;
  remove(item: Item): boolean;
  first(): Item | null;
  isEmpty(): boolean;
};

type Link<Item> = { item: Item; previous: Link<Item> | null; next: Link<Item> | null };

export function createFifo<Item>(): Fifo<Item> {
  const links = new Map<Item, Link<Item>>();
  let first: Link<Item> | null = null;
  let last: Link<Item> | null = null;

  function add(item: Item): void {
    const link: Link<Item> = { item, previous: last, next: null };
    if (last === null) first = link;
    else last.next = link;
    last = link;
    links.set(item, link);
  }

  function addFirst(item: Item): void {
    const link: Link<Item> = { item, previous: null, next: first };
    if (first === null) last = link;
    else first.previous = link;
    first = link;
    links.set(item, link);
  }

  function remove(item: Item): boolean {
    const link = links.get(item);
    if (link === undefined) return false;
    links.delete(item);
    if (link.previous === null) first = link.next;
    else link.previous.next = link.next;
    if (link.next === null) last = link.previous;
    else link.next.previous = link.previous;
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
