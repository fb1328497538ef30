import type { Earshot } from "earshot-client";
import type OpenAI from "openai";
import * as z from "zod";
import { description, name, parameters, searchPosts } from "./search-posts.ts";

/** Answers a question with OpenAI function calling, searching as often as the model asks. */
export async function answer(
  question: string,
  { openai, model, earshot }: { openai: OpenAI; model: string; earshot: Earshot },
): Promise<string> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: question }];
  const tool = { name, description, parameters: z.toJSONSchema(parameters, { io: "input" }) };
  for (;;) {
    const { choices } = await openai.chat.completions.create({
      model,
      messages,
      tools: [{ type: "function", function: tool }],
    });
    const message = choices[0]?.message;
    if (message?.tool_calls === undefined) return message?.content ?? "";
    messages.push(message);
    for (const call of message.tool_calls) {
      if (call.type !== "function") continue;
      const content = await searchPosts(
        earshot,
        parameters.parse(JSON.parse(call.function.arguments)),
      );
      messages.push({ role: "tool", tool_call_id: call.id, content });
    }
  }
}
