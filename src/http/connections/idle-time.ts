import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

/** Pauses until the returned function is called. The caller must limit the wait. */
export function pauseIdleTimeout({ socket }: ServerResponse, idleTimeoutMs: number): () => void {
  // There is no open connection, as with inject.
  if (!(socket instanceof Socket)) return () => undefined;
  socket.setTimeout(0);
  return () => {
    if (!socket.destroyed) socket.setTimeout(idleTimeoutMs);
  };
}
