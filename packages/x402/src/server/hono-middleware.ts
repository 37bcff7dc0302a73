/** Hono: `app.get('/weather', paid.hono, handler)`. The types are structural, so that the package needs no Hono of its own. */
import type { Charge } from './charge.ts';
import { serve } from './fetch-middleware.ts';
import type { PaidCall } from './paid-call.ts';

export type HonoContext = {
  req: { raw: Request; url: string; method: string; routePath?: string; header(name: string): string | undefined };
  res: Response;
};
// biome-ignore lint/suspicious/noExplicitAny: Hono's own context is generic in the app's variables and bindings.
export type HonoMiddleware = (context: any, next: () => Promise<void>) => Promise<Response | undefined>;

type Charging = { charge(call: PaidCall): Promise<Charge>; largestHeldBytes: number };

export function honoMiddleware({ charge, largestHeldBytes }: Charging): HonoMiddleware {
  return async (context: HonoContext, next) => {
    const charged = await charge(callOf(context));
    if (charged.outcome === 'free') {
      await next();
      return undefined;
    }
    let hasRun = false;
    const run = async () => {
      hasRun = true;
      // Hono's own error handler has already converted the handler's error to a response.
      await next();
      return context.res;
    };
    const hasDisconnected = () => context.req.raw.signal.aborted;
    const response = await serve(charged, { run, hasDisconnected, largestHeldBytes });
    if (!hasRun) return response;
    if (response === context.res) return undefined;
    // Assigning a response merges the headers of the one before, unless there is none.
    (context as { res: Response | undefined }).res = undefined;
    context.res = response;
    return undefined;
  };
}

function callOf(context: HonoContext): PaidCall {
  const { req } = context;
  return {
    method: req.method,
    url: req.url,
    header: (name) => req.header(name),
    routeTemplate: req.routePath,
    request: context,
  };
}
