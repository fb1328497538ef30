import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

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
  const child = spawn(process.execPath, [join(import.meta.dirname, "network.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the network ended: ${code}`))),
  ])) as [string];
  const addresses = JSON.parse(line) as Addresses;
  const { pds, appview, control, administrator, unlimited } = addresses;

  async function post<Answer>(
    url: string,
    authorization: string | null,
    body: Buffer | string,
    type = "application/json",
  ): Promise<Answer> {
    const asWhom = authorization === null ? {} : { authorization };
    const headers = { "content-type": type, ...asWhom, ...unlimited };
    const answer = await fetch(url, { method: "POST", headers, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Answer;
  }

  const call = <Answer>(
    service: string,
    method: string,
    authorization: string | null,
    body: object,
  ): Promise<Answer> => post(`${service}/xrpc/${method}`, authorization, JSON.stringify(body));

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
      return (await post<{ blob: Blob }>(url, authorization, picture, "image/png")).blob;
    },
    control: async (action, body) => {
      await post(`${control}/${action}`, null, JSON.stringify(body));
    },
    close: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}
