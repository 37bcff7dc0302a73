/** Returns the code of a fragment such as `#code=…`; undefined for a fragment without one, such as that with a client secret. Pure. */
export function splitCode(fragment: string): string | undefined {
  return /^#code=(.*)$/.exec(fragment)?.[1];
}
