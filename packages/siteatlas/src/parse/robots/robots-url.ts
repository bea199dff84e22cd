/** Whether the path ends with `/robots.txt`, in upper or lower case. Query and fragment are ignored. */
export function isRobotsUrl(url: string): boolean {
  return /^[^?#]*\/robots\.txt(?:[?#]|$)/i.test(url);
}
