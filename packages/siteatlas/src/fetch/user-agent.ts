/** The User-Agent header that is sent unless the caller sets one. */
import { VERSION } from "../model/generated/version.ts";

export const DEFAULT_USER_AGENT: string = `siteatlas/${VERSION} (+https://github.com/siteatlas/siteatlas)`;
