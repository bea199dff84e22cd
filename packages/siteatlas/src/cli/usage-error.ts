/** What somebody typed cannot be done: told in one line, with what to do about it, and exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly exitCode = 2;
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
