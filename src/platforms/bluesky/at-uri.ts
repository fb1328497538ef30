export { isTid, tidMs } from "../../posts/ids.ts";

export type AtUri = { did: string; collection: string; rkey: string };

const didPattern = /^did:[a-z]{1,32}:[A-Za-z0-9._:%-]{0,500}[A-Za-z0-9._-]$/;
const collectionPattern =
  /^[A-Za-z][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){1,8}\.[A-Za-z][A-Za-z0-9]{0,62}$/;
const rkeyPattern = /^[A-Za-z0-9._:~-]{1,512}$/;
const handlePattern =
  /^(?=.{3,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** https://atproto.com/specs/did and …/handle, …/record-key, …/nsid, …/tid. */
export const isDid = (text: string): boolean => didPattern.test(text);
export const isHandle = (text: string): boolean => handlePattern.test(text);
const isCollection = (text: string): boolean => collectionPattern.test(text);
export const isRkey = (text: string): boolean =>
  rkeyPattern.test(text) && text !== "." && text !== "..";

export function parseAtUri(text: string): AtUri | null {
  if (!text.startsWith("at://") || text.length > 1200) return null;
  const parts = text.slice("at://".length).split("/");
  const [did = "", collection = "", rkey = ""] = parts;
  if (parts.length !== 3 || !isDid(did) || !isCollection(collection) || !isRkey(rkey)) return null;
  return { did, collection, rkey };
}
