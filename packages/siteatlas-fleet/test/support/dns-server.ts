/** A name server on loopback, for a few names. It counts the queries. */
import { createSocket } from "node:dgram";

export interface DnsServer {
  /** Its address with the port. */
  readonly address: string;
  /** The names of all queries for an IPv4 address. */
  readonly queries: string[];
  close(): void;
}

const A = 1;
const NXDOMAIN = 3;
const SERVFAIL = 2;

/**
 * @param answer the IPv4 address of a name, or what happens in place of an answer
 */
export async function startDnsServer(
  answer: (name: string) => string | "absent" | "failing" | "silent",
): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const queries: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    while (query[at]! > 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!));
      at += 1 + query[at]!;
    }
    const isA = query.readUInt16BE(at + 1) === A;
    const name = labels.join(".").toLowerCase();
    if (isA) queries.push(name);
    const found = answer(name);
    if (found === "silent") return;
    const code = found === "absent" ? NXDOMAIN : found === "failing" ? SERVFAIL : 0;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(isA && code === 0 ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const question = query.subarray(12, at + 5);
    const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...found.split(".").map(Number)]);
    socket.send(Buffer.concat([header, question, ...(isA && code === 0 ? [record] : [])]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return { address: `127.0.0.1:${socket.address().port}`, queries, close: () => socket.close() };
}
