/**
 * Loads hyparquet-writer, an optional peer dependency, when the first Parquet table is created. The rest of
 * `siteatlas/output` works without it.
 */
import type * as hyparquetWriter from "hyparquet-writer";

export type ParquetPackage = typeof hyparquetWriter;

const HOW_TO_INSTALL =
  "Parquet files need the package hyparquet-writer, which is not installed: npm install hyparquet-writer";

let loaded: ParquetPackage | undefined;

/** Returns the package if it is already loaded. Then a table can write its first row group synchronously. */
export function loadedParquetPackage(): ParquetPackage | undefined {
  return loaded;
}

/** Loads the package. @throws {Error} with the command that installs the package, if it is missing */
export async function loadParquetPackage(
  load: () => Promise<ParquetPackage> = () => import("hyparquet-writer"),
): Promise<ParquetPackage> {
  try {
    loaded ??= await load();
    return loaded;
  } catch (cause) {
    throw isMissing(cause) ? new Error(HOW_TO_INSTALL, { cause }) : cause;
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "ERR_MODULE_NOT_FOUND";
}
