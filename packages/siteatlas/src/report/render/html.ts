/**
 * Builds HTML from templates. Every inserted text is escaped, unless it is `Html` itself, so that text of a site cannot
 * become markup.
 */
import { htmlText } from "../../escape/html.ts";

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Inserted = Html | string | number | undefined | false | readonly Inserted[];

/** A template: html`<p>${text}</p>`. Attribute values must be in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Inserted[]): Html {
  let text = parts[0]!;
  for (const [index, value] of values.entries()) text += insertedText(value) + parts[index + 1]!;
  return new Html(text);
}

function insertedText(value: Inserted): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(insertedText).join("");
  // In an attribute value, a tab or a line break is harmless: htmlText escapes both kinds of quotes.
  return typeof value === "number" ? String(value) : htmlText(value);
}

/** A coordinate with at most one decimal. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A card of the page with a heading. */
export function card(id: string, title: string, lead: Html | string, ...content: readonly Inserted[]): Html {
  return html`<section class="card" id="${id}" aria-labelledby="${id}-h"><h2 id="${id}-h">${title}</h2>${lead !== "" && html`<p class="lead">${lead}</p>`}${content}</section>`;
}

/**
 * The numbers of a chart as a table, which is closed at first.
 *
 * @param total number of all rows. If it is larger than `rows`, the caption says so
 */
export function dataTable(
  name: string,
  head: readonly string[],
  rows: readonly (readonly Inserted[])[],
  total: number = rows.length,
): Html {
  const caption = rows.length < total ? `${name}, first ${rows.length} of ${total}` : name;
  const line = (cells: readonly Inserted[]): Html =>
    html`<tr><th scope="row">${cells[0]}</th>${cells.slice(1).map((cell) => html`<td class="n">${cell}</td>`)}</tr>`;
  const titles = head.map(
    (name, index) => html`<th scope="col"${index > 0 && new Html(' class="n"')}>${name}</th>`,
  );
  return html`<details><summary>Table: ${caption}</summary>${scrollable(caption, html`<table><caption class="sr">${caption}</caption><thead><tr>${titles}</tr></thead><tbody>${rows.map(line)}</tbody></table>`)}</details>`;
}

/** A part that can be scrolled sideways on a phone, also with the keyboard. */
export function scrollable(label: string, content: Html): Html {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">${content}</div>`;
}

/** Text of a site. Its direction does not change the text around it. */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}
