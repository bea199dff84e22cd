/**
 * Runs the command line many times in one process, because a new process takes half a second of CPU time to start and
 * to load its modules. `cli.ts` starts it and sends the runs over IPC, one at a time.
 *
 *     node cli-host.mjs dist/cli/main.js
 *
 * A run is over when nothing is left in the event loop: at that moment a process of its own would exit. So a run that
 * leaves a timer or a connection behind does not end here either. stdout and stderr are pipes, as in a process of its
 * own. A run that exits, crashes or leaves listeners behind ends the host, with the exit code of the run.
 */
import { pathToFileURL } from "node:url";

/** Ends the output of a run on stdout and stderr. */
export const END_OF_RUN = "\0\0end of run\0\0";

/** Listeners that a run may leave only in a process that ends. */
const WATCHED = /** @type {const} */ (["exit", "SIGINT", "SIGTERM", "SIGHUP", "uncaughtException"]);

/** @typedef {{ args: readonly string[], env: Readonly<Record<string, string>>, cwd: string }} HostedRun */

/** @param {string} main */
function host(main) {
  const { channel } = process;
  if (channel === undefined || channel === null) throw new Error("The host needs an IPC channel");
  const countListeners = () => WATCHED.map((name) => process.listenerCount(name)).join();
  const url = pathToFileURL(main).href;
  let runs = 0;
  let isRunning = false;
  let isImported = false;
  /** @type {string} */
  let listeners;

  process.on("message", (/** @type {HostedRun} */ { args, env, cwd }) => {
    isRunning = true;
    isImported = false;
    listeners = countListeners();
    channel.unref();
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    process.chdir(cwd);
    process.exitCode = undefined;
    process.argv = [process.execPath, main, ...args];
    // The query makes it a new module: main.js runs when it is imported. A failed import ends the process.
    void import(`${url}?run=${++runs}`).then(() => {
      isImported = true;
    });
  });
  process.on("beforeExit", (code) => {
    if (!isRunning) return;
    // Like Node, for a module that waits for something that cannot happen any more.
    if (!isImported) process.exit(13);
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error");
    if (countListeners() !== listeners) process.exit(code);
    isRunning = false;
    // The tests remove the folder of the run.
    process.chdir("/");
    process.stdout.write(END_OF_RUN);
    process.stderr.write(END_OF_RUN);
    channel.ref();
    process.send?.({ code });
  });
  // The test process has ended.
  process.on("disconnect", () => process.exit());
}

const [, self, main] = process.argv;
if (self !== undefined && main !== undefined && import.meta.url === pathToFileURL(self).href) host(main);
