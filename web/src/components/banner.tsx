import "./banner.css";
import { Link } from "wouter";
import type { StatusAnswer } from "../../../src/http/dashboard/contract.ts";
import { useApi } from "../use-api.ts";

/** On the page that has them already; elsewhere that page shows them when it has come. */
function showNodes(): void {
  document.getElementById("nodes")?.scrollIntoView();
}

/** Above everything, on every page, while the evidence of a node is simulated. It cannot be closed. */
export function SimulatedBanner() {
  const { data } = useApi<StatusAnswer>("/dashboard/api/status?range=24h");
  const isSimulated = data?.nodes.some(({ evidence }) => evidence === "simulated") ?? false;
  if (!isSimulated) return null;
  return (
    <div className="banner" role="region" aria-label="Simulated attestation">
      <strong>SIMULATED</strong>
      <span>
        The nodes run on ordinary hardware under a root of our own making. It proves nothing about
        the machine, and every result says so.
      </span>
      <Link href="/status#nodes" onClick={showNodes}>
        What is proven
      </Link>
    </div>
  );
}
