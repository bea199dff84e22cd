/** The events of a document from the scanner and from saxes, in one format. */
import { SaxesParser } from "saxes";
import type { Report } from "../../src/model/issue-log.ts";
import type { ElementName } from "../../src/parse/xml/element-names.ts";
import { type XmlReader, XmlScanner } from "../../src/parse/xml/scanner.ts";

/** A start tag with its attributes, an end tag, the text between two tags, or an issue. */
export type XmlEvent = readonly [kind: "open" | "close" | "text" | "issue", ...rest: readonly unknown[]];

export interface ScanOptions {
  /** With or without the markup cache. */
  readonly learn: boolean;
  /** Splits the document. */
  readonly chunks?: (bytes: Uint8Array) => Iterable<Uint8Array>;
}

/** All events of the scanner: every tag, and every text between two tags. */
export function scannerEvents(bytes: Uint8Array, options: ScanOptions): XmlEvent[] {
  const events: XmlEvent[] = [];
  scan(bytes, options, new EverythingRecorder(events), () => {});
  return events;
}

/**
 * The events for a reader that captures the text of some elements only, as the format readers do: all markup
 * between two such texts is one separator. Issues are among the events.
 */
export function chosenEvents(
  bytes: Uint8Array,
  wants: (name: string) => boolean,
  options: ScanOptions,
): XmlEvent[] {
  const events: XmlEvent[] = [];
  scan(bytes, options, new ChoosingRecorder(events, wants), (...issue) => events.push(["issue", ...issue]));
  return events;
}

function scan(bytes: Uint8Array, options: ScanOptions, recorder: Recorder, report: Report): void {
  const scanner = new XmlScanner(recorder, report, { learn: options.learn });
  recorder.scanner = scanner;
  for (const chunk of options.chunks?.(bytes) ?? [bytes]) scanner.feed(chunk);
  if (scanner.end()) recorder.events.push(["issue", "the document ends early"]);
}

const decoder = new TextDecoder();

abstract class Recorder implements XmlReader {
  scanner: XmlScanner | undefined;
  readonly events: XmlEvent[];

  constructor(events: XmlEvent[]) {
    this.events = events;
  }

  abstract open(element: ElementName): void;
  abstract close(element: ElementName, implied: boolean): void;

  looseText(): boolean {
    return false;
  }

  doctype(): void {}

  addOpen(name: string): void {
    this.events.push(["open", name, this.scanner!.attributes.entries()]);
  }

  takeText(): void {
    this.scanner!.stopText();
    addText(this.events, this.scanner!.text.toString());
  }
}

class EverythingRecorder extends Recorder {
  #depth = 0;

  open(element: ElementName): void {
    if (this.#depth++ > 0) this.takeText();
    this.addOpen(decoder.decode(element.bytes));
    this.scanner!.startText();
  }

  close(element: ElementName): void {
    this.takeText();
    this.events.push(["close", decoder.decode(element.bytes)]);
    if (--this.#depth > 0) this.scanner!.startText();
  }
}

class ChoosingRecorder extends Recorder {
  readonly #wants: (name: string) => boolean;
  /** The element whose text is captured. */
  #inside: ElementName | undefined;

  constructor(events: XmlEvent[], wants: (name: string) => boolean) {
    super(events);
    this.#wants = wants;
  }

  open(element: ElementName): void {
    const name = decoder.decode(element.bytes);
    const isWanted = this.#wants(name);
    if (isWanted) this.#endText();
    this.addOpen(name);
    if (!isWanted) return;
    this.#inside = element;
    this.scanner!.startText();
  }

  close(element: ElementName, implied: boolean): void {
    if (this.#inside?.fold === element.fold) this.#endText();
    this.events.push(["close", decoder.decode(element.bytes), implied, this.scanner!.line]);
  }

  #endText(): void {
    if (this.#inside !== undefined) this.takeText();
    this.#inside = undefined;
  }
}

/** The events of saxes for a well-formed document. Throws on any other. */
export function saxesEvents(document: string): XmlEvent[] {
  const events: XmlEvent[] = [];
  const parser = new SaxesParser({ xmlns: false });
  let depth = 0;
  let text = "";
  const flush = (): void => {
    if (depth > 0) addText(events, text);
    text = "";
  };
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("text", (data) => {
    text += data;
  });
  parser.on("cdata", (data) => {
    text += data;
  });
  parser.on("opentag", ({ name, attributes }) => {
    flush();
    depth++;
    events.push(["open", name, Object.entries(attributes)]);
  });
  parser.on("closetag", ({ name }) => {
    flush();
    depth--;
    events.push(["close", name]);
  });
  parser.write(document).close();
  return events;
}

function addText(events: XmlEvent[], text: string): void {
  if (text !== "") events.push(["text", text]);
}
