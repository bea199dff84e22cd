/** Misspelled environment variables are reported. */
import { describe, expect, it } from "vitest";
import { environmentName, SETTING_NAMES } from "../../../src/cli/config/flags.ts";
import { unknownVariables } from "../../../src/cli/config/unknown-variables.ts";
import { urlset } from "../../support/test-site.ts";
import { buildCli, runCli } from "../support/cli.ts";

buildCli();

const input = urlset(["https://example.com/"]);

describe("unknown variables", () => {
  it("exclude settings and variables that siteatlas itself sets", () => {
    const known = ["CONFIG", "URL", "ADDED", "CHANGED", "REMOVED", "FLEET_DATABASE"];
    const names = [...SETTING_NAMES.map(environmentName), ...known.map((name) => `SITEATLAS_${name}`)];
    const environment = Object.fromEntries([...names, "PATH", "SITE"].map((name) => [name, "1"]));
    expect(unknownVariables(environment)).toEqual([]);
    expect(unknownVariables({ ...environment, SITEATLAS_FOO: "1", SITEATLAS_JBOS: "1" })).toEqual([
      { name: "SITEATLAS_FOO", nearest: undefined },
      { name: "SITEATLAS_JBOS", nearest: "SITEATLAS_JOBS" },
    ]);
  });

  it("are a warning with a suggestion", async () => {
    const env = { SITEATLAS_MAX_URL_LENGHT: "3" };
    const { code, stderr } = await runCli(["parse", "-"], { env, input });
    expect([code, stderr]).toEqual([
      0,
      "warning: unknown environment variable SITEATLAS_MAX_URL_LENGHT\n  Did you mean SITEATLAS_MAX_URL_LENGTH?\n1 page in 1 document\n",
    ]);
    expect((await runCli(["parse", "-", "-q"], { env, input })).stderr).toBe("");
  });
});
