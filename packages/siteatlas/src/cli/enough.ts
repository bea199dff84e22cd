/** Thrown by whoever takes pages and needs no more: everything ends, in peace. */
export class Enough extends Error {
  override readonly name = "Enough";
}
