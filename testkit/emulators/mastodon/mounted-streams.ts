import type { IncomingMessage, ServerResponse } from "node:http";
import { statusJson } from "./entities.ts";
import type { Status } from "./network.ts";
import type { MastodonEmulator } from "./server.ts";
import { createStreaming, type EmulatedStatus, type Streaming } from "./streaming.ts";

export function mountStreams(emulator: MastodonEmulator): Streaming {
  const { server, network, settings, url } = emulator;
  const streaming = createStreaming({
    isUserToken: (token) => {
      const owner = emulator.tokenOf(`Bearer ${token}`);
      return owner !== null && owner !== "unknown" && owner.accountId !== null;
    },
    transports: settings.differences.noEventStream ? ["websocket"] : ["websocket", "event-stream"],
  });
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (streaming.handle(request, response)) return;
    for (const other of listeners) other.call(server, request, response);
  });
  server.on("upgrade", (request, socket, head) => {
    if (!streaming.upgrade(request, socket, head)) socket.destroy();
  });

  /** Public streams contain public statuses without boosts. */
  const statusEntity = (status: Status): EmulatedStatus[] => {
    if (status.visibility !== "public" || status.reblogOfId !== null) return [];
    const entity = statusJson(status, { network, settings, url });
    return entity === null ? [] : [entity as EmulatedStatus];
  };
  network.events.on("update", (status) => streaming.update(...statusEntity(status)));
  network.events.on("status.update", (status) => streaming.edit(...statusEntity(status)));
  network.events.on("delete", (id) => streaming.remove(id));
  return streaming;
}
