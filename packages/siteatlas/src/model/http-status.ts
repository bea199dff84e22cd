/** Whether the HTTP status says that the document does not exist. After any other failure, the document may exist. */
export function isAbsent(status: number | undefined): boolean {
  return status === 404 || status === 410;
}
