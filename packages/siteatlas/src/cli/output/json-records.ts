/** Writes objects one by one, as lines (NDJSON) or as one array (JSON). */
import { jsonLine } from "../../escape/json.ts";
import type { TextOutput } from "./buffered-output.ts";

export interface JsonRecords {
  write(record: object): Promise<void>;
  /** Writes the end of the array. The output stays open. */
  end(): Promise<void>;
}

export function createJsonRecords(output: TextOutput, format: "ndjson" | "json"): JsonRecords {
  const isArray = format === "json";
  let hasRecords = false;
  return {
    write: async (record) => {
      const before = !isArray ? "" : hasRecords ? ",\n" : "[\n";
      hasRecords = true;
      await output.write(`${before}${jsonLine(record)}${isArray ? "" : "\n"}`);
    },
    end: async () => {
      if (isArray) await output.write(hasRecords ? "\n]\n" : "[]\n");
    },
  };
}
