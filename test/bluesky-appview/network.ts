import { join } from "node:path";
import {
  authorizationHeaders,
  postTo,
  startNetworkProcess,
} from "../../testkit/bluesky-world/network-process.ts";

export type Network = Omit<Addresses, "control"> & {
  /** Throws the PDS's error. */
  call<Answer>(method: string, authorization: string | null, body: object): Promise<Answer>;
  /** Acts as the operator of the PDS or AppView. */
  setStatus(service: "pds" | "appview", subject: object, ruling: object): Promise<void>;
  /** Returns the blob reference. */
  upload(authorization: string, picture: Buffer): Promise<Blob>;
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
      ...authorizationHeaders(authorization),
      ...unlimited,
    });

  return {
    ...addresses,
    call: (method, authorization, body) => call(pds, method, authorization, body),
    setStatus: async (service, subject, ruling) => {
      const baseUrl = service === "pds" ? pds : appview;
      const change = { subject, ...ruling };
      await call(baseUrl, "com.atproto.admin.updateSubjectStatus", administrator, change);
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
