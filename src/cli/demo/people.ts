import type { Platform } from "../../posts/post.ts";

export type Person = { platform: Platform; handle: string; id: string; name: string };

/**
 * No real user has these handles: they use reserved domains on Bluesky and Mastodon, and end in
 * `_demo` on X.
 */
export const people: Readonly<Record<string, Person>> = {
  mira: { platform: "x", handle: "mira_demo", id: "9100000001", name: "Mira Ojala" },
  halden: { platform: "x", handle: "halden_demo", id: "9100000002", name: "Halden Observatory" },
  ferries: { platform: "x", handle: "ferries_demo", id: "9100000003", name: "Lumen Ferries" },
  tomas: { platform: "x", handle: "tomas_demo", id: "9100000004", name: "Tomás Arkell" },
  hoshi: { platform: "x", handle: "hoshi_demo", id: "9100000005", name: "星野 灯" },
  daw: { platform: "x", handle: "daw_demo", id: "9100000006", name: "ดาว ชายฝั่ง" },
  layla: { platform: "x", handle: "layla_demo", id: "9100000007", name: "ليلى المرفأ" },
  radio: { platform: "x", handle: "radio_demo", id: "9100000008", name: "Radio Lumen 88.1" },
  lena: { platform: "x", handle: "lena_demo", id: "9100000009", name: "Лена Приморская" },
  ines: bluesky("ines", "Inês Valadar"),
  jun: bluesky("jun", "백준호"),
  otto: bluesky("otto", "Otto Brandhagen"),
  amara: bluesky("amara", "Amara Osei-Lund"),
  akari: bluesky("akari", "灯台あかり"),
  kestrel: bluesky("kestrel", "Kestrel-2 Project"),
  harbour: bluesky("harbour", "Harbour Camera (automatic)"),
  petra: mastodon("petra", "Petra Vinter"),
  bakery: mastodon("bakery", "The Night Bakery"),
  trams: mastodon("trams", "Port Lumen Trams"),
  nadia: mastodon("nadia", "Nadia K."),
  library: mastodon("library", "Port Lumen Library"),
  wei: mastodon("wei", "韦小舟"),
};

function bluesky(name: string, displayName: string): Person {
  const handle = `${name}.example.com`;
  return { platform: "bluesky", handle, id: `did:web:${handle}`, name: displayName };
}

function mastodon(name: string, displayName: string): Person {
  const handle = `${name}@social.example.org`;
  return {
    platform: "mastodon",
    handle,
    id: `https://social.example.org/users/${name}`,
    name: displayName,
  };
}
