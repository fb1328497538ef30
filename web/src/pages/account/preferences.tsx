import { useEffect, useState } from "preact/compat";
import { type Option, Segmented } from "../../components/field.tsx";
import { areSingleKeysOn, setSingleKeys } from "../../single-keys.ts";
import { readTheme, setTheme, type Theme } from "../../theme.ts";

const themes: readonly Option<Theme>[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

type Switch = "on" | "off";
const switches: readonly Option<Switch>[] = [
  { value: "on", label: "On" },
  { value: "off", label: "Off" },
];

/** Preferences stored in this browser. */
export function Preferences() {
  const theme = useTheme();
  const [singleKeys, setKeys] = useState<Switch>(() => (areSingleKeysOn() ? "on" : "off"));
  const pickKeys = (picked: Switch) => {
    setSingleKeys(picked === "on");
    setKeys(picked);
  };
  return (
    <section className="panel" aria-label="Preferences">
      <ul className="list">
        <li>
          <div>
            <h2>Appearance</h2>
            <p>Follows your system by default.</p>
          </div>
          <Segmented<Theme> legend="Theme" options={themes} value={theme} onPick={setTheme} />
        </li>
        <li>
          <div>
            <h2>Single-key shortcuts</h2>
            <p>
              Keys such as <kbd>/</kbd>, <kbd>j</kbd> and <kbd>g</kbd> <kbd>k</kbd>; <kbd>?</kbd>{" "}
              lists them. Turn them off if you use speech input.
            </p>
          </div>
          <Segmented<Switch>
            legend="Single-key shortcuts"
            options={switches}
            value={singleKeys}
            onPick={pickKeys}
          />
        </li>
      </ul>
    </section>
  );
}

function useTheme(): Theme {
  const [theme, setCurrent] = useState(readTheme);
  useEffect(() => {
    const listen = () => setCurrent(readTheme());
    window.addEventListener("earshot-theme", listen);
    return () => window.removeEventListener("earshot-theme", listen);
  }, []);
  return theme;
}
