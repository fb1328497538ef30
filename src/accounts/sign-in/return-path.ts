const home = "/dashboard";

/** So long is an address that a browser shows; anything longer was made by hand. */
const longest = 512;

/**
 * Where a sign-in leads back to: a path of the dashboard with its query, else its start. Whatever else is asked for, in whatever
 * way it is written, becomes the start: no link through here leads to another site.
 */
export function returnPath(asked: string | null): string {
  if (asked === null || asked.length > longest) return home;
  // Nothing that a browser would take out, decode, or read as another slash.
  if (!/^\/dashboard(?:[/?][\w\-.~/?&=+:,@!$'()*;%]*)?$/.test(asked)) return home;
  const parsed = URL.parse(asked, "http://here.invalid");
  if (parsed === null || parsed.host !== "here.invalid") return home;
  const { pathname, search } = parsed;
  const isBelow = pathname === home || pathname.startsWith(`${home}/`);
  const isDashboards = isBelow && !pathname.includes("//") && !pathname.startsWith(`${home}/api`);
  return isDashboards && !pathname.includes("%") ? `${pathname}${search}` : home;
}
