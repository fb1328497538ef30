import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "./server.ts";

let server: PostgresServer | null = null;

export async function setup({ provide }: TestProject): Promise<void> {
  server = await startPostgres(["fsync=off", "max_connections=400"]);
  provide("postgresFolder", server.folder);
}

export async function teardown(): Promise<void> {
  await server?.remove();
}
