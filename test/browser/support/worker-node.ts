import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configFrom } from "../../../src/server/config.ts";
import { type RemoteNode, startRemoteNode } from "../../../src/server/nodes/start-node.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { enrolmentTokenIn } from "../../../testkit/nodes/enrolment-token.ts";
import { stubUpstream } from "../../../testkit/upstreams/stub-upstream.ts";

export type WorkerNode = RemoteNode & {
  remove(): Promise<void>;
};

/** A node without evidence, the only one that supports X. */
export async function startWorkerNode(
  gateway: { url: string; dataDir: string },
  name: string,
): Promise<WorkerNode> {
  const dataDir = await mkdtemp(join(tmpdir(), "earshot-node-"));
  const config = configFrom({
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_INGEST: "off",
    EARSHOT_LOG_LEVEL: "silent",
    EARSHOT_BLUESKY_PUBLIC: "off",
    EARSHOT_NODE_EVIDENCE: "none",
    EARSHOT_NODE_GATEWAY: gateway.url,
    EARSHOT_NODE_ENROLMENT_TOKEN: enrolmentTokenIn(gateway.dataDir),
  });
  const post = makePost({
    platform: "x",
    nativeId: 1_992_051_549_127_380_992n,
    userId: "12",
    username: "ann",
    text: "The harbour gates close at 21:00",
    createdMs: Date.now() - 60_000,
  });
  const x = stubUpstream("x", { gettweets: [{ kind: "post", post }] });
  const node = await startRemoteNode(config, { name, upstreams: { x } });
  return {
    ...node,
    remove: async () => {
      await node.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
