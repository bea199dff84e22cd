/**
 * A DNS server on loopback (RFC 1035, UDP) that responds as a case defines: with addresses, an alias, an error,
 * or not at all.
 */
import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";

/** The response for a name: IPv4 addresses, an alias, "no such name", or none. */
type DnsAnswer =
  | { readonly addresses: readonly string[] }
  | { readonly alias: string }
  | "no-such-name"
  | "silence";

/** The name is in lower case; `nth` counts the queries for it, from 1. */
export type DnsBehaviour = (name: string, type: number, nth: number) => DnsAnswer;

const TYPE_A = 1;
const TYPE_CNAME = 5;
const NAME_ERROR = 3;

/** Returns its port. Passes each query to `onQuestion`. */
export async function serveDns(behave: DnsBehaviour, onQuestion: (name: string) => void): Promise<number> {
  const counts = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    onQuestion(name);
    const nth = (counts.get(`${name} ${type}`) ?? 0) + 1;
    counts.set(`${name} ${type}`, nth);
    const answer = behave(name, type, nth);
    if (answer !== "silence") socket.send(writeAnswer(query, end, type, answer), from.port, from.address);
  });
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return (socket.address() as AddressInfo).port;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function writeAnswer(query: Buffer, end: number, type: number, answer: DnsAnswer): Buffer {
  const records: Buffer[] = [];
  if (typeof answer === "object" && "alias" in answer)
    records.push(record(TYPE_CNAME, writeName(answer.alias)));
  if (typeof answer === "object" && "addresses" in answer && type === TYPE_A) {
    for (const address of answer.addresses)
      records.push(record(TYPE_A, Buffer.from(address.split(".").map(Number))));
  }
  const head = Buffer.from(query.subarray(0, 12));
  // A response, authoritative, recursion available.
  head.writeUInt16BE(0x8580 | (answer === "no-such-name" ? NAME_ERROR : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, query.subarray(12, end), ...records]);
}

/** For the name of the query, not to be cached (time to live 0). */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function writeName(name: string): Buffer {
  const labels = name
    .split(".")
    .map((label) => Buffer.from(String.fromCharCode(label.length) + label, "latin1"));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
