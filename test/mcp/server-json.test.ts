import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { packageRoot } from "../../src/lib/package-root.ts";

/** What the MCP registry requires of the fields that are used here. */
const serverJson = z.strictObject({
  $schema: z.literal(
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  ),
  name: z.string().regex(/^io\.github\.[\w-]+\/[\w.-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string(),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal("npm"),
      registryBaseUrl: z.literal("https://registry.npmjs.org"),
      identifier: z.string(),
      version: z.string(),
      runtimeHint: z.literal("npx"),
      transport: z.strictObject({ type: z.literal("stdio") }),
      packageArguments: z.tuple([
        z.strictObject({ type: z.literal("positional"), value: z.literal("mcp") }),
      ]),
      environmentVariables: z.array(
        z.strictObject({
          name: z.string().regex(/^EARSHOT_[A-Z_]+$/),
          description: z.string().min(1),
          format: z.literal("filepath").optional(),
          placeholder: z.string().optional(),
          isSecret: z.boolean().optional(),
        }),
      ),
    }),
  ]),
});

const read = (name: string) => readFile(new URL(name, packageRoot), "utf8");

test("server.json describes the npm package of this version", async () => {
  const described = serverJson.parse(JSON.parse(await read("server.json")));
  const own = JSON.parse(await read("package.json"));
  const [published] = described.packages;
  expect(described.name).toBe(own.mcpName);
  expect([described.version, published.version]).toEqual([own.version, own.version]);
  expect(published.identifier).toBe(own.name);
  const page = await read("docs/mcp.md");
  for (const { name } of published.environmentVariables) expect(page).toContain(name);
});
