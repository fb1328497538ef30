import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/utilities.css";
import "./styles/panel.css";
import "./components/brand.css";
import "./components/button.css";
import "./components/badge.css";
import "./components/state.css";
import "./components/banner.css";
import "./components/trace.css";
import "./components/plot-marks.css";
import "./components/code.css";
import "./components/query.css";
import "./components/platform-mark.css";
import "./components/post.css";
import "./landing.css";
import type { SessionResponse } from "../../src/http/dashboard/contract/session.ts";
import { insecureBanner } from "./insecure-evidence.ts";

/** Adds sign-in or dashboard links, and the warning banner. The page works without them. */
async function showSignInMethods(): Promise<void> {
  const response = await fetch("/dashboard/api/session").catch(() => null);
  if (response === null || !response.ok) return;
  // The contract defines the type.
  const session = (await response.json()) as SessionResponse;
  showBanner(session);
  const methods = document.querySelector("[data-ways]");
  const enterLink = document.querySelector<HTMLAnchorElement>("[data-enter]");
  const isSignedIn = session.signed_in !== null;
  if (session.providers.length === 0) document.querySelector("[data-key-at-once]")?.remove();
  if (isSignedIn && enterLink !== null) {
    enterLink.href = "/dashboard";
    enterLink.textContent = "Dashboard";
  }
  if (isSignedIn || session.providers.length === 0) {
    const href = isSignedIn ? "/dashboard" : "/dashboard/sign-in";
    methods?.replaceChildren(signInLink({ href, text: "Open the dashboard" }));
    return;
  }
  methods?.replaceChildren(
    ...session.providers.map(({ name, label }, index) =>
      signInLink({
        href: `/auth/${name}`,
        text: `Sign in with ${label}`,
        isSecondary: index > 0,
        icon: "#i-branch",
      }),
    ),
  );
}

/** Shows the same banner as the dashboard. */
function showBanner({ insecure_evidence: kinds }: SessionResponse): void {
  const notice = insecureBanner(kinds);
  if (notice === null) return;
  const banner = document.createElement("div");
  banner.className = "banner";
  banner.role = "region";
  banner.ariaLabel = "Unverified nodes";
  banner.append(
    makeElement("strong", notice.label),
    makeElement("span", notice.text),
    Object.assign(makeElement("a", "What attestation proves"), { href: "/docs/attestation" }),
  );
  document.querySelector(".skip")?.after(banner);
}

function makeElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

function signInLink({
  href,
  text,
  isSecondary = false,
  icon = null,
}: {
  href: string;
  text: string;
  isSecondary?: boolean;
  icon?: string | null;
}): HTMLAnchorElement {
  const link = document.createElement("a");
  link.className = "button";
  link.href = href;
  link.dataset.size = "large";
  if (!isSecondary) link.dataset.variant = "primary";
  if (icon !== null) link.append(createIcon(icon));
  link.append(text);
  return link;
}

function createIcon(symbol: string): SVGSVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(namespace, "use");
  use.setAttribute("href", symbol);
  svg.append(use);
  return svg;
}

void showSignInMethods();
