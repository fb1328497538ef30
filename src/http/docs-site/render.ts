export { problemPage } from "../problems/page.ts";
export { htmlPage } from "./html-page.ts";
export { linksAsServed } from "./links-as-served.ts";
export { renderMarkdown } from "./markdown-page.ts";
export { referenceOf } from "./reference.ts";
