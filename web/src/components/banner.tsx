import "./banner.css";
import { Link } from "wouter";
import { insecureBanner } from "../insecure-evidence.ts";
import { useSession } from "../session.tsx";

/** Scrolls if the status page is already open; otherwise that page scrolls once loaded. */
function showNodes(): void {
  document.getElementById("nodes")?.scrollIntoView();
}

/** Permanent warning on every page while unverified evidence is accepted. */
export function InsecureBanner() {
  const { session } = useSession();
  const banner = insecureBanner(session?.insecure_evidence ?? []);
  if (banner === null) return null;
  return (
    <div className="banner" role="region" aria-label="Unverified nodes">
      <strong>{banner.label}</strong>
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
