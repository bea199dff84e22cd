/**
 * A webhook in its own process that behaves badly: `node receiver.mjs PORT LOG SEED`. It writes each request that it
 * applies to LOG. Of all requests, some are refused, some are applied and then refused or cut, some are answered late,
 * and a few end the process.
 */
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const [port = "", log = "", seedText = "1"] = process.argv.slice(2);
let seed = Number(seedText);
function random() {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return seed / 2 ** 32;
}

createServer(async (request, response) => {
  const body = await text(request).catch(() => undefined);
  if (body === undefined) return;
  const chance = random();
  if (chance < 0.15) return response.writeHead(500).end();
  const {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  } = request.headers;
  appendFileSync(log, `${JSON.stringify({ id, timestamp, signature, body })}\n`);
  if (chance < 0.25) return response.writeHead(500).end();
  if (chance < 0.3) return response.destroy();
  if (chance < 0.32) process.exit(1);
  if (chance < 0.42) return setTimeout(() => response.writeHead(204).end(), 200 * random());
  response.writeHead(204).end();
}).listen(Number(port), "127.0.0.1");
