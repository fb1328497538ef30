import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { ApiError } from "./api.ts";
import type { RunContext } from "./run-search.ts";

export type ToolContext = Pick<RunContext, "api" | "randomUuid">;

type ToolOutput<Output> = {
  structured: Output;
  text: string;
  links?: readonly { uri: string; name: string; mimeType: string }[];
};

export type Tool<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  run(args: z.output<Input>, context: RunContext): Promise<ToolOutput<z.output<Output>>>;
};

/** All tools are read-only. An API error is a result that the model can act on, not a protocol error. */
export function registerTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  tool: Tool<Input, Output>,
  context: ToolContext,
): void {
  const call = async (args: z.output<Input>, request: ServerContext): Promise<CallToolResult> => {
    try {
      const output = await tool.run(args, { ...context, ...makeProgress(request) });
      const links = (output.links ?? []).map((link) => ({
        type: "resource_link" as const,
        ...link,
      }));
      return {
        content: [{ type: "text", text: output.text }, ...links],
        structuredContent: output.structured,
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { isError: true, content: [{ type: "text", text: error.message }] };
    }
  };
  server.registerTool<z.ZodObject, z.ZodObject>(
    tool.name,
    {
      title: tool.title,
      description: tool.description,
      inputSchema: tool.input,
      outputSchema: tool.output,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    // Validated against the schema above.
    (args, request) => call(args as z.output<Input>, request),
  );
}

function makeProgress({ mcpReq }: ServerContext): Pick<RunContext, "signal" | "report"> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    signal: mcpReq.signal,
    report: async (message) => {
      progress += 1;
      if (progressToken === undefined) return;
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, message },
      });
    },
  };
}
