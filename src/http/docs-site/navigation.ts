import type { OpenApi } from "./open-api.ts";
import { referenceNames, referenceTitle } from "./reference.ts";

export type NavigationEntry = { path: string; title: string };

export type NavigationGroup = { title: string; entries: readonly NavigationEntry[] };

export function makeNavigation(api: OpenApi): readonly NavigationGroup[] {
  const referenceEntries = referenceNames(api).map((name) =>
    name === "README"
      ? { path: "/reference", title: "All endpoints" }
      : { path: `/reference/${name}`, title: referenceTitle(name) },
  );
  return [
    makeGroup("Start", [
      ["", "Overview"],
      ["/quickstart", "Quickstart"],
      ["/guides", "Guides"],
    ]),
    makeGroup("Search posts", [
      ["/api", "The API"],
      ["/query-language", "Query language"],
      ["/platforms", "Platforms"],
      ["/mcp", "AI agents (MCP)"],
      ["/webhooks", "Webhooks"],
      ["/dashboard", "Dashboard"],
      ["/errors", "Errors"],
      ["/errors/details", "Error details"],
      ["/errors/warnings", "Warnings"],
      ["/errors/job-failures", "Job failures"],
    ]),
    { title: "API reference", entries: referenceEntries },
    makeGroup("Fill the archive", [
      ["/live-stream", "Live stream"],
      ["/backfill", "Backfill"],
      ["/import", "Import"],
    ]),
    makeGroup("Run a server", [
      ["/operations", "Operations"],
      ["/configuration", "Configuration"],
      ["/configuration-advanced", "Advanced settings"],
      ["/commands", "Commands"],
      ["/credentials", "Credentials"],
      ["/metrics", "Metrics"],
      ["/scaling", "Several gateways"],
      ["/performance", "Performance"],
      ["/sealed-index", "Sealed index"],
    ]),
    makeGroup("Remote nodes", [
      ["/attestation", "Attestation"],
      ["/nodes", "Node protocol"],
      ["/hardware-acceptance", "First run on TDX"],
    ]),
    makeGroup("Contribute", [
      ["/glossary", "Glossary"],
      ["/executors", "Executors"],
      ["/decisions", "Decisions"],
    ]),
  ];
}

function makeGroup(
  title: string,
  entries: readonly (readonly [path: string, title: string])[],
): NavigationGroup {
  return { title, entries: entries.map(([path, name]) => ({ path, title: name })) };
}
