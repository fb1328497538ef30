import * as z from "zod";
import { isoText } from "../../../lib/iso-time.ts";
import { isInsecure } from "../../../remote/evidence/evidence.ts";
import type { NodeView } from "../../../remote/gateway/gateway.ts";
import type { HttpContext } from "../../context.ts";
import { jsonResponse } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const readiness = z
  .strictObject({
    status: z.enum(["ready", "not ready", "stopping"]),
    archive: z.enum(["answers", "does not answer"]),
    storage: z.enum(["has room", "full"]).meta({
      description: "While the disk is full, submissions are refused with 503; reads work.",
    }),
    ingest: z.string().meta({ description: "State of the live stream, in words." }),
    ingest_status: z.enum(["off", "waiting", "connected", "paused"]),
    ingest_lag_ms: z.number().nullable(),
    labels: z.array(z.string()).meta({ description: "State of each labeler's stream." }),
    mastodon: z.string().meta({ description: "State of a Mastodon server's stream, in words." }),
    mastodon_status: z.enum(["off", "waiting", "connected", "paused"]),
    mastodon_last_event_at: z.iso.datetime().nullable().meta({
      description: "Time of its last event; null before the first.",
    }),
    look_up: z.string().meta({ description: "State of the account lookup." }),
    nodes: z.int().meta({ description: "Connected nodes in other processes." }),
    insecure_nodes: z.int().meta({
      description: "Those whose evidence proves nothing about their machine.",
    }),
  })
  .meta({
    id: "Readiness",
    examples: [
      {
        status: "ready",
        archive: "answers",
        storage: "has room",
        ingest: "off",
        ingest_status: "off",
        ingest_lag_ms: null,
        labels: [],
        mastodon: "off",
        mastodon_status: "off",
        mastodon_last_event_at: null,
        look_up: "off",
        nodes: 0,
        insecure_nodes: 0,
      },
    ],
  });

const timeText = (ms: number | null): string | null => (ms === null ? null : isoText(ms));

/** Pending nodes return no results. */
const isActive = ({ isConnected, state }: NodeView): boolean => isConnected && state !== "pending";

/**
 * Returns 200 while an archive reader responds, until shutdown, even without a live stream or with
 * a full disk.
 */
export function addReadyzRoute(app: TypedApp, context: HttpContext): void {
  app.route({
    method: "GET",
    url: "/readyz",
    schema: {
      operationId: "readyz",
      summary: "Check that searches are answered",
      tags: ["operation"],
      response: {
        200: jsonResponse("An archive reader responds.", readiness),
        503: jsonResponse("No archive reader has responded, or the server is stopping.", readiness),
      },
    },
    handler: async (_request, reply) => {
      const canRead = await context.canReadArchive();
      const isStopping = app.shutdown.isAnnounced();
      const ingest = context.ingest();
      const mastodon = context.mastodonStream();
      const nodes = context.nodes.nodes().filter(isActive);
      const body = {
        status: isStopping ? "stopping" : canRead ? "ready" : "not ready",
        archive: canRead ? "answers" : "does not answer",
        storage: context.isStoreFull() ? "full" : "has room",
        ingest: ingest?.detail ?? "off",
        ingest_status: ingest?.status ?? "off",
        ingest_lag_ms: ingest?.lagMs ?? null,
        labels: ingest?.labelers.map(({ detail }) => detail) ?? [],
        mastodon: mastodon?.detail ?? "off",
        mastodon_status: mastodon?.status ?? "off",
        mastodon_last_event_at: timeText(mastodon?.lastEventMs ?? null),
        look_up: ingest?.lookUp?.detail ?? "off",
        nodes: nodes.length,
        insecure_nodes: nodes.filter(({ evidence }) => isInsecure(evidence)).length,
      };
      return reply
        .code(canRead && !isStopping ? 200 : 503)
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(body));
    },
  });
}
