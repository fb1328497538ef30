import "./banner.css";
import { Link } from "wouter";
import { insecureBanner } from "../insecure-evidence.ts";
import { useSession } from "../session.tsx";

/** On the page that has them already; elsewhere that page shows them when it has come. */
function showNodes(): void {
  document.getElementById("nodes")?.scrollIntoView();
}

/** Above everything, on every page, while this server takes evidence that proves nothing. It cannot be closed. */
export function InsecureBanner() {
  const { session } = useSession();
  const banner = insecureBanner(session?.insecure_evidence ?? []);
  if (banner === null) return null;
  return (
    <div className="banner" role="region" aria-label="Unverified nodes">
      <strong>{banner.word}</strong>
      <span>{banner.text}</span>
      {session?.signed_in == null ? (
        <a href="/docs/attestation">What attestation proves</a>
      ) : (
        <Link href="/status#nodes" onClick={showNodes}>
          What attestation proves
        </Link>
      )}
    </div>
  );
}
