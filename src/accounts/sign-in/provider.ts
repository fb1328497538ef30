const providerNames = ["github", "gitlab"] as const;

/** A code host that people sign in with. */
export type ProviderName = (typeof providerNames)[number];

export function isProviderName(text: string): text is ProviderName {
  return providerNames.some((name) => name === text);
}
