/** Loaded before a program: says on fd 3, when it ends, how much memory it took at most. */
const { writeSync } = require("node:fs");

process.on("exit", () => {
  try {
    // Linux and macOS alike: Node gives kilobytes.
    writeSync(3, String(process.resourceUsage().maxRSS));
  } catch {
    // A process below it, or nobody asks.
  }
});
