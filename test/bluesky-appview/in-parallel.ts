export async function inParallel<Item, Outcome>(
  items: readonly Item[],
  use: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const queue = [...items.entries()];
  const useSome = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, item] = next;
      outcomes[index] = await use(item);
    }
  };
  await Promise.all([useSome(), useSome(), useSome(), useSome()]);
  return outcomes;
}
