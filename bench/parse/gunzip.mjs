/**
 * The floor: streaming gunzip that only counts its bytes, and gunzip with our parser behind it. zlib works on
 * another thread, so it is wall-clock time that counts here. Both get the same 64 KiB chunks of compressed
 * bytes, and both inflate into chunks of 64 KiB (zlib's own default of 16 KiB is slower).
 */
import { once } from "node:events";
import { createGunzip } from "node:zlib";

const CHUNK_SIZE = 64 * 1024;
const dist = new URL("../../packages/siteatlas/dist/", import.meta.url);

/** Gives the number of bytes. */
export async function gunzipAlone(buffers) {
  let size = 0;
  const gunzip = createGunzip({ chunkSize: CHUNK_SIZE });
  gunzip.on("data", (chunk) => {
    size += chunk.length;
  });
  const end = once(gunzip, "end");
  for (const buffer of buffers) if (!gunzip.write(buffer)) await once(gunzip, "drain");
  gunzip.end();
  await end;
  return { count: size, held: gunzip };
}

/** The function it gives returns the number of pages, and the parser for the worker to hold. */
export async function loadGunzipAndParse() {
  const [{ decompress }, { DocumentParser }] = await Promise.all([
    import(new URL("decode/inflate.js", dist).href),
    import(new URL("parse/document.js", dist).href),
  ]);
  const url = "https://www.example.com/sitemap.xml.gz";
  let open;
  return async (buffers) => {
    if (open === undefined) {
      open = decompress(eachOf(buffers), { url, report: () => {}, onCut: () => {} });
      await open.next();
    }
    let pages = 0;
    const parser = new DocumentParser({
      url,
      strict: false,
      isText: false,
      onPage: () => {
        pages++;
      },
      onChild: () => {},
    });
    for await (const chunk of decompress(eachOf(buffers), {
      url,
      report: parser.log.report,
      onCut: () => {},
    })) {
      parser.push(chunk);
    }
    parser.end(false);
    return { count: pages, held: [parser, open] };
  };
}

async function* eachOf(buffers) {
  yield* buffers;
}
