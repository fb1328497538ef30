import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

/** Until the returned function is called. The caller must bound the wait. */
export function pauseIdleTimeout({ socket }: ServerResponse, idleTimeoutMs: number): () => void {
  // Closed, or a request without a connection (inject).
  if (!(socket instanceof Socket)) return () => undefined;
  socket.setTimeout(0);
  return () => {
    if (!socket.destroyed) socket.setTimeout(idleTimeoutMs);
  };
}
