/** Whether a database call failed because the connection was lost, so that it may succeed if it is repeated. */
export function isConnectionLoss(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  // 57014: the statement took too long, and it would take too long again. 40P01: deadlock.
  if (code === "57014") return false;
  return /^(ECONN|EPIPE|ETIMEDOUT|57P0|08|40P01)/.test(code) || /connect|terminated|timeout/i.test(message);
}
