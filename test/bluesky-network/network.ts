import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The network of network.mjs in a process of its own, and how it is called. */
export type Network = Addresses & {
  /** A call that reads, of the PDS. */
  read<Answer>(method: string, parameters: Record<string, string>): Promise<Answer>;
  /** A call that writes, with the Authorization of an account, or `administrator`. Throws what the PDS says against it. */
  call<Answer>(method: string, authorization: string | null, body: object): Promise<Answer>;
  /** Hands labels to the labeler, which sends them to all who listen. */
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

/** A label as com.atproto.label.subscribeLabels tells it, less its signature. */
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
  const child = spawn(process.execPath, [join(import.meta.dirname, "network.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const addresses = JSON.parse(line) as Addresses;
  const { pds, labeler } = addresses;
  return {
    ...addresses,
    read: (method, parameters) =>
      answerOf(fetch(`${pds}/xrpc/${method}?${new URLSearchParams(parameters)}`), method),
    call: (method, authorization, body) =>
      answerOf(post(`${pds}/xrpc/${method}`, authorization, body), method),
    label: async (labels) => {
      await answerOf(post(`${labeler}/labels`, null, labels), "labels");
    },
    close: async () => {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}

const post = (url: string, authorization: string | null, body: object): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(authorization === null ? {} : { authorization }),
    },
    body: JSON.stringify(body),
  });

async function answerOf<Answer>(asked: Promise<Response>, method: string): Promise<Answer> {
  const answer = await asked;
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method}: ${answer.status} ${text}`);
  return (text === "" ? {} : JSON.parse(text)) as Answer;
}
