import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Passes TCP connections on to a port of this machine, and can cut them. */
export type CuttingProxy = {
  port: number;
  /** Connections that are open now, and those that ever were. */
  open(): number;
  connections(): number;
  /** What was asked for first on each connection: the first line of its request. */
  requests(): readonly string[];
  /** Ends every connection without a word, in the middle of what is under way. */
  cut(): void;
  /** Passes nothing more on over the connections that are open now, and lets neither side know. */
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
