import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Message = { role: string; content?: unknown };

export type ScriptedModel = {
  /** The base URL, as OpenAI's clients expect it. */
  baseURL: string;
  /** What the tool returned to the model, in order. */
  toolResults(): string[];
  close(): void;
};

/**
 * An emulator of chat completions, written from OpenAI's published description. It calls `search_posts` with each query in turn,
 * then answers with the last link in the tool results.
 */
export async function startScriptedModel(queries: readonly string[]): Promise<ScriptedModel> {
  let toolResults: string[] = [];
  const server = createServer(async (request, response) => {
    const { messages, model } = JSON.parse(await text(request)) as {
      messages: Message[];
      model: string;
    };
    toolResults = messages
      .filter(({ role }) => role === "tool")
      .map(({ content }) => String(content));
    const query = queries[toolResults.length];
    const link = /<(https?:[^>]+)>/.exec(toolResults.at(-1) ?? "")?.[1] ?? "nothing";
    const call = {
      id: `call_${toolResults.length}`,
      type: "function",
      function: { name: "search_posts", arguments: JSON.stringify({ query }) },
    };
    const message =
      query === undefined
        ? { role: "assistant", content: `Found at ${link}` }
        : { role: "assistant", content: null, tool_calls: [call] };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: `chatcmpl-${toolResults.length}`,
        object: "chat.completion",
        created: 0,
        model,
        choices: [
          { index: 0, message, finish_reason: query === undefined ? "stop" : "tool_calls" },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    toolResults: () => toolResults,
    close: () => void server.close(),
  };
}
