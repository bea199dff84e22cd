/** A mistake in the command line. The message is one line. `hint` says what to do next. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly exitCode = 2;
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
