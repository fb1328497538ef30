import { type ComponentType, lazy } from "preact/compat";
import type { IconName } from "./components/icons.tsx";

export type Page = {
  path: string;
  title: string;
  icon: IconName;
  group: "Search" | "Access" | "Service" | "Operator";
  /** The key after `g`. */
  key: string;
  component: ComponentType;
  load(): Promise<{ default: ComponentType }>;
};

/** In sidebar order. */
const pages: readonly Page[] = [
  {
    path: "/playground",
    title: "Playground",
    icon: "search",
    group: "Search",
    key: "p",
    ...onDemand(async () => (await import("./pages/playground/page.tsx")).PlaygroundPage),
  },
  {
    path: "/jobs",
    title: "Jobs",
    icon: "list",
    group: "Search",
    key: "j",
    ...onDemand(async () => (await import("./pages/jobs/page.tsx")).JobsPage),
  },
  {
    path: "/keys",
    title: "Keys",
    icon: "key",
    group: "Access",
    key: "k",
    ...onDemand(async () => (await import("./pages/keys/page.tsx")).KeysPage),
  },
  {
    path: "/usage",
    title: "Usage",
    icon: "bars",
    group: "Access",
    key: "u",
    ...onDemand(async () => (await import("./pages/usage/page.tsx")).UsagePage),
  },
  {
    path: "/credentials",
    title: "Credentials",
    icon: "plug",
    group: "Access",
    key: "c",
    ...onDemand(async () => (await import("./pages/credentials/page.tsx")).CredentialsPage),
  },
  {
    path: "/webhooks",
    title: "Webhooks",
    icon: "repeat",
    group: "Access",
    key: "w",
    ...onDemand(async () => (await import("./pages/webhooks/page.tsx")).WebhooksPage),
  },
  {
    path: "/status",
    title: "Status",
    icon: "pulse",
    group: "Service",
    key: "s",
    ...onDemand(async () => (await import("./pages/status/page.tsx")).StatusPage),
  },
  {
    path: "/account",
    title: "Account",
    icon: "person",
    group: "Service",
    key: "a",
    ...onDemand(async () => (await import("./pages/account/page.tsx")).AccountPage),
  },
  {
    path: "/accounts",
    title: "Accounts",
    icon: "people",
    group: "Operator",
    key: "o",
    ...onDemand(async () => (await import("./pages/operator/accounts-page.tsx")).AccountsPage),
  },
  {
    path: "/activity",
    title: "Activity",
    icon: "list",
    group: "Operator",
    key: "t",
    ...onDemand(async () => (await import("./pages/operator/activity-page.tsx")).ActivityPage),
  },
  {
    path: "/nodes",
    title: "Nodes",
    icon: "nodes",
    group: "Operator",
    key: "n",
    ...onDemand(async () => (await import("./pages/operator/nodes-page.tsx")).NodesPage),
  },
  {
    path: "/audit",
    title: "Audit log",
    icon: "log",
    group: "Operator",
    key: "l",
    ...onDemand(async () => (await import("./pages/operator/audit-page.tsx")).AuditPage),
  },
];

/** Loads the page for the address while the session is read. */
export function preloadPage(): void {
  const path = location.pathname.replace(/^\/dashboard/, "");
  const page = pages.find((other) => path === other.path || path.startsWith(`${other.path}/`));
  // The page itself reports a failed import.
  page?.load().catch(() => undefined);
}

function onDemand(load: () => Promise<ComponentType>): Pick<Page, "component" | "load"> {
  const loadPage = async () => ({ default: await load() });
  return { component: lazy(loadPage), load: loadPage };
}

export function pagesFor(role: "member" | "operator"): readonly Page[] {
  return role === "operator" ? pages : pages.filter(({ group }) => group !== "Operator");
}
