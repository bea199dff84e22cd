/** llms.txt: nothing throws, URLs are safe and on the own site, the chunks make no difference, time is linear. */
import { parseLlmsTxt } from "../../../src/index.ts";
import { checkLinkDocument } from "../link-document.ts";

export function fuzz(data: Uint8Array): Promise<void> {
  return checkLinkDocument(parseLlmsTxt, "https://www.example.com/llms.txt", data);
}
