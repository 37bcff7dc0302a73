/** The origin of the page that embeds the checkout, if the app lists it. Pure. */

type Asked = {
  /** The origins that the app lists, as the server printed them into the page. */
  listed: readonly string[];
  /** The origin that the embedding page declares. */
  declared: string | null;
  /** The origin that the browser reports for the embedding page; not every browser does. */
  actual: string | undefined;
};

/**
 * Returns undefined for a page that the app does not list. A page cannot gain anything by declaring another one's origin: messages are
 * sent to the declared origin only, and the browser discards them if the page has another.
 */
export function parentOriginOf({ listed, declared, actual }: Asked): string | undefined {
  if (declared === null || !listed.includes(declared)) return undefined;
  return actual === undefined || actual === declared ? declared : undefined;
}
