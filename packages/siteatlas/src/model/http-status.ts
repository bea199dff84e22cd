/** Whether the status says that the document does not exist. With any other failure, it may exist. */
export function isAbsent(status: number | undefined): boolean {
  return status === 404 || status === 410;
}
