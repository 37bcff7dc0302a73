/** The host of a resource's URL, short enough for a list. A text that is not a URL is returned unchanged. */
export function hostOf(resource: string): string {
  return URL.parse(resource)?.host || resource;
}
