/** Classes of verdicts in which siteatlas and the second reader of robots.txt differ. */
import { createVerdict, readRobots, rulesFor } from "./second-robots.mjs";

/** @typedef {import("./second-robots.mjs").Deviations} Deviations */

/** @type {Deviations} */
const ALL = {
  misspelledKeys: true,
  missingColons: true,
  indexFiles: true,
  invisibleCharacters: true,
};

/** @type {readonly (readonly [cls: string, deviations: Deviations])[]} */
const CLASSES = [
  ["a misspelled key", { misspelledKeys: true }],
  ["a line without its colon", { missingColons: true }],
  ["Allow: /a/index.html also allows /a/", { indexFiles: true }],
  ["invisible characters around a value", { invisibleCharacters: true }],
  ["several of these", ALL],
];

/**
 * The class of a verdict: the deviation with which the second reader has our verdict.
 * @param {{ text: string, url: URL, our: boolean, agent: string }} verdict
 */
export function verdictClass({ text, url, our, agent }) {
  return CLASSES.find(([, deviations]) => {
    const rules = rulesFor(readRobots(text, deviations), agent);
    return createVerdict(rules, deviations)(url) === our;
  })?.[0];
}
