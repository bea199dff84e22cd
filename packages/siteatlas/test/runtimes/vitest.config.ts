/** `npm run test:runtimes`: one runtime at a time. */
import { base } from "../../../../vitest.config.ts";

export default {
  ...base,
  test: { ...base.test, include: ["packages/*/test/runtimes/in-runtimes.ts"], fileParallelism: false },
};
