import { generateText, isStepCount, type LanguageModel, tool } from "ai";
import type { Earshot } from "earshot-client";
import { description, name, parameters, searchPosts } from "./search-posts.ts";

export async function answer(
  prompt: string,
  { model, earshot }: { model: LanguageModel; earshot: Earshot },
): Promise<string> {
  const search = tool({
    description,
    inputSchema: parameters,
    execute: (input) => searchPosts(earshot, input),
  });
  const { text } = await generateText({
    model,
    prompt,
    tools: { [name]: search },
    stopWhen: isStepCount(8),
  });
  return text;
}
