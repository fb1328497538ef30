import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Accepts connections and bytes but forwards nothing while cut. */
export type BlackHolingProxy = { url: string; cut(): void; reconnect(): void; close(): void };

export async function blackHolingProxy(host: string, port: number): Promise<BlackHolingProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        // While cut, the other peer must not notice.
        if (!isCut) for (const each of [client, upstream]) each.destroy();
      });
      if (isCut) socket.pause();
    }
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => client.write(chunk));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: ownPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${ownPort}`,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    reconnect: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
