import { once } from "node:events";
import { connect, type Socket } from "node:net";

export async function connectTo(base: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}
