import { writeFileSync } from "node:fs";

export type GeneratedPosts = {
  topics: number;
  write(file: string): void;
  word(topic: number): string;
  newestPosts(topic: number, count: number): readonly { id: string; text: string }[];
};

const firstMs = Date.UTC(2024, 0, 1);
const secondMs = 1_000;

/** IDs count from X's epoch. */
const idAt = (ms: number): string => String(BigInt(ms - 1_288_834_974_657) << 22n);

export function generatedPosts(topics: number, postsPerTopic: number): GeneratedPosts {
  const word = (topic: number): string => `topic${topic}x`;
  const post = (topic: number, turn: number) => {
    const atMs = firstMs + (turn * topics + topic) * 7 * secondMs;
    return { atMs, id: idAt(atMs), text: `A generated post, number ${turn} about ${word(topic)}` };
  };
  return {
    topics,
    word,
    write: (file) => {
      const lines: string[] = [];
      for (let turn = 0; turn < postsPerTopic; turn += 1) {
        for (let topic = 0; topic < topics; topic += 1) {
          const { atMs, id, text } = post(topic, turn);
          const created_at = new Date(atMs).toISOString();
          lines.push(JSON.stringify({ id, author: "generated", created_at, text }));
        }
      }
      writeFileSync(file, `${lines.join("\n")}\n`);
    },
    newestPosts: (topic, count) =>
      Array.from({ length: Math.min(count, postsPerTopic) }, (_, n) => {
        const { id, text } = post(topic, postsPerTopic - 1 - n);
        return { id, text };
      }),
  };
}
