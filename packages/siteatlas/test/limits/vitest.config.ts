/** `npm run test:limits`: measurements, one at a time, without other tests in parallel. */
import { base } from "../../../../vitest.config.ts";

export default {
  ...base,
  test: {
    ...base.test,
    include: ["packages/*/test/limits/**/*.test.ts"],
    exclude: [],
    fileParallelism: false,
  },
};
