import type { ChatOpenAI } from "@langchain/openai";
import type { Earshot } from "earshot-client";
import { createAgent, tool } from "langchain";
import { description, name, parameters, searchPosts } from "./search-posts.ts";

export async function answer(
  question: string,
  { model, earshot }: { model: ChatOpenAI; earshot: Earshot },
): Promise<string> {
  const search = tool((input) => searchPosts(earshot, parameters.parse(input)), {
    name,
    description,
    schema: parameters,
  });
  const agent = createAgent({ model, tools: [search] });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] });
  return messages.at(-1)?.text ?? "";
}
