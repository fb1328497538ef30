import { useEffect, useState } from "preact/compat";

/** Colours of the current theme, for canvas drawing. */
export type ThemeColours = {
  accent: string;
  caution: string;
  danger: string;
  quiet: string;
  line: string;
  surface: string;
};

const properties = {
  accent: "--accent",
  caution: "--caution",
  danger: "--danger",
  quiet: "--ink-3",
  line: "--line",
  surface: "--surface",
} as const satisfies Record<keyof ThemeColours, string>;

/** Tokens have one colour per theme; a probe element resolves them. */
export function readColours(sibling: HTMLElement): ThemeColours {
  const probe = document.createElement("span");
  sibling.append(probe);
  const colour = (property: string): string => {
    probe.style.color = `var(${property})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    accent: colour(properties.accent),
    caution: colour(properties.caution),
    danger: colour(properties.danger),
    quiet: colour(properties.quiet),
    line: colour(properties.line),
    surface: colour(properties.surface),
  };
  probe.remove();
  return colours;
}

/** Grows when the theme changes. */
export function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const note = () => setChanges((before) => before + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    window.addEventListener("earshot-theme", note);
    system.addEventListener("change", note);
    return () => {
      window.removeEventListener("earshot-theme", note);
      system.removeEventListener("change", note);
    };
  }, []);
  return changes;
}
