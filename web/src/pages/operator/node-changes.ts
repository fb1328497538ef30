import type { NodeListing } from "../../../../src/http/dashboard/contract/operator.ts";

export type NodeChange = "approve" | "drain" | "remove";

export function allowedNodeChanges({
  state,
}: Pick<NodeListing, "state">): readonly { change: NodeChange; text: string }[] {
  const remove = { change: "remove", text: "Remove" } as const;
  const drain = { change: "drain", text: "Drain" } as const;
  switch (state) {
    case "pending":
      return [{ change: "approve", text: "Approve" }, remove];
    case "draining":
      return [{ change: "approve", text: "Resume" }, remove];
    case "quarantined":
      return [{ change: "approve", text: "End quarantine" }, drain, remove];
    default:
      return [drain, remove];
  }
}
