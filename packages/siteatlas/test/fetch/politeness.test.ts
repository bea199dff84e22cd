import { setMaxListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Client } from "../../src/fetch/client/client.ts";
import { type GateRules, gateOf, HostGate, type Turn } from "../../src/fetch/politeness.ts";
import { loadedSiteOf } from "../../src/fetch/registrable-domain.ts";
import { watchLeftovers } from "../support/http-server.ts";

const HOST = "www.example.com";
const TWO: GateRules = { concurrency: 2, delayMs: 0 };
const { signal } = new AbortController();
setMaxListeners(0, signal);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Requests a slot for each host and returns the hosts that got one at once, in order. */
async function entered(gate: HostGate, hosts: readonly string[], rules: GateRules): Promise<string[]> {
  const inside: string[] = [];
  for (const host of hosts) gate.enter(host, rules, signal).then(() => inside.push(host));
  await wait(5);
  return inside;
}

/** Time moves only by `vi.advanceTimersByTimeAsync`, and starts at 0. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("gate", () => {
  // Runs first, before another test loads the list.
  it("loads the public suffix list only for a second name with the same last two labels", async () => {
    const gate = new HostGate();
    const hosts = [
      HOST,
      `${HOST}:8080`,
      `${HOST}.`,
      "www.example.org",
      "localhost",
      "a",
      "127.0.0.1",
      "[::1]:80",
    ];
    for (const host of hosts) await gate.enter(host, { concurrency: 9, delayMs: 0 }, signal);
    expect(loadedSiteOf()).toBeUndefined();
    // Sequential requests do not need the list.
    const { leave } = await gate.enter("a.example.net", TWO, signal);
    leave();
    await gate.enter("b.example.net", TWO, signal);
    expect(loadedSiteOf()).toBeUndefined();
    await gate.enter("cdn.example.com", { concurrency: 9, delayMs: 0 }, signal);
    expect(loadedSiteOf()).toBeDefined();
  });

  it("grants slots to two of 50 requests at a time, in order", async () => {
    const gate = new HostGate();
    const entered: number[] = [];
    let active = 0;
    let max = 0;
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const { leave } = await gate.enter(HOST, TWO, signal);
        entered.push(n);
        max = Math.max(max, ++active);
        await wait(1);
        active--;
        leave();
      }),
    );
    expect(max).toBe(2);
    expect(entered).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it("counts hosts separately", async () => {
    const gate = new HostGate();
    const one = { concurrency: 1, delayMs: 0 };
    await Promise.all(["a", "b", "a:8080"].map((host) => gate.enter(host, one, signal)));
  });

  it("frees a slot only once", async () => {
    const gate = new HostGate();
    const { leave } = await gate.enter(HOST, TWO, signal);
    await gate.enter(HOST, TWO, signal);
    leave();
    leave();
    await gate.enter(HOST, TWO, signal);
    let isIn = false;
    gate.enter(HOST, TWO, signal).then(() => {
      isIn = true;
    });
    await wait(5);
    expect(isIn).toBe(false);
  });

  it("keeps the delay between two requests, also after the first has ended", async () => {
    stopTime();
    const gate = new HostGate();
    const times: number[] = [];
    const requests = (async () => {
      for (let n = 0; n < 4; n++) {
        const { leave } = await gate.enter(HOST, { concurrency: 2, delayMs: 30 }, signal);
        times.push(performance.now());
        leave();
      }
    })();
    await vi.advanceTimersByTimeAsync(1000);
    await requests;
    expect(times).toEqual([0, 30, 60, 90]);
  });

  it("keeps a pause for all requests, the longest of several", async () => {
    stopTime();
    const gate = new HostGate();
    const { leave } = await gate.enter(HOST, TWO, signal);
    const waiting = [1, 2, 3].map(() => gate.enter(HOST, { concurrency: 4, delayMs: 0 }, signal));
    // A pause that outlasts the test.
    gate.pause("another", 3_600_000);
    // One request runs already, and the rules of the waiting ones allow four.
    await Promise.all(waiting);
    gate.pause(HOST, 60);
    gate.pause(HOST, 20);
    leave();
    const last = gate.enter(HOST, { concurrency: 9, delayMs: 0 }, signal).then(() => performance.now());
    await vi.advanceTimersByTimeAsync(1000);
    expect(await last).toBe(60);
  });

  it("lets a waiting request be aborted, and leaves no timer", async () => {
    const check = watchLeftovers();
    const gate = new HostGate();
    gate.pause(HOST, 10_000);
    const controller = new AbortController();
    const reason = new Error("not any more");
    const waiting = gate.enter(HOST, TWO, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(() => gate.enter(HOST, TWO, controller.signal)).toThrow(reason);
    await check();
  });

  it("gives the slot to the next request when the one before is aborted", async () => {
    const gate = new HostGate();
    const { leave } = await gate.enter(HOST, { concurrency: 1, delayMs: 0 }, signal);
    const controller = new AbortController();
    const first = gate.enter(HOST, { concurrency: 1, delayMs: 0 }, controller.signal);
    const second = gate.enter(HOST, TWO, signal);
    controller.abort();
    await expect(first).rejects.toThrow();
    await second;
    leave();
  });

  it("can wait longer than the maximum of setTimeout", async () => {
    const gate = new HostGate();
    gate.pause(HOST, 2 ** 40);
    const controller = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const waiting = gate.enter(HOST, TWO, controller.signal);
    await wait(20);
    process.off("warning", onWarning);
    // A TimeoutOverflowWarning would mean that the timer fires every millisecond.
    expect(warnings).toEqual([]);
    controller.abort();
    await expect(waiting).rejects.toThrow();
  });

  it.each<[string[], number]>([
    [["www.example.com", "cdn.example.com", "example.com", "example.com:8080", "example.com."], 2],
    [["a.example.co.uk", "b.example.co.uk", "example.co.uk"], 2],
    // Another domain, and another user of a shared platform.
    [["a.co.uk", "b.co.uk", "c.co.uk"], 3],
    [["a.github.io", "b.github.io", "c.github.io"], 3],
    [["www.example.com", "www.example.org", "www.example.net"], 3],
    // Without a registrable domain, each host and port is a site.
    [["127.0.0.1", "127.0.0.1:81", "127.0.0.2", "127.0.1.1:81"], 4],
    [["[::1]", "[::1]:81", "[::2]"], 3],
    [["localhost", "localhost:81", "host"], 3],
  ])("%j: gives slots to %d of them, two per site", async (hosts, expected) => {
    expect(await entered(new HostGate(), hosts, TWO)).toEqual(hosts.slice(0, expected));
  });

  it("gives slots to the hosts of a site in turn", async () => {
    const gate = new HostGate();
    const order: string[] = [];
    await Promise.all(
      ["a", "a", "a", "a", "b", "b", "c"].map(async (name) => {
        const { leave } = await gate.enter(`${name}.example.com`, { concurrency: 1, delayMs: 0 }, signal);
        order.push(name);
        await wait(1);
        leave();
      }),
    );
    // The first request did not have to wait.
    expect(order.join("")).toBe("a" + "abc" + "ab" + "a");
  });

  it("a paused host does not block its site, and a request with concurrency 1 gets its slot", async () => {
    const gate = new HostGate();
    const one = { concurrency: 1, delayMs: 10_000 };
    const { leave } = await gate.enter("www.example.com", one, signal);
    leave();
    gate.enter("www.example.com", one, signal).catch(() => {});
    const { leave: leaveCdn } = await gate.enter("cdn.example.com", TWO, signal);
    const second = await gate.enter("cdn.example.com", TWO, signal);
    let isIn = false;
    gate.enter("img.example.com", { concurrency: 1, delayMs: 0 }, signal).then(() => {
      isIn = true;
    });
    gate.enter("cdn.example.com", TWO, signal).catch(() => {});
    leaveCdn();
    await wait(5);
    expect(isIn).toBe(false);
    second.leave();
    await wait(5);
    expect(isIn).toBe(true);
  });

  it("pauses and delays apply to a host, not to its site", async () => {
    const gate = new HostGate();
    gate.pause("www.example.com", 10_000);
    await gate.enter("cdn.example.com", { concurrency: 2, delayMs: 10_000 }, signal);
    await gate.enter("img.example.com", TWO, signal);
  });

  describe("of an address", () => {
    const at = async (gate: HostGate, host: string, address: string, rules = TWO): Promise<Turn> => {
      const turn = await gate.enter(host, rules, signal);
      await turn.at(address, signal);
      return turn;
    };
    const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `site${n}.com`);

    it("gets twice as many requests as a site, whichever host is first", async () => {
      const gate = new HostGate();
      const turns: Turn[] = [];
      const all = names(9).map((name) => at(gate, name, "192.0.2.1").then((turn) => turns.push(turn)));
      for (let n = 0; n < 9; n += turns.length === 9 ? 9 : 1) {
        await wait(1);
        expect(turns).toHaveLength(Math.min(4 + n, 9));
        turns[n]!.leave();
      }
      await Promise.all(all);
    });

    it("is remembered: the next requests wait before they connect", async () => {
      const gate = new HostGate();
      for (const name of names(9)) (await at(gate, name, "192.0.2.1")).leave();
      expect(await entered(gate, names(9), TWO)).toEqual(names(4));
      expect(await entered(gate, ["elsewhere.com"], TWO)).toEqual(["elsewhere.com"]);
    });

    it("can change, and the slots of the old address become free", async () => {
      const gate = new HostGate();
      const [first] = await Promise.all(names(4).map((name) => at(gate, name, "192.0.2.1")));
      let isIn = false;
      at(gate, "late.com", "192.0.2.1").then(() => {
        isIn = true;
      });
      await wait(2);
      expect(isIn).toBe(false);
      expect(first!.at("192.0.2.1", signal)).toBeUndefined();
      expect(first!.at("192.0.2.2", signal)).toBeUndefined();
      await wait(2);
      expect(isIn).toBe(true);
    });

    it("lets a waiting request be aborted", async () => {
      const gate = new HostGate();
      const inside = await Promise.all(names(4).map((name) => at(gate, name, "192.0.2.1")));
      const controller = new AbortController();
      const reason = new Error("not any more");
      const turn = await gate.enter("a.com", TWO, signal);
      const left = turn.at("192.0.2.1", controller.signal);
      const other = await gate.enter("b.com", TWO, signal);
      const over = other.at("192.0.2.1", signal);
      controller.abort(reason);
      await expect(left).rejects.toBe(reason);
      turn.leave();
      // The request failed for another reason.
      other.leave();
      await over;
      inside[0]!.leave();
      await at(gate, "c.com", "192.0.2.1");
      expect(await entered(gate, ["c.com"], TWO)).toEqual([]);
    });

    it("uses the concurrency of each request", async () => {
      const gate = new HostGate();
      const eight = { concurrency: 8, delayMs: 0 };
      const inside = await Promise.all(names(8).map((name) => at(gate, name, "192.0.2.1", eight)));
      const one = await gate.enter("one.com", { concurrency: 1, delayMs: 0 }, signal);
      let isIn = false;
      one.at("192.0.2.1", signal)?.then(() => {
        isIn = true;
      });
      for (const turn of inside.slice(0, 6)) turn.leave();
      await wait(1);
      expect(isIn).toBe(false);
      inside[6]!.leave();
      await wait(1);
      expect(isIn).toBe(true);
    });
  });

  it("belongs to its client", () => {
    const client: Client = () => Promise.reject(new Error());
    expect(gateOf(client)).toBe(gateOf(client));
    expect(gateOf(client)).not.toBe(gateOf(() => Promise.reject(new Error())));
  });

  it("is shared by a client and the clients that wrap it", () => {
    const client: Client = () => Promise.reject(new Error());
    const wrap = (wraps: Client): Client =>
      Object.assign((...args: Parameters<Client>) => wraps(...args), { wraps });
    const [one, other] = [wrap(client), wrap(wrap(client))];
    expect(gateOf(one)).toBe(gateOf(client));
    expect(gateOf(other)).toBe(gateOf(client));
  });
});
