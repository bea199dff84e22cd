/** Names of HTML 4 that only Node decodes: Greek letters, arrows, symbols. The parser for browsers has to be small. */
import { expect, test } from "vitest";
import { decodeReferences } from "../../../src/parse/xml/entities.ts";

test.each([
  ["curren", 0xa4],
  ["uml", 0xa8],
  ["plusmn", 0xb1],
  ["para", 0xb6],
  ["ordm", 0xba],
  ["emsp", 0x2003],
  ["rsaquo", 0x203a],
  ["Yuml", 0x178],
  ["fnof", 0x192],
  ["tilde", 0x2dc],
  ["Alpha", 0x391],
  ["Rho", 0x3a1],
  ["Sigma", 0x3a3],
  ["Omega", 0x3a9],
  ["sigmaf", 0x3c2],
  ["sigma", 0x3c3],
  ["omega", 0x3c9],
  ["upsih", 0x3d2],
  ["rlm", 0x200f],
  ["Prime", 0x2033],
  ["hArr", 0x21d4],
  ["there4", 0x2234],
  ["supe", 0x2287],
  ["rfloor", 0x230b],
  ["rang", 0x232a],
  ["diams", 0x2666],
])("&%s;", (name, code) => {
  const codes: string[] = [];
  const decoded = decodeReferences(`&${name};`, (issue) => codes.push(issue));
  expect(decoded).toEqual({ text: String.fromCharCode(code), tainted: false });
  expect(codes).toEqual(["xml.undefined-entity"]);
});
