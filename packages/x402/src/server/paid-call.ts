/** A call of a paid route as the middleware sees it, regardless of the framework. */
export type PaidCall = {
  method: string;
  /** The address that the client called, as far as the server can determine it. */
  url: string;
  header(name: string): string | undefined;
  /** The route's pattern, such as `/weather/:city`, if the framework provides one. */
  routeTemplate?: string | undefined;
  /** The framework's own object: Express's request, Hono's context, or the Fetch request. */
  request: unknown;
};
