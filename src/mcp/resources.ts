import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ApiError, readBody } from "./api.ts";
import type { ToolContext } from "./tool.ts";

const coverageResponse = z.object({ coverage: z.unknown() });

const everyPost = "lang:en OR -lang:en";

export function registerResources(server: McpServer, { api }: ToolContext): void {
  server.registerResource(
    "query-language",
    "earshot://query-language",
    {
      title: "Query language",
      description: "All query operators, with examples",
      mimeType: "text/markdown",
    },
    async (uri) => {
      const response = await api({
        method: "GET",
        path: "/docs/query-language",
        headers: { accept: "text/markdown" },
      });
      if (response.status !== 200) throw new ApiError(response);
      return { contents: [{ uri: uri.href, mimeType: "text/markdown", text: response.text }] };
    },
  );

  server.registerResource(
    "coverage",
    "earshot://coverage",
    {
      title: "Coverage",
      description:
        "The time ranges for which each platform's posts are archived, and their gaps. Reading it costs one search",
      mimeType: "application/json",
    },
    async (uri) => {
      const response = await api({
        method: "POST",
        path: "/v1/search/social",
        body: {
          type: "social",
          arguments: { type: "searchbyfullarchive", query: everyPost, max_results: 1 },
        },
      });
      const { coverage } = readBody(response, coverageResponse);
      const text = JSON.stringify(coverage, null, 2);
      return { contents: [{ uri: uri.href, mimeType: "application/json", text }] };
    },
  );

  server.registerResource(
    "job",
    new ResourceTemplate("earshot://jobs/{uuid}", { list: undefined }),
    {
      title: "Job result",
      description: "All records of a job's result as JSON, until the result expires",
      mimeType: "application/json",
    },
    async (uri, { uuid }) => {
      const path = `/v1/search/live/social/result/${encodeURIComponent(String(uuid))}`;
      const response = await api({ method: "GET", path });
      if (response.status !== 200) throw new ApiError(response);
      return { contents: [{ uri: uri.href, mimeType: "application/json", text: response.text }] };
    },
  );
}
