import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

/**
 * A connection on which an answer is waited for is not idle, though nothing moves on it: it is not closed until what is called
 * that comes back. Whoever calls it bounds the wait.
 */
export function stopIdleTime({ socket }: ServerResponse, idleTimeoutMs: number): () => void {
  // Gone already, or a request that came over no connection.
  if (!(socket instanceof Socket)) return () => undefined;
  socket.setTimeout(0);
  return () => {
    if (!socket.destroyed) socket.setTimeout(idleTimeoutMs);
  };
}
