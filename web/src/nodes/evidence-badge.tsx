import type { NodeStatusResponse } from "../../../src/http/dashboard/contract/status.ts";
import { Badge } from "../components/badge.tsx";
import type { Tone } from "../components/note.tsx";

const tones: Readonly<Record<NodeStatusResponse["evidence"], Tone | undefined>> = {
  tdx: "accent",
  simulated: "caution",
  none: undefined,
};

const labels: Readonly<Record<NodeStatusResponse["evidence"], string>> = {
  tdx: "tdx",
  simulated: "simulated",
  none: "no evidence",
};

export function EvidenceBadge({ evidence }: { evidence: NodeStatusResponse["evidence"] }) {
  const tone = tones[evidence];
  return <Badge {...(tone === undefined ? {} : { tone })}>{labels[evidence]}</Badge>;
}
