const home = "/dashboard";

/** The encrypted attempt must fit into a cookie. */
const maxLength = 2_048;

/** The requested dashboard page with its query, else the start page. Prevents open redirects. */
export function returnPath(requested: string | null): string {
  if (requested === null || requested.length > maxLength) return home;
  // Browsers strip or decode other characters, or treat them as a slash.
  if (!/^\/dashboard(?:[/?][\w\-.~/?&=+:,@!$'()*;%]*)?$/.test(requested)) return home;
  const parsed = URL.parse(requested, "http://here.invalid");
  if (parsed === null || parsed.host !== "here.invalid") return home;
  const { pathname, search } = parsed;
  const isInDashboard = pathname === home || pathname.startsWith(`${home}/`);
  const isPage = isInDashboard && !pathname.includes("//") && !pathname.startsWith(`${home}/api`);
  return isPage && !pathname.includes("%") ? `${pathname}${search}` : home;
}
