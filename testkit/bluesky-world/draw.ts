import { seededRandom } from "../../bench/measure.ts";

export type Draw = {
  below(bound: number): number;
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  pickOrNull<Item>(items: readonly Item[]): Item | null;
  pickWeighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
};

export function createDraw(seed: number): Draw {
  const random = seededRandom(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  const pickOrNull = <Item>(items: readonly Item[]): Item | null =>
    items[below(items.length)] ?? null;
  return {
    below,
    chance: (share) => random() < share,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
    pickOrNull,
    pickWeighted: <Name extends string>(weights: Readonly<Record<Name, number>>): Name => {
      const entries = Object.entries<number>(weights) as [Name, number][];
      let remaining = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        remaining -= weight;
        if (remaining < 0) return name;
      }
      throw new Error("nothing has a weight");
    },
  };
}
