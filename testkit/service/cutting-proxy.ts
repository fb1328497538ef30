import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type CuttingProxy = {
  port: number;
  /** Current and total connections. */
  open(): number;
  connections(): number;
  /** One entry per connection. */
  requests(): readonly string[];
  cut(): void;
  freeze(): void;
  close(): Promise<void>;
};

export async function startCuttingProxy(toPort: number): Promise<CuttingProxy> {
  const sockets = new Map<Socket, Socket>();
  const requests: string[] = [];
  let connected = 0;
  const server = createServer((near) => {
    const far = connect(toPort, "127.0.0.1");
    connected += 1;
    sockets.set(near, far);
    near.once("data", (bytes) => requests.push(String(bytes).split("\r\n", 1)[0] ?? ""));
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.on("close", () => {
      sockets.delete(near);
      far.destroy();
    });
    far.on("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const near of sockets.keys()) near.resetAndDestroy();
    sockets.clear();
  };
  const freeze = (): void => {
    for (const [near, far] of sockets) {
      near.unpipe();
      far.unpipe();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    open: () => sockets.size,
    connections: () => connected,
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
