// Generated from package.json by `npm run generate`. Do not edit.

/** The version of the package. A constant, because bundlers and other runtimes cannot read package.json. */
export const VERSION = "0.0.0";
