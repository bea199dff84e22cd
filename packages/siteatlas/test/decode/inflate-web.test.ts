import { describe, vi } from "vitest";
import { inflateSuite } from "./inflate-suite.ts";

vi.mock("#platform", () => import("../../src/decode/platform-web.ts"));

describe("decompress on the web", () => inflateSuite(false));
