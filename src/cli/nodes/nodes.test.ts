import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Outcome, runCommand } from "../../../testkit/service/run-command.ts";
import type { NodeRegistration } from "../../remote/gateway/stored-registration.ts";
import { type OpenControl, openControl } from "../../server/control/control.ts";

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-cli-nodes-"));
});

afterEach(() => rmSync(dataDir, { recursive: true }));

const earshot = (...args: string[]): Promise<Outcome> =>
  runCommand(args, { EARSHOT_DATA_DIR: dataDir });

const json = async (...args: string[]) =>
  (await earshot(...args, "--json")).out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

async function runWithControl<Value>(
  use: (control: OpenControl) => Promise<Value>,
): Promise<Value> {
  const control = await openControl({ dataDir });
  try {
    return await use(control);
  } finally {
    await control.close();
  }
}

const id = "0123456789abcdef";
const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);

const registration: NodeRegistration = {
  id,
  identityKey: "A".repeat(43),
  name: "berlin\u001b[31m",
  evidence: "tdx",
  capabilities: [
    { platform: "bluesky", method: "searchbyquery", ways: ["archive"] },
    { platform: "x", method: "getbyid", ways: ["api", "archive"] },
  ],
  concurrency: 4,
  version: "1.2.3",
  machine: "machine-1",
  image: "dstack-0.5",
  composeHash: "c".repeat(64),
  isListed: false,
  attestation: {
    id: "attestation-1",
    node_id: id,
    key_id: "key",
    name: "berlin",
    statement: {
      version: 1,
      evidence: "tdx",
      audience: "earshot",
      nonce: "",
      identity_key: "",
      signing_key: "",
      sealing_key: "",
      boot_id: "",
      gateway_key: "",
    },
    identity_signature: "",
    evidence: { quote: null, event_log: null, vm_config: null },
    collateral: null,
    policy_id: "policy",
  },
  keptUntilMs: nowMs + 1,
  nowMs,
};

const register = (overrides: Partial<NodeRegistration> = {}) =>
  runWithControl((control) => control.run("storeRegistration", { ...registration, ...overrides }));

describe("list and show", () => {
  test("nodes list and nodes show print the registered nodes without control characters", async () => {
    expect((await earshot("nodes", "list")).notes).toBe(
      "no nodes yet – run earshot nodes enroll to print the settings for a new node, then start it with earshot node\n",
    );
    await register();
    await register({ id: "fedcba9876543210", name: "paris", evidence: "none", capabilities: [] });
    const { out } = await earshot("nodes", "list");
    expect(out).toMatch(/^ID +NAME +STATE +CONNECTED +EVIDENCE +PLATFORMS +JOBS +FAILED +SEEN\n/);
    expect(out).toMatch(
      /^0123456789abcdef +berlin\[31m +pending +no +tdx +bluesky,x +0 +0 +2026-01-02 03:04$/m,
    );
    expect(out).toMatch(/^fedcba9876543210 +paris +pending +no +NONE +none /m);
    expect((await json("nodes", "list"))[0]).toEqual((await json("nodes", "show", id))[0]);
    expect((await json("nodes", "show", id))[0]).toMatchObject({
      id,
      state: "pending",
      machine: "machine-1",
      listed: false,
      attested_at: "2026-01-02T03:04:05.000Z",
    });
    const details = (await earshot("nodes", "show", id)).out;
    expect(details).toMatch(/^machine +machine-1, not listed in the policy$/m);
    expect(details).toMatch(/^x +getbyid \(api, archive\)$/m);
    expect(out + details).not.toContain("\u001b");
  });

  test("nodes list and nodes show report an approved node as connected if it contacted the gateway recently", async () => {
    await register({ nowMs: Date.now() });
    await register({ id: "fedcba9876543210", nowMs: Date.now() - 60_000 });
    expect((await json("nodes", "list"))[0]).toMatchObject({ connected: false });
    await earshot("nodes", "approve", id);
    await earshot("nodes", "approve", "fedcba9876543210");
    const connectedFlags = (await json("nodes", "list")).map((node) => [node.id, node.connected]);
    expect(Object.fromEntries(connectedFlags)).toEqual({ [id]: true, fedcba9876543210: false });
    expect((await earshot("nodes", "show", id)).out).toMatch(/^connected +yes$/m);
  });

  test("nodes show, approve, drain and remove fail for an unknown node", async () => {
    for (const word of ["show", "approve", "drain", "remove"]) {
      const { code, notes } = await earshot("nodes", word, "nobody");
      expect(code).toBe(1);
      expect(notes).toMatch(
        /^earshot: node "nobody" not found – find its id with earshot nodes list --all/,
      );
    }
  });
});

describe("a node", () => {
  const state = async () => (await json("nodes", "show", id))[0].state;

  test("a node is approved, drained, approved again and removed, each with an audit entry", async () => {
    await register();
    const earlyDrain = await earshot("nodes", "drain", id);
    expect(earlyDrain).toMatchObject({ code: 1 });
    expect(earlyDrain.notes).toMatch(/awaits approval – use earshot nodes approve or/);
    expect((await earshot("nodes", "approve", id)).out).toMatch(
      /^node 0123456789abcdef \(berlin\[31m\) was approved; it will get/,
    );
    expect(await state()).toBe("approved");
    await earshot("nodes", "drain", id);
    expect(await state()).toBe("draining");
    await earshot("nodes", "approve", id);
    await earshot("nodes", "remove", id);
    expect(await state()).toBe("removed");
    expect((await earshot("nodes", "list")).notes).toBe(
      "all nodes have been removed – list them with earshot nodes list --all\n",
    );
    expect(await json("nodes", "list")).toEqual([]);
    expect((await earshot("nodes", "list", "--all")).out).toMatch(/^0123456789abcdef .* removed /m);
    const lateApproval = await earshot("nodes", "approve", id);
    expect(lateApproval).toMatchObject({ code: 1 });
    expect(lateApproval.notes).toMatch(/was removed permanently – delete node\.key/);
    expect((await json("audit")).map(({ action }) => action)).toEqual([
      "node_removed",
      "node_approved",
      "node_drained",
      "node_approved",
    ]);
    expect((await json("nodes", "events", id)).map(({ action }) => action)).toEqual([
      "removed",
      "approved",
      "draining",
      "approved",
    ]);
  });

  test("removing a node that the policy still lists prints a warning", async () => {
    await register({ isListed: true });
    const { out, notes } = await earshot("nodes", "remove", id);
    expect(out).toContain("removed permanently");
    expect(notes).toContain("the policy still lists this node's machine – remove the machine");
  });

  test("approving a node reports when it gets jobs, depending on its previous state", async () => {
    await register();
    const approve = async () => (await earshot("nodes", "approve", id)).out;
    expect(await approve()).toMatch(/it will get jobs once it attests again, within seconds\n$/);
    expect(await approve()).toMatch(/already approved; it can now move/);
    await earshot("nodes", "drain", id);
    expect(await approve()).toMatch(
      /it will get jobs again, within a second if it is connected\n$/,
    );
    const untilMs = Date.UTC(2999, 0, 1);
    await runWithControl((control) =>
      control.run("quarantineNode", { id, untilMs, reason: "slow", nowMs }),
    );
    expect(await approve()).toMatch(
      /it will get jobs again, within a second if it is connected\n$/,
    );
  });

  test("a quarantined node is shown as such and resumed by approving it", async () => {
    await register();
    await earshot("nodes", "approve", id);
    const untilMs = Date.UTC(2999, 0, 1);
    const reason = "3 failures\nwithin ten minutes";
    await runWithControl((control) =>
      control.run("quarantineNode", { id, untilMs, reason, nowMs }),
    );
    expect(await state()).toBe("quarantined");
    expect((await earshot("nodes", "show", id)).out).toMatch(
      /^quarantined +until 2999-01-01T00:00:00\.000Z: 3 failures within ten minutes$/m,
    );
    await earshot("nodes", "approve", id);
    expect(await state()).toBe("approved");
  });
});

test("nodes events lists an event of an unknown node", async () => {
  expect((await earshot("nodes", "events")).notes).toBe("no events yet\n");
  await runWithControl(async (control) => {
    const event = { atMs: nowMs, action: "refused", detail: "tcb_status: old" } as const;
    await control.run("recordNodeEvents", { events: [{ ...event, nodeId: null }] });
  });
  expect((await earshot("nodes", "events")).out).toBe(
    "2026-01-02T03:04:05Z  unknown node  refused  tcb_status: old\n",
  );
  expect(await json("nodes", "events", id)).toEqual([]);
});

test("the gateway key is stable, and depends on the secret key", async () => {
  const { out } = await earshot("nodes", "key");
  expect(out).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
  expect((await earshot("nodes", "key")).out).toBe(out);
  const secretKey = Buffer.alloc(32, 1).toString("base64");
  const otherOutcome = await runCommand(["nodes", "key"], {
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_SECRET_KEY: secretKey,
  });
  expect(otherOutcome.out).not.toBe(out);
});

test("nodes enroll prints the settings for a node of this server", async () => {
  const key = (await earshot("nodes", "key")).out.trim();
  const { out } = await earshot("nodes", "enroll");
  const [, token] =
    /^EARSHOT_NODE_GATEWAY_KEY=.{43}\nEARSHOT_NODE_ENROLMENT_TOKEN=([\w-]{43})\n$/.exec(out) ?? [];
  expect(token).not.toBe(key);
  const otherOutcome = await runCommand(["nodes", "enroll"], {
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_PUBLIC_URL: "https://earshot.example",
  });
  expect(otherOutcome.out).toContain(
    `EARSHOT_NODE_GATEWAY=https://earshot.example\nEARSHOT_NODE_GATEWAY_KEY=${key}\nEARSHOT_NODE_ENROLMENT_TOKEN=${token}\n`,
  );
});

test("a simulated TEE is written with its settings and a warning", async () => {
  const folder = join(dataDir, "tee");
  const { out, notes } = await earshot("nodes", "simulate", folder);
  expect(notes).toMatch(/^SIMULATED: this evidence proves nothing/);
  const settings = new Map(
    out
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
  expect(settings.get("EARSHOT_NODES_EVIDENCE")).toBe("tdx,simulated");
  const policy = JSON.parse(readFileSync(settings.get("EARSHOT_NODES_POLICY") ?? "", "utf8"));
  expect(policy.simulated_root).toMatch(/^-----BEGIN/);
  expect(notes).toContain(join(folder, "tee.json"));
});

test("nodes without a subcommand is a usage error", async () => {
  expect(await earshot("nodes")).toMatchObject({ code: 2, out: "" });
});
