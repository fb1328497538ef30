import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type OpenConnections = {
  /**
   * Closes every connection that holds no complete request: those that are idle, and those whose header or body is still on
   * its way. The others are closed when their answer is out, new ones at once.
   */
  stop(): void;
};

/** Knows the connections of a server and what each is at: the server itself keeps one open that has never sent anything. */
export function watchConnections(server: Server): OpenConnections {
  const requestsOf = new Map<Socket, Set<IncomingMessage>>();
  let stopping = false;

  function closeUnlessAsked(socket: Socket): void {
    const requests = [...(requestsOf.get(socket) ?? [])];
    if (!requests.some((request) => request.complete)) socket.destroy();
  }

  server.on("connection", (socket: Socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    requestsOf.set(socket, new Set());
    socket.once("close", () => requestsOf.delete(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    requestsOf.get(socket)?.add(request);
    response.once("close", () => {
      requestsOf.get(socket)?.delete(request);
      if (stopping) socket.end();
    });
  });

  return {
    stop: () => {
      stopping = true;
      for (const socket of requestsOf.keys()) closeUnlessAsked(socket);
    },
  };
}
