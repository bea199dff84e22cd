/**
 * How the commands that list no pages write (`tree`, `find`, `stats`, `robots`): a text, one JSON object on
 * each line, or JSON as a whole. `--json` says so, or the name of the file.
 */
import { jsonLine } from "../sinks/json.ts";
import { type Format, formatOfFile } from "./output/file-format.ts";
import type { TextOutput } from "./output/text-output.ts";
import { namesJson, outputFile } from "./page-sink.ts";
import type { Run } from "./run.ts";
import { UsageError } from "./usage-error.ts";

export type TextFormat = "text" | "ndjson" | "json";

/** `text` are the formats that the command's own text passes for, besides `.txt`. */
export function chooseTextFormat({ settings, command }: Run, ...text: readonly Format[]): TextFormat {
  const file = outputFile(settings);
  if (settings.json) return namesJson(file) ? "json" : "ndjson";
  const named = file === undefined ? undefined : formatOfFile(file.replace(/\.gz$/i, ""));
  if (named === undefined || named === "urls" || text.includes(named)) return "text";
  if (named === "json" || named === "ndjson") return named;
  const endings = [".txt", ...text.map((format) => `.${format}`), ".json", ".ndjson"];
  throw new UsageError(
    `Cannot write ${file}: siteatlas ${command} has no ${named}`,
    `Name it ${endings.slice(0, -1).join(", ")} or ${endings.at(-1)}; siteatlas ls writes pages as ${named}`,
  );
}

/** Writes objects one by one, as lines or as one array. */
export class JsonRecords {
  readonly #output: TextOutput;
  readonly #isArray: boolean;
  #hasRecords = false;

  constructor(output: TextOutput, format: "ndjson" | "json") {
    this.#output = output;
    this.#isArray = format === "json";
  }

  async write(record: object): Promise<void> {
    const before = !this.#isArray ? "" : this.#hasRecords ? ",\n" : "[\n";
    this.#hasRecords = true;
    await this.#output.write(`${before}${jsonLine(record)}${this.#isArray ? "" : "\n"}`);
  }

  /** No more of them; the output itself goes on. */
  async end(): Promise<void> {
    if (this.#isArray) await this.#output.write(this.#hasRecords ? "\n]\n" : "[]\n");
  }
}
