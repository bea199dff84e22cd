/**
 * Settings files: reading one works or throws a `UsageError`, a file of the current directory sets nothing risky, and
 * the library accepts every option that the settings become.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkOptions } from "../../../src/check/check-options.ts";
import { type Flag, flags, SETTING_NAMES } from "../../../src/cli/config/flags.ts";
import { readSettings } from "../../../src/cli/config/settings.ts";
import { readSettingsFiles } from "../../../src/cli/config/settings-file.ts";
import { walkOptions } from "../../../src/cli/config/walk-options.ts";
import { UsageError } from "../../../src/cli/process/usage-error.ts";
import { checkAllow } from "../../../src/cli/walk/walk-sites.ts";
import { SYNC_OPTIONS } from "../../../src/sync/options.ts";
import { readInput } from "../input.ts";
import { checkShown, onlyThrows, repeated, withinTime } from "../promises.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const directory = temporaryFolder();
const user = join(directory, "user");
mkdirSync(join(user, "siteatlas"), { recursive: true });
const own = join(user, "siteatlas", "config.json");
const found = join(directory, "siteatlas.config.json");

type Source = "found" | "user" | "named";
const SOURCES: readonly Source[] = ["found", "user", "named"];

export async function fuzz(data: Uint8Array): Promise<void> {
  const { choice, bytes } = readInput(data);
  const source = SOURCES[choice % SOURCES.length]!;
  await withinTime(() => check(bytes, source));
  const long = repeated(bytes);
  if (long !== undefined) await withinTime(() => check(long, source));
}

async function check(bytes: Uint8Array, source: Source): Promise<void> {
  writeFileSync(own, source === "user" ? bytes : "{}");
  writeFileSync(found, source === "user" ? "{}" : bytes);
  const given = source === "named" ? found : undefined;
  const error = await onlyThrows(UsageError, async () => {
    const { files } = await readSettingsFiles({ directory, given, environment: { XDG_CONFIG_HOME: user } });
    const settings = readSettings({ names: SETTING_NAMES, flags: {}, environment: {}, files });
    if (source === "found") {
      for (const name of SETTING_NAMES) {
        const { risk }: Flag = flags[name];
        assert.ok(risk === undefined || settings[name] === undefined, name);
      }
    }
    // These settings name files, which the target must not read.
    const { authFile: _, cacert: __, ...rest } = settings;
    // The commands check this one with a call of its own.
    checkAllow(rest.allow);
    checkOptions("fuzz", SYNC_OPTIONS, walkOptions(rest));
  });
  checkShown(error?.hint ?? "");
}
