/** The order of test files for vitest: those that take longest start first, so that the others run beside them. */
import { BaseSequencer } from "vitest/node";

/**
 * @param {readonly string[]} names ends of paths without `.test.ts`, the longest first
 * @returns {typeof BaseSequencer}
 */
export function longestFirst(names) {
  const rank = (/** @type {import("vitest/node").TestSpecification} */ { moduleId }) => {
    const at = names.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
    return at < 0 ? names.length : at;
  };
  return class LongestFirst extends BaseSequencer {
    /** @override @param {import("vitest/node").TestSpecification[]} files */
    async sort(files) {
      // The other files keep the order of vitest: large ones first.
      return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
    }
  };
}
