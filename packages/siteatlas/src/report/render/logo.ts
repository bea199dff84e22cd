/**
 * The logo of a report. The page contains it as the data URL of an `<img>`, where browsers run no script of an SVG and
 * load nothing that it refers to.
 */

/** Maximum size in bytes. With it, the largest report still has at most 250 KB. */
const MAX_BYTES = 32 * 1024;
const MAX_TEXT = "32 KB";
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** A data URL of the image. Its type is that of the content. @throws {TypeError} if it is not a usable image */
export function logoUrl(image: Uint8Array): string {
  if (image.length > MAX_BYTES) throw new TypeError(`the logo has more than ${MAX_TEXT}`);
  const type = typeOf(Buffer.from(image.buffer, image.byteOffset, image.length));
  if (type === undefined) throw new TypeError("the logo is not a PNG, JPEG or SVG image");
  return `data:${type};base64,${Buffer.from(image).toString("base64")}`;
}

function typeOf(image: Buffer): string | undefined {
  if (image.subarray(0, 8).equals(PNG)) return "image/png";
  if (image.subarray(0, 3).equals(JPEG)) return "image/jpeg";
  const text = image.toString().trimStart();
  if (!/^(?:<\?xml|<!--|<!doctype svg|<svg\b)/i.test(text) || !/<svg\b/.test(text)) return undefined;
  // A browser draws nothing if the namespace is missing.
  if (!text.includes(SVG_NAMESPACE))
    throw new TypeError(`the logo is an SVG without xmlns="${SVG_NAMESPACE}"`);
  return "image/svg+xml";
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
