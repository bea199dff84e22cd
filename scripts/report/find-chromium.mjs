/** The Chromium that draws the pictures of reports. */
import { existsSync } from "node:fs";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** @returns {string} the path of the executable: that of the variable CHROMIUM, or an installed one */
export function findChromium() {
  const path = process.env["CHROMIUM"] ?? PATHS.find((one) => existsSync(one));
  if (path === undefined) throw new Error("No Chromium found. Install it, or set CHROMIUM.");
  return path;
}
