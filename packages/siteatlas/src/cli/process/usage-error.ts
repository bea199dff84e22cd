/** The error for a wrong argument, flag or setting. The message is one line, the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly exitCode = 2;
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
