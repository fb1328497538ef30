import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type CuttingProxy = {
  port: number;
  openConnections(): number;
  connections(): number;
  requests(): readonly string[];
  cut(): void;
  freeze(): void;
  close(): Promise<void>;
};

export async function startCuttingProxy(toPort: number): Promise<CuttingProxy> {
  const sockets = new Map<Socket, Socket>();
  const requests: string[] = [];
  let connectionCount = 0;
  const server = createServer((client) => {
    const upstream = connect(toPort, "127.0.0.1");
    connectionCount += 1;
    sockets.set(client, upstream);
    client.once("data", (bytes) => requests.push(String(bytes).split("\r\n", 1)[0] ?? ""));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.on("close", () => {
      sockets.delete(client);
      upstream.destroy();
    });
    upstream.on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const client of sockets.keys()) client.resetAndDestroy();
    sockets.clear();
  };
  const freeze = (): void => {
    for (const [client, upstream] of sockets) {
      client.unpipe();
      upstream.unpipe();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    openConnections: () => sockets.size,
    connections: () => connectionCount,
    requests: () => requests,
    cut,
    freeze,
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
