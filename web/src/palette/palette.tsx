import "../components/dialog.css";
import "../components/field.css";
import "./palette.css";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "preact/compat";
import { useLocation } from "wouter";
import type { KeysResponse } from "../../../src/http/dashboard/contract/keys.ts";
import { readHistory } from "../pages/playground/query-history.ts";
import { pagesFor } from "../pages.tsx";
import { useSignedIn } from "../session.tsx";
import { useApi } from "../use-api.ts";
import { matchingItems, type PaletteItem, paletteItems } from "./palette-items.ts";

/** Opens pages, past searches, keys and docs by name. Ctrl K. */
export function Palette({ onClose }: { onClose(): void }) {
  const { account } = useSignedIn();
  const [, navigate] = useLocation();
  const { data } = useApi<KeysResponse>("/dashboard/api/keys");
  const [text, setText] = useState("");
  const [selectedIndex, setSelectedIndex] = useState(0);
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const items = paletteItems({
    pages: pagesFor(account.role),
    searches: readHistory(account.id),
    keys: data?.keys ?? [],
  });
  const found = matchingItems(items, text);
  const open = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    onClose();
    if (item.isDocs) window.location.assign(item.address);
    else navigate(item.address);
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      setSelectedIndex((selectedIndex + step + found.length) % found.length);
    } else if (event.key === "Enter") open(found[selectedIndex]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      className="dialog palette"
      ref={dialog}
      aria-label="Go to"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <input
        className="input"
        type="text"
        role="combobox"
        aria-label="Go to a page, search, key or document"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${selectedIndex}`}
        placeholder="Go to a page, search, key or document"
        autoComplete="off"
        spellcheck={false}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setSelectedIndex(0);
        }}
        onKeyDown={press}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: HTML has no element for the listbox pattern */}
      <ul role="listbox" id={id} aria-label="Results">
        {found.map((item, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and handles the keys
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
          <li
            key={item.id}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: HTML has no element for the listbox pattern
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === selectedIndex}
            onClick={() => open(item)}
          >
            <span>{item.title}</span>
            <span className="quiet">{item.group}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p className="small quiet">Nothing found.</p> : null}
    </dialog>
  );
}
