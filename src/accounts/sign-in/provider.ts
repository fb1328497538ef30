const providerNames = ["github", "gitlab"] as const;

export type ProviderName = (typeof providerNames)[number];

export function isProviderName(text: string): text is ProviderName {
  return providerNames.some((name) => name === text);
}
