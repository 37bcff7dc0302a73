/** Finds the route of a method and path. */
import findMyWay from 'find-my-way';
import type { GraphQLSchema } from 'graphql';
import { routeVariables } from './read-variables.ts';
import type { RestRoute } from './rest-route.ts';
import type { RunningRoute } from './run-route.ts';

export type RouteMatch =
  | { found: true; running: RunningRoute; path: Record<string, string | undefined> }
  /** The methods that the path supports. Empty for an unknown path. */
  | { found: false; allowed: string[] };

export type RouteTable = { match(method: string, path: string): RouteMatch };

/** HEAD requests are handled like GET, without the body. Throws if a route does not match the schema. */
export function openRouteTable(schema: GraphQLSchema, routes: readonly RestRoute[]): RouteTable {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 500 });
  for (const route of routes) {
    const running: RunningRoute = { route, variables: routeVariables(schema, route) };
    router.on(route.method, route.path, () => {}, running);
  }
  const find = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string): RouteMatch | undefined => {
    const match = router.find(method, path);
    return match ? { found: true, running: match.store, path: match.params } : undefined;
  };
  return {
    match(method, path) {
      const wanted = method === 'HEAD' ? 'GET' : methods.find((held) => held === method);
      const match = wanted && find(wanted, path);
      if (match) return match;
      const allowed = methods.filter((held) => find(held, path));
      return { found: false, allowed: allowed.flatMap((held) => (held === 'GET' ? ['GET', 'HEAD'] : [held])) };
    },
  };
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
