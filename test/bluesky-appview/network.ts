import { join } from "node:path";
import {
  authorized,
  postTo,
  startNetworkProcess,
} from "../../testkit/bluesky-world/network-process.ts";

/** The network of network.mjs in a process of its own, and how it is called. */
export type Network = Omit<Addresses, "control"> & {
  /** A call that writes, at the PDS, with the Authorization of an account. Throws what the PDS says against it. */
  call<Answer>(method: string, authorization: string | null, body: object): Promise<Answer>;
  /** Takes an account or a post down, or deactivates it, as those do who run the PDS or the AppView. */
  rule(service: "pds" | "appview", subject: object, ruling: object): Promise<void>;
  /** Keeps the bytes of a picture for an account; gives what its records name it by. */
  upload(authorization: string, picture: Buffer): Promise<Blob>;
  /** Tells the AppView labels, gives the feed its posts, or waits until the AppView has seen all that was written. */
  control(action: "labels" | "feed" | "settled", body: unknown): Promise<void>;
  close(): Promise<void>;
};

export type Blob = { $type: "blob"; ref: { $link: string }; mimeType: string; size: number };

type Addresses = {
  pds: string;
  plc: string;
  appview: string;
  control: string;
  feedDid: string;
  administrator: string;
  /** Headers that the PDS keeps no limits for. */
  unlimited: Record<string, string>;
};

export async function startNetwork(): Promise<Network> {
  const script = join(import.meta.dirname, "network.mjs");
  const { addresses, close } = await startNetworkProcess<Addresses>(script);
  const { pds, appview, control, administrator, unlimited } = addresses;

  const call = <Answer>(
    service: string,
    method: string,
    authorization: string | null,
    body: object,
  ): Promise<Answer> =>
    postTo(`${service}/xrpc/${method}`, JSON.stringify(body), {
      ...authorized(authorization),
      ...unlimited,
    });

  return {
    ...addresses,
    call: (method, authorization, body) => call(pds, method, authorization, body),
    rule: async (service, subject, ruling) => {
      const at = service === "pds" ? pds : appview;
      const change = { subject, ...ruling };
      await call(at, "com.atproto.admin.updateSubjectStatus", administrator, change);
    },
    upload: async (authorization, picture) => {
      const url = `${pds}/xrpc/com.atproto.repo.uploadBlob`;
      const headers = { authorization, ...unlimited, "content-type": "image/png" };
      return (await postTo<{ blob: Blob }>(url, picture, headers)).blob;
    },
    control: async (action, body) => {
      await postTo(`${control}/${action}`, JSON.stringify(body), unlimited);
    },
    close,
  };
}
