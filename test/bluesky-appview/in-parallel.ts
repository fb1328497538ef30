export async function inParallel<Item, Outcome>(
  items: readonly Item[],
  use: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...items.entries()];
  const useSome = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, item] = next;
      outcomes[index] = await use(item);
    }
  };
  await Promise.all([useSome(), useSome(), useSome(), useSome()]);
  return outcomes;
}
