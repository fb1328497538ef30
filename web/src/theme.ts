export type Theme = "system" | "light" | "dark";

const storageKey = "earshot-theme";

export function readTheme(): Theme {
  const storedTheme = readStored(storageKey);
  return storedTheme === "light" || storedTheme === "dark" ? storedTheme : "system";
}

/** Also stores the theme, and notifies listeners such as plots. */
export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  writeStored(storageKey, theme === "system" ? null : theme);
  window.dispatchEvent(new Event("earshot-theme"));
}

export function switchTheme(): void {
  const { theme } = document.documentElement.dataset;
  const isDark =
    theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  setTheme(isDark ? "light" : "dark");
}

/** Null if unset or storage is unavailable. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Without storage, the setting lasts until the page is closed.
  }
}
