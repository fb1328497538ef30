const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
const anyEntity = /&(?:amp|lt|gt|quot|#39);/g;

/** Decodes once: `&amp;lt;` becomes `&lt;`. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(anyEntity, (entity) => entities[entity] ?? entity);
}
