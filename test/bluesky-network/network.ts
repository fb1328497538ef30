import { join } from "node:path";
import {
  authorizationHeaders,
  postTo,
  readBody,
  startNetworkProcess,
} from "../../testkit/bluesky-world/network-process.ts";

export type Network = Addresses & {
  read<Answer>(method: string, parameters: Record<string, string>): Promise<Answer>;
  /** Calls as an account or `administrator`. Throws the PDS's error. */
  call<Answer>(method: string, authorization: string | null, body: object): Promise<Answer>;
  label(labels: readonly Label[]): Promise<void>;
  close(): Promise<void>;
};

type Addresses = {
  pds: string;
  relay: string;
  plc: string;
  labeler: string;
  appview: string;
  administrator: string;
};

/** A label without its signature. */
export type Label = {
  src: string;
  uri: string;
  cid?: string;
  val: string;
  neg?: true;
  cts: string;
  exp?: string;
};

export async function startNetwork(): Promise<Network> {
  const script = join(import.meta.dirname, "network.mjs");
  const { addresses, close } = await startNetworkProcess<Addresses>(script);
  const { pds, labeler } = addresses;
  return {
    ...addresses,
    read: async (method, parameters) =>
      await readBody(await fetch(`${pds}/xrpc/${method}?${new URLSearchParams(parameters)}`)),
    call: (method, authorization, body) =>
      postTo(`${pds}/xrpc/${method}`, JSON.stringify(body), authorizationHeaders(authorization)),
    label: async (labels) => {
      await postTo(`${labeler}/labels`, JSON.stringify(labels), {});
    },
    close,
  };
}
