/** Whether the byte is white space in XML (XML 1.0 section 2.3). */
export function isXmlSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
