/** The host of a resource, which is what fits into a list. What is no URL is shown as it is. */
export function hostOf(resource: string): string {
  return URL.parse(resource)?.host || resource;
}
