import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type CountedRoundTrips = {
  url: string;
  /** Counts sends that follow a receive. */
  roundTrips(): number;
  close(): void;
};

const socketName = ".s.PGSQL.5432";

/** The count is exact if a connection waits for each answer. */
export function countRoundTrips(url: string): CountedRoundTrips {
  const proxiedUrl = new URL(url);
  const serverFolder = proxiedUrl.searchParams.get("host") ?? "";
  const folder = mkdtempSync(join(tmpdir(), "earshot-round-trips-"));
  const sockets = new Set<Socket>();
  let count = 0;

  const proxy = createServer((client) => {
    const server = connect(join(serverFolder, socketName));
    let isAnswered = true;
    client.on("data", (request) => {
      if (isAnswered) count += 1;
      isAnswered = false;
      server.write(request);
    });
    server.on("data", (response) => {
      isAnswered = true;
      client.write(response);
    });
    for (const [first, second] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(first);
      first.on("error", () => undefined);
      first.on("close", () => second.destroy());
    }
  });
  proxy.listen(join(folder, socketName));
  proxiedUrl.searchParams.set("host", folder);
  return {
    url: proxiedUrl.href,
    roundTrips: () => count,
    close: () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
