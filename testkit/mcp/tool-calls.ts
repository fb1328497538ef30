import type { Client } from "@modelcontextprotocol/client";

export type ToolOutcome = {
  text: string;
  isError: boolean;
  structuredContent: Record<string, unknown>;
  links: string[];
};

export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolOutcome> {
  const result = await client.callTool({ name, arguments: args });
  const content = result.content ?? [];
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    isError: result.isError === true,
    structuredContent: (result.structuredContent ?? {}) as Record<string, unknown>,
    links: content.flatMap((block) => (block.type === "resource_link" ? [block.uri] : [])),
  };
}
