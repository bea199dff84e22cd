/** The optional peer dependency hyparquet-writer: loaded on demand, and an error that helps if it is missing. */
import { afterEach, describe, expect, it, vi } from "vitest";

const missing = Object.assign(new Error("Cannot find package 'hyparquet-writer'"), {
  code: "ERR_MODULE_NOT_FOUND",
});
const columns = [{ name: "id", type: "integer" as const, value: (id: number) => id }];

afterEach(() => {
  vi.resetModules();
  vi.doUnmock("hyparquet-writer");
  vi.doUnmock("../../src/output/parquet-package.ts");
});

it("is not loaded by the module siteatlas/output", async () => {
  let isLoaded = false;
  vi.doMock("hyparquet-writer", async (importOriginal) => {
    isLoaded = true;
    return importOriginal();
  });
  const { ParquetTable, toRecord } = await import("../../src/output/index.ts");
  expect(toRecord({ url: "https://a.example/" }, "https://a.example/sitemap.xml").kind).toBe("page");
  expect(isLoaded).toBe(false);
  await ParquetTable.load();
  expect(isLoaded).toBe(true);
});

describe("without the package", () => {
  it("the error names it and the command that installs it", async () => {
    const { loadedParquetPackage, loadParquetPackage } = await import("../../src/output/parquet-package.ts");
    await expect(loadParquetPackage(() => Promise.reject(missing))).rejects.toThrow(
      "Parquet files need the package hyparquet-writer, which is not installed: npm install hyparquet-writer",
    );
    expect(loadedParquetPackage()).toBeUndefined();
  });

  it("an error inside the package stays as it is", async () => {
    const { loadParquetPackage } = await import("../../src/output/parquet-package.ts");
    const broken = new SyntaxError("Unexpected token");
    await expect(loadParquetPackage(() => Promise.reject(broken))).rejects.toBe(broken);
  });

  it("load, add and end throw it, and the sink is not called", async () => {
    const reason = new Error("no package");
    vi.doMock("../../src/output/parquet-package.ts", () => ({
      loadedParquetPackage: () => undefined,
      loadParquetPackage: () => Promise.reject(reason),
    }));
    const { ParquetTable } = await import("../../src/output/index.ts");
    await expect(ParquetTable.load()).rejects.toBe(reason);
    const write = vi.fn();
    const table = new ParquetTable({ write }, columns);
    await vi.waitFor(() => expect(() => table.add(1)).toThrow(reason));
    expect(table.failure).toBe(reason);
    await expect(table.end()).rejects.toBe(reason);
    await expect(new ParquetTable({ write }, columns).end()).rejects.toBe(reason);
    expect(write).not.toHaveBeenCalled();
  });
});

it("rows that were added before it was loaded are written", async () => {
  const { ParquetTable } = await import("../../src/output/index.ts");
  const pieces: Uint8Array[] = [];
  const table = new ParquetTable({ write: (bytes) => void pieces.push(bytes.slice()) }, columns);
  for (let id = 0; id < 50_001; id++) void table.add(id);
  expect(pieces.length).toBe(0);
  await table.end();
  expect(table.rowCount).toBe(50_001);
  expect(table.byteCount).toBe(Buffer.concat(pieces).length);
});
