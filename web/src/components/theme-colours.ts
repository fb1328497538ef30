import { useEffect, useState } from "preact/compat";

/** Colours for canvas drawing. */
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

/** Increases with each change of the theme. */
export function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const onChange = () => setChanges((before) => before + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    window.addEventListener("earshot-theme", onChange);
    system.addEventListener("change", onChange);
    return () => {
      window.removeEventListener("earshot-theme", onChange);
      system.removeEventListener("change", onChange);
    };
  }, []);
  return changes;
}
